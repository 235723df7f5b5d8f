"""What polling costs: credits over a day, time and memory for long pages.

`credits_per_day`  credits that the engine spends over a simulated day of 4 bank refreshes and 3 flows on one bank
                   connection, everything delivered promptly; a plain poll of each flow every 5 minutes costs 864
`rows_ratio`       rows a second from the call to committed items, divided by those of the client's parse alone with
                   the encryption (AES-GCM) that stored rows must have
`memory_ratio`     growth of the process's peak memory while 10,000 rows are polled, divided by the size of the body
`growth_ratio`     200,000 rows in pages of 10,000: memory in the last third divided by memory in the first
"""

from __future__ import annotations

import asyncio
import gc
import os
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
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from bench import parse
from bench.servers import page_server
from bench.transaction_page import COUNT, body_of, transaction
from connector.client import Client, KeyState, key_states
from connector.core.service.credential import Credential
from connector.core.timing import Clock
from connector.core.values.json import encode
from connector.durable.context import JobContext
from connector.durable.poller.change_signals import nudge
from connector.durable.poller.context import PollContext
from connector.durable.poller.one_shot import PollRequest, poll_request
from connector.durable.poller.poll_due import poll_due
from connector.durable.settings import Settings
from connector.durable.subscriptions import SubscriptionRequest, subscribe
from connector.runtime.connector import Connector
from connector.sandbox.banking.demo import HOUSE_BANK, MAIN_ACCOUNT
from connector.sandbox.server import SandboxServer
from connector.store.triggers import cursors
from connector.store.trust import credentials
from connector.store.trust.vault import Vault

KEY = "sandbox-key"
MINUTES = 24 * 60
REFRESHES = {7 * 60 + 12: 14, 11 * 60 + 3: 6, 15 * 60 + 41: 23, 19 * 60 + 5: 3}
"""Minute of the day: transactions that the refresh brings."""
PROMPT = 60.0
RUNS = 5
PAGES = 20


class SimulatedClock(Clock):
    """Stands still until it is moved."""

    def __init__(self) -> None:
        super().__init__()
        self.at = 0.0

    def monotonic(self) -> float:
        return self._start + self.at


def credits_per_day() -> float:
    """Counted at the sandbox. Raises when something was not delivered, or not within a minute of the bank's event."""
    with tempfile.TemporaryDirectory() as data, SandboxServer() as server:
        return asyncio.run(_day(data, server.url))


async def _day(data: str, url: str) -> float:
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
        told = 0
        for minute in range(MINUTES):
            clock.at = minute * 60.0
            if minute in REFRESHES:
                path = f"/bank-connections/{HOUSE_BANK}/refresh"
                (await control.post(path, json={"transactions": REFRESHES[minute]})).raise_for_status()
                await context.write(lambda c: nudge(c, id, HOUSE_BANK, clock.utcnow()))
                told += REFRESHES[minute]
            clock.at += PROMPT / 2
            await poll_due(context, clock.utcnow())
            delivered = await context.read(lambda c: _owed(c, names[0]))
            if delivered != told:
                raise AssertionError(f"minute {minute}: {delivered} of {told} transactions delivered")
        record = (await control.get("/record", params={"limit": 100_000})).json()["data"]
    await context.aclose()
    connector.close()
    return float(sum(entry["credits_charged"] for entry in record))


def _owed(connection: Any, name: str) -> int:
    from connector.store.triggers import items

    return len(items.of_cursor(connection, name))


def rows_ratio(runs: int = RUNS) -> float:
    """Median over pairs of runs that stand next to each other in time."""

    async def measure(url: str) -> float:
        ratios, key = [], AESGCM(os.urandom(32))
        rows = [encode(transaction(number)) for number in range(COUNT)]
        with Client(Credential(url, KEY), state=KeyState()) as client:
            for _ in range(runs):
                gc.collect()
                started = time.perf_counter()
                assert parse.read_by_us(client) == COUNT
                for row in rows:
                    key.encrypt(os.urandom(12), row, None)
                alone = time.perf_counter() - started
                async with _polling(url) as (work, what):
                    gc.collect()
                    started = time.perf_counter()
                    name = what.name
                    await _poll_whole(work, what)
                    polled = time.perf_counter() - started
                    assert await work.read(lambda c, name=name: _owed(c, name)) == COUNT
                ratios.append(alone / polled)
        return statistics.median(ratios)

    with page_server.running(pages=1) as url:
        return asyncio.run(measure(url))


@asynccontextmanager
async def _polling(url: str, pages: int = 1) -> AsyncIterator[tuple[PollContext, PollRequest]]:
    """A fresh store, and a trigger about to be polled for the first time."""
    key_states._by_key.clear()
    with tempfile.TemporaryDirectory() as data:
        connector = Connector(data)
        async with connector.open(Credential(url, KEY)) as session:
            settings = Settings(credits_per_poll=pages + 1)
            work = PollContext(connector, connector.database, session, "bench", session.clock, settings)
            yield work, poll_request(work, "new_transaction", {"connection_id": "4711"}, "all", None)
        connector.close()


def memory_ratio() -> float:
    """Measured in a process of its own, whose peak nothing else has raised before."""
    with page_server.running(pages=1) as url:
        return _in_own_process("--memory", url)


def growth_ratio() -> float:
    """1 when memory is flat, however many pages there are."""
    with page_server.running(pages=PAGES) as url:
        return _in_own_process("--growth", url)


def _in_own_process(what: str, url: str) -> float:
    command = [sys.executable, "-m", "bench.polling", what, url]
    return float(subprocess.run(command, capture_output=True, check=True).stdout)


async def _memory(url: str) -> float:
    """In bodies: growth of the resident peak or of what Python allocated, whichever is more."""
    size = len(body_of())
    grown = []
    async with _polling(url) as (work, what):
        await work.write(lambda c: cursors.get(c, what.name))
        gc.collect()
        before = parse._resident_peak()
        await _poll_whole(work, what)
        grown.append(parse._resident_peak() - before)
    async with _polling(url) as (work, what):
        tracemalloc.start()
        await _poll_whole(work, what)
        grown.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    return max(grown) / size


async def _poll_whole(work: PollContext, what: PollRequest) -> None:
    """As the engine polls: nothing that was found is kept beside the store."""
    from connector.durable.poller.one_shot import _create_cursor
    from connector.durable.poller.run_poll import lease_name, load_cursors, record_outcome
    from connector.durable.poller.shared_poll import poll_single
    from connector.durable.work import hold_leases

    await work.write(lambda connection: _create_cursor(connection, work, what))
    async with hold_leases(work, [lease_name(what.name)]) as held:
        [cursor] = await load_cursors(work, [what.name], held)
        await poll_single(work, cursor)
        await record_outcome(work, cursor, None, {})


async def _growth(url: str) -> float:
    """Resident memory page by page."""
    seen: list[int] = []
    async with _polling(url, PAGES) as (work, what):
        client = work.session.client
        transmit = client.transmit

        async def watched(request: Any, seconds: float) -> Any:
            answer = await transmit(request, seconds)
            seen.append(_resident())
            return answer

        client.transmit = watched  # type: ignore[method-assign]
        await _poll_whole(work, what)
        found = await work.read(lambda c: _owed(c, what.name))
        assert found == PAGES * COUNT, found
    third = len(seen) // 3
    return statistics.mean(seen[-third:]) / statistics.mean(seen[:third])


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


if __name__ == "__main__":
    print(asyncio.run((_memory if sys.argv[1] == "--memory" else _growth)(sys.argv[2])))
