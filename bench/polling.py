"""The cost of polling: credits per day, time and memory for long pages.

`credits_per_day`  credits that the engine spends over a simulated day of 4 bank refreshes and 3 flows on one bank
                   connection, everything delivered promptly; a plain poll of each flow every 5 minutes costs 864
`rows_ratio`       rows per second from the call to committed items, divided by those of the client's parsing alone
`memory_ratio`     growth of the process's peak memory while 10,000 rows are polled, divided by the size of the body
`growth_ratio`     200,000 rows in pages of 10,000: memory in the last third divided by memory in the first
"""

from __future__ import annotations

import asyncio
import gc
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx

from bench import page_server, parse
from connector.core.client import Client, KeyState, key_states
from connector.core.clock import Clock
from connector.core.credential import Credential
from connector.durable.context import JobContext
from connector.durable.poller.change_signals import nudge
from connector.durable.poller.context import PollContext
from connector.durable.poller.one_shot import PollRequest, poll_request
from connector.durable.poller.poll_due import poll_due
from connector.durable.settings import Settings
from connector.durable.subscribe import SubscriptionRequest, subscribe
from connector.runtime.connector import Connector
from connector.store import credentials, cursors
from connector.store.vault import Vault
from sandbox.banking.demo import HOUSE_BANK, MAIN_ACCOUNT
from sandbox.server import SandboxServer

KEY = "sandbox-key"
MINUTES = 24 * 60
REFRESHES = {7 * 60 + 12: 14, 11 * 60 + 3: 6, 15 * 60 + 41: 23, 19 * 60 + 5: 3}
"""Minute of the day: number of transactions in that refresh."""
MAX_DELAY = 60.0
RUNS = 5
PAGES = 20


class SimulatedClock(Clock):
    """A clock that only advances when it is set."""

    def __init__(self) -> None:
        super().__init__()
        self.at = 0.0

    def monotonic(self) -> float:
        return self._start + self.at


def credits_per_day() -> float:
    """Return the credits that the sandbox counted; raise when a transaction was not found within a minute."""
    with tempfile.TemporaryDirectory() as data, SandboxServer() as server:
        return asyncio.run(_simulate_day(data, server.url))


async def _simulate_day(data: str, url: str) -> float:
    connector, vault, clock = Connector(data), Vault(data), SimulatedClock()
    context = JobContext(connector, connector.database, vault, "bench", allow_private_targets=True, clock=clock)
    async with httpx.AsyncClient(base_url=f"{url}/sandbox", trust_env=False) as control:
        await control.post("/limits", json={"limit": 10_000_000})  # a day passes within its window of 15 minutes
        credential = Credential(url, KEY)
        id = await context.write(lambda c: credentials.save(c, vault, credential, clock.utcnow()))
        names = []
        for trigger, inputs in (
            ("new_transaction", {"connection_id": HOUSE_BANK, "include_pending": True}),
            ("new_transaction", {"connection_id": HOUSE_BANK, "account_id": MAIN_ACCOUNT, "include_pending": True}),
            ("transaction_changed", {"connection_id": HOUSE_BANK}),
        ):
            request = SubscriptionRequest(trigger, inputs, "http://127.0.0.1:9/flow")
            names.append((await subscribe(context, id, request, clock.utcnow()))[0].cursor_name)
        expected = 0
        for minute in range(MINUTES):
            clock.at = minute * 60.0
            if minute in REFRESHES:
                path = f"/bank-connections/{HOUSE_BANK}/refresh"
                (await control.post(path, json={"transactions": REFRESHES[minute]})).raise_for_status()
                await context.write(lambda c: nudge(c, id, HOUSE_BANK, clock.utcnow()))
                expected += REFRESHES[minute]
            clock.at += MAX_DELAY / 2
            await poll_due(context, clock.utcnow())
            delivered = await context.read(lambda c: _stored_items(c, names[0]))
            if delivered != expected:
                raise AssertionError(f"minute {minute}: {delivered} of {expected} transactions delivered")
        record = (await control.get("/record", params={"limit": 100_000})).json()["data"]
    await context.aclose()
    connector.close()
    return float(sum(entry["credits_charged"] for entry in record))


