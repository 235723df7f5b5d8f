"""From an event to the flow: how long a delivery takes beside subscribers that fail and hang.

One host's engine on SQLite delivers to good subscribers, each of which refuses one attempt in 33, beside others that
never answer; then the same without any of these. All receive on real sockets in a process of their own.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from typing import NamedTuple

from bench.processes import process
from connector import Connector, Credential
from connector.core.timing import Clock
from connector.durable.loop import Engine
from connector.durable.sending import signing
from connector.store.triggers import deliveries, subscriptions
from connector.store.trust import credentials
from connector.store.trust.vault import Vault

GOOD, HANGING, FAILING_SHARE = 10, 50, 33
SECONDS, PER_SECOND = 60, 8
DRAIN_SECONDS = 60.0
QUIET = "0"


class Delays(NamedTuple):
    """How long deliveries took, in seconds."""

    p50: float
    p99: float


def p99_seconds() -> float:
    """Return the p99 beside hanging and failing subscribers."""
    return asyncio.run(_measure(HANGING, failing=True)).p99


def ratio() -> float:
    """Return the median beside them / without them: few of the good ones' attempts fail, so most are not retried."""
    return asyncio.run(_measure(HANGING, failing=True)).p50 / asyncio.run(_measure(0, failing=False)).p50


async def _measure(hanging: int, *, failing: bool) -> Delays:
    command = [sys.executable, "-m", "bench.deliveries", str(FAILING_SHARE) if failing else QUIET]
    with tempfile.TemporaryDirectory() as folder, process(command) as port:
        connector, vault = Connector(folder), Vault(folder)
        engine = Engine(connector, connector.database, vault, allow_private_targets=True)
        good = _subscribe(connector, vault, f"http://127.0.0.1:{port}/good", GOOD)
        bad = _subscribe(connector, vault, f"http://127.0.0.1:{port}/hangs", hanging)
        running = asyncio.create_task(engine.run())
        try:
            for number in range(SECONDS * PER_SECOND):
                began = time.monotonic()
                queues = [good[number % GOOD], *([bad[number % hanging]] if hanging else ())]
                await engine.context.write(lambda c, queues=queues, number=number: _enqueue(c, queues, number))
                engine.context.wake()
                await asyncio.sleep(max(0.0, began + 1 / PER_SECOND - time.monotonic()))
            delays = await _delays(engine, good)
        finally:
            await engine.stop()
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
            connector.close()
    cuts = statistics.quantiles(delays, n=100)
    return Delays(cuts[49], cuts[98])


def _subscribe(connector: Connector, vault: Vault, url: str, count: int) -> list[str]:
    def create(connection):  # type: ignore[no-untyped-def]
        now = Clock().utcnow()
        id = credentials.save(connection, vault, Credential("http://127.0.0.1:9", "bench-key"), now)
        made = [
            subscriptions.create_once(
                connection,
                digest=None,
                credential_id=id,
                trigger="payment_settled",
                inputs={},
                target_url=f"{url}/{number}",
                sealed_secret=vault.seal(signing.new_secret()),
                now=now,
            )
            for number in range(count)
        ]
        return [one.id for one in made if one is not None]

    return list(connector.database.write(create).result())


def _enqueue(connection, queues: Sequence[str], number: int) -> None:  # type: ignore[no-untyped-def]
    for queue in queues:
        deliveries.enqueue(connection, queue, str(number), json.dumps({"_id": number}), Clock().utcnow())


async def _delays(engine: Engine, queues: Sequence[str]) -> list[float]:
    """Return how long each delivery took, after all were accepted; one that was not counts as the whole time."""
    end = time.monotonic() + DRAIN_SECONDS
    while True:
        found = [
            one
            for queue in queues
            for one in await engine.context.read(lambda c, queue=queue: deliveries.listed(c, None, queue, 10_000))
        ]
        if all(one.done_at is not None for one in found) or time.monotonic() > end:
            now = Clock().utcnow()
            return [((one.done_at or now) - one.made_at).total_seconds() for one in found]
        await asyncio.sleep(0.5)


def main() -> None:
    """Run the subscribers: one attempt in so many is refused, and `/hangs` never answers."""
    import itertools

    import uvicorn
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

    from connector.interfaces.host.server import listen

    share, attempts = int(sys.argv[1]), itertools.count(1)

    async def good(request: Request) -> Response:
        await request.body()
        return Response(status_code=500 if share and next(attempts) % share == 0 else 200)

    async def hangs(request: Request) -> Response:
        await asyncio.sleep(3600)
        return Response()

    listening = listen("127.0.0.1", 0)
    print(listening.getsockname()[1], flush=True)
    routes = [Route("/good/{number}", good, methods=["POST"]), Route("/hangs/{number}", hangs, methods=["POST"])]
    uvicorn.Server(
        uvicorn.Config(
            Starlette(routes=routes), lifespan="off", log_config=None, access_log=False, timeout_graceful_shutdown=1
        )
    ).run([listening])


if __name__ == "__main__":
    main()
