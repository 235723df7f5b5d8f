"""How many files and functions of ours a call passes, from real runs with everything imported: `make walks`.

Each walk is made three times; the last one counts. What a host does meanwhile by itself is left out.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from connector.durable.subscriptions import SubscriptionRequest, subscribe
from connector.interfaces.cli import main as kontor
from connector.sandbox.server import SandboxServer
from tests.durable.poller.engine_host import BANK, EngineHost, arrive
from tests.durable.poller.test_engine_loop import first_poll, told
from tests.durable.poller.test_engine_loop import running as engine_running
from tests.interfaces.host.running_host import PAYMENT, running
from tests.support.running_sandbox import Receiver, RunningSandbox

ROOT = Path(__file__).parents[2]
OURS = str(ROOT / "connector") + os.sep
SANDBOX = OURS + "sandbox" + os.sep
IDLE_SECONDS = 2.0
TIMES = 3


class Walk:
    """The code that runs while it records, in all threads begun after it was made."""

    def __init__(self) -> None:
        self._passed: set[CodeType] | None = None
        threading.setprofile(self._note)
        sys.setprofile(self._note)

    def _note(self, frame: FrameType, event: str, _: Any) -> None:
        passed = self._passed
        if passed is not None and event == "call" and _is_ours(frame.f_code.co_filename):
            passed.add(frame.f_code)

    @contextlib.contextmanager
    def recording(self) -> Iterator[set[CodeType]]:
        """Record until the end of the context."""
        passed = self._passed = set()
        try:
            yield passed
        finally:
            self._passed = None


def _is_ours(file: str) -> bool:
    return file.startswith(OURS) and not file.startswith(SANDBOX)


def by_command(walk: Walk, *arguments: Callable[[int], list[str]]) -> Iterator[set[CodeType]]:
    """Pass each of these command lines, each time with other inputs."""
    for given in arguments:
        for number in range(TIMES):
            out, err = contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO())
            with out, err, walk.recording() as passed:
                assert kontor(given(number)) == 0
        yield passed


def through_host(walk: Walk, sandbox: RunningSandbox, folder: Path) -> set[CodeType]:
    """Run a payment over HTTP."""
    with running(sandbox, folder) as host:
        for number in range(TIMES - 1):
            payment = host.run("initiate_payment", {**PAYMENT, "amount": 10 + number}, key=f"host {number}")
            assert payment.status_code == 200, payment.text
        with walk.recording() as idle:
            time.sleep(IDLE_SECONDS)
        with walk.recording() as passed:
            assert host.run("initiate_payment", {**PAYMENT, "amount": 20}, key="host").status_code == 200
        return passed - idle


async def to_delivery(walk: Walk, sandbox: RunningSandbox, folder: Path) -> set[CodeType]:
    """Poll a trigger until what it found is delivered."""
    flow, host = Receiver(), EngineHost(sandbox, str(folder))
    try:
        async with engine_running(host) as engine:
            request = SubscriptionRequest("new_transaction", {"connection_id": BANK}, flow.url)
            subscription, *_ = await subscribe(engine.context, host.credential_id, request, host.now())
            await first_poll(host, subscription)
            for _ in range(TIMES - 1):
                arrive(sandbox, 1)
                host.clock.advance(seconds=400)
                await told(flow)
            with walk.recording() as idle:
                await asyncio.sleep(IDLE_SECONDS)
            with walk.recording() as passed:
                arrive(sandbox, 1)
                host.clock.advance(seconds=400)
                await told(flow)
                await asyncio.sleep(0.2)
            return passed - idle
    finally:
        flow.close()
        host.connector.close()


def main() -> None:
    walk = Walk()
    with SandboxServer(seed=1) as server, tempfile.TemporaryDirectory() as folder:
        sandbox, place = RunningSandbox(server), Path(folder)
        os.environ |= {
            "KONTOR_BASE_URL": sandbox.url,
            "KONTOR_API_KEY": "sandbox-key",
            "KONTOR_DATA": f"{folder}/command",
        }
        given = [f"--set={name}={value}" for name, value in PAYMENT.items() if name != "amount"]
        payment, dropdown = by_command(
            walk,
            lambda number: ["run", "initiate_payment", *given, f"--set=amount={number + 1}", f"--key=k{number}"],
            lambda number: ["options", "bank_accounts"],
        )
        walks = {
            "`kontor run initiate_payment`, with a key": payment,
            "the same over HTTP, in the host": through_host(walk, sandbox, place / "host"),
            "a poll of the host, to its delivery": asyncio.run(to_delivery(walk, sandbox, place / "engine")),
            "`kontor options bank_accounts`": dropdown,
        }
    print("| walk | files | functions |\n|---|---|---|")
    for name, passed in walks.items():
        print(f"| {name} | {len({code.co_filename for code in passed})} | {len(passed)} |")
    if "--files" in sys.argv:
        for name, passed in walks.items():
            print(f"\n{name}")
            print("\n".join(sorted({os.path.relpath(code.co_filename, ROOT) for code in passed})))


if __name__ == "__main__":
    main()