def _stored_items(connection: Any, name: str) -> int:
    from connector.store import items

    return len(items.of_cursor(connection, name))


def rows_ratio(runs: int = RUNS) -> float:
    """Return the median over alternating runs."""

    async def measure(url: str) -> float:
        ratios = []
        with Client(Credential(url, KEY), state=KeyState()) as client:
            for _ in range(runs):
                gc.collect()
                started = time.perf_counter()
                assert parse.read_with_client(client) == parse.COUNT
                alone = time.perf_counter() - started
                async with _polling(url) as (context, request):
                    gc.collect()
                    started = time.perf_counter()
                    name = request.name
                    await _poll_to_end(context, request)
                    polled = time.perf_counter() - started
                    assert await context.read(lambda c, name=name: _stored_items(c, name)) == parse.COUNT
                ratios.append(alone / polled)
        return statistics.median(ratios)

    with page_server.running(pages=1) as url:
        return asyncio.run(measure(url))


@asynccontextmanager
async def _polling(url: str, pages: int = 1) -> AsyncIterator[tuple[PollContext, PollRequest]]:
    """Yield a context on an empty database, and the first poll request of a trigger."""
    key_states._by_key.clear()
    with tempfile.TemporaryDirectory() as data:
        connector = Connector(data)
        async with connector.open(Credential(url, KEY)) as session:
            settings = Settings(credits_per_poll=pages + 1)
            context = PollContext(connector, connector.database, session, "bench", session.clock, settings)
            yield context, poll_request(context, "new_transaction", {"connection_id": "4711"}, "all", None)
        connector.close()


def memory_ratio() -> float:
    """Measure in a new process, whose peak memory nothing else has raised."""
    with page_server.running(pages=1) as url:
        return _in_own_process("--memory", url)


def growth_ratio() -> float:
    """Return the growth of memory over many pages; 1 means none."""
    with page_server.running(pages=PAGES) as url:
        return _in_own_process("--growth", url)


def _in_own_process(option: str, url: str) -> float:
    command = [sys.executable, "-m", "bench.polling", option, url]
    return float(subprocess.run(command, capture_output=True, check=True).stdout)


async def _memory(url: str) -> float:
    """Return the growth of the resident peak or of Python's allocations, whichever is more, divided by the body."""
    size = len(parse.body_of())
    grown = []
    async with _polling(url) as (context, request):
        await context.write(lambda c: cursors.get(c, request.name))
        gc.collect()
        before = parse._resident_peak()
        await _poll_to_end(context, request)
        grown.append(parse._resident_peak() - before)
    async with _polling(url) as (context, request):
        tracemalloc.start()
        await _poll_to_end(context, request)
        grown.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    return max(grown) / size


async def _poll_to_end(context: PollContext, request: PollRequest) -> None:
    """Poll like the engine, which does not keep the items in memory."""
    from connector.durable.poller.hold_leases import hold_leases
    from connector.durable.poller.one_shot import _create_cursor
    from connector.durable.poller.run_poll import lease_name, load_cursors, record_outcome
    from connector.durable.poller.shared_poll import poll_single

    await context.write(lambda connection: _create_cursor(connection, context, request))
    async with hold_leases(context, [lease_name(request.name)]) as held:
        [cursor] = await load_cursors(context, [request.name], held)
        await poll_single(context, cursor)
        await record_outcome(context, cursor, None, {})


async def _growth(url: str) -> float:
    """Measure resident memory after each page."""
    seen: list[int] = []
    async with _polling(url, PAGES) as (context, request):
        client = context.session.client
        call = client.call

        async def watched(one: Any) -> Any:
            reply = await call(one)
            seen.append(_resident())
            return reply

        client.call = watched  # type: ignore[method-assign]
        await _poll_to_end(context, request)
        found = await context.read(lambda c: _stored_items(c, request.name))
        assert found == PAGES * parse.COUNT, found
    third = len(seen) // 3
    return statistics.mean(seen[-third:]) / statistics.mean(seen[:third])


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


if __name__ == "__main__":
    print(asyncio.run((_memory if sys.argv[1] == "--memory" else _growth)(sys.argv[2])))
