"""What a host costs as API keys and triggers grow: 100, 1,000 and 10,000 keys with ten triggers each.

`idle_milliseconds`   CPU a second of a host with 10,000 keys of which nothing is due, PostgreSQL's own included
`memory_ratio`        memory of a host with 10,000 keys after it has polled many of them, divided by that with 100
`cursor_cost_ratio`   CPU per due cursor among 100,000 that are all due, divided by that among 1,000
`poll_cost_ratio`     CPU of polling due cursors that find nothing new, divided by that of their bare GETs with httpx
`fairness_ratio`      the longest wait of a key for its next turn divided by the median, where all always have work

Databases are filled by bulk insert. Each measurement runs in a process of its own.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
from sqlalchemy import Connection, insert, text, update

from bench import processes
from bench.polling import _resident
from bench.servers import empty_server
from connector.core.service.credential import Credential
from connector.durable.context import JobContext
from connector.durable.loop import Engine
from connector.durable.poller.poll_due import PollWork
from connector.durable.upkeep.due_times import SWEEP_SECONDS, notify_overdue, pull_back
from connector.durable.work import KeyedWork
from connector.runtime.connector import Connector
from connector.store.schema import credentials, cursors, subscriptions
from connector.store.schema import due_work as due_table
from connector.store.triggers import due_work
from connector.store.trust.vault import Vault

MANY, FEW = 10_000, 100
POLLED = 30
"""Keys that are polled where the cost of polling is measured; and where memory is, so many:"""
OPENED = 400
TRIGGERS: tuple[tuple[str, dict[str, str]], ...] = (
    ("new_payment", {}),
    ("payment_status_changed", {}),
    ("new_bank_account", {}),
    ("new_mobility_customer", {}),
    ("new_transaction", {"connection_id": "1"}),
    ("new_transaction", {"connection_id": "2"}),
    ("transaction_changed", {"connection_id": "1"}),
    ("consent_expires_soon", {"connection_id": "1"}),
    ("bank_connection_needs_attention", {"connection_id": "1"}),
    ("credits_low", {"threshold": "10"}),
)
IDLE_SECONDS = 5.0
ROUNDS = 3
KINDS = (due_work.POLLS, due_work.EVENTS, due_work.WEBHOOK_URLS, due_work.RECONCILIATIONS)
FAIR_KEYS, FAIR_SECONDS = 200, 3.0


def idle_milliseconds() -> float:
    """On SQLite."""
    with tempfile.TemporaryDirectory() as data:
        return _measured("idle", data, "http://127.0.0.1:9")


def postgres_idle_milliseconds() -> float:
    """On PostgreSQL."""
    with processes.postgresql() as url:
        return _measured("idle", url, "http://127.0.0.1:9")


def memory_ratio() -> float:
    """Memory is that of the whole process after polling."""
    with empty_server.running() as url:
        used = []
        for keys, polled in ((MANY, OPENED), (FEW, FEW)):
            with tempfile.TemporaryDirectory() as data:
                _measured("fill", data, url, keys)  # what this takes must not count
                used.append(_measured("memory", data, polled))
    return used[0] / used[1]


def cursor_cost_ratio() -> float:
    """Both poll the same number of cursors."""
    with empty_server.running() as url:
        costs = []
        for keys in (MANY, FEW):
            with tempfile.TemporaryDirectory() as data:
                costs.append(_measured("cost", data, url, keys))
    return costs[0] / costs[1]


def poll_cost_ratio() -> float:
    """With 1,000 triggers; `cursor_cost_ratio` says how it grows."""
    with empty_server.running() as url, tempfile.TemporaryDirectory() as data:
        return _measured("against_gets", data, url)


def fairness_ratio() -> float:
    """Pieces take between one and ten milliseconds, and each key is due again at once."""
    with tempfile.TemporaryDirectory() as data:
        return _measured("fairness", data, "http://127.0.0.1:9")


def _measured(what: str, *given: object) -> float:
    command = [sys.executable, "-m", "bench.growth", what, *(str(one) for one in given)]
    return float(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


class Filled:
    """A database with so many keys of ten triggers each, and a host on it."""

    def __init__(self, data: str, url: str, keys: int, due: bool) -> None:
        self.connector = Connector(data)
        self.vault = Vault(None if "://" in data else data)
        self.context = JobContext(self.connector, self.connector.database, self.vault, "bench")
        self.ids = [f"credential-{number:06}" for number in range(keys)]
        self.fingerprints = [Credential(url, f"bench-{number}").fingerprint for number in range(keys)]
        if keys:
            self.connector.database.write(lambda connection: self._fill(connection, url, due)).result()
            self._tidy()
        gc.collect()

    def _tidy(self) -> None:
        """Let PostgreSQL do now what it does within a minute of such a change, which is no work of an idle host."""
        database = self.connector.database
        if database.is_local:
            return
        at_work = text("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'autovacuum worker'")
        with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(text("VACUUM ANALYZE"))
            while connection.execute(at_work).scalar_one():
                time.sleep(0.2)

    def _fill(self, connection: Connection, url: str, due: bool) -> None:
        now = self.context.now()
        kept: list[dict[str, Any]] = []
        rows: dict[Any, list[dict[str, Any]]] = defaultdict(list)
        for number, id in enumerate(self.ids):
            at = now - timedelta(seconds=60) if due else now + timedelta(seconds=90 + number % 20)
            fingerprint = self.fingerprints[number]
            kept.append({"id": id, "fingerprint": fingerprint, "sealed_key": self.vault.seal(f"bench-{number}")})
            for place, (trigger, inputs) in enumerate(TRIGGERS):
                name, told = f"{fingerprint}:{trigger}-{place}", json.dumps(inputs)
                common = {"trigger": trigger, "inputs": told}
                rows[cursors].append(
                    {"name": name, "credential": fingerprint, "start": "now", "fence": 0, "next_at": at, **common}
                )
                rows[subscriptions].append(
                    {"id": f"{number:06}-{place}", "credential_id": id, "cursor_name": name, **common}
                )
            for kind in KINDS:
                planned = at if kind == due_work.POLLS else None if kind == due_work.EVENTS else _later(now, number)
                rows[due_table].append({"kind": kind, "key": id, "at": planned})
        given = {"base_url": url, "quelle": "Bench", "wire": "{}", "created_at": now, "workspace": "default"}
        connection.execute(insert(credentials), [{**one, **given} for one in kept])
        connection.execute(insert(cursors), rows[cursors])
        given = {"target_url": "http://127.0.0.1:9", "sealed_secret": "", "state": "active", "created_at": now}
        connection.execute(insert(subscriptions), [{**one, **given} for one in rows[subscriptions]])
        connection.execute(insert(due_table), [{**one, "told": 1, "owner": "", "claims": 0} for one in rows[due_table]])

    async def poll(self, keys: int) -> int:
        """Poll so many keys, as the engine does; return how many cursors."""
        work, polled = PollWork(self.context), 0
        while keys > 0:
            pieces = await work.claim("bench", min(work.most, keys))
            polled += sum(one.done for one in await asyncio.gather(*(work.do(piece) for piece in pieces)))
            keys -= len(pieces) or keys
        return polled

    async def make_due_again(self, keys: int) -> None:
        """Make the first keys those that are overdue for longest."""
        ids, prints = self.ids[:keys], self.fingerprints[:keys]
        long_ago = self.context.now() - timedelta(seconds=600)

        def change(connection: Connection) -> None:
            connection.execute(update(cursors).where(cursors.c.credential.in_(prints)).values(next_at=long_ago))
            mine = (due_table.c.kind == due_work.POLLS) & due_table.c.key.in_(ids)
            connection.execute(update(due_table).where(mine).values(at=long_ago))

        await self.context.write(change)

    async def close(self) -> None:
        await self.context.aclose()
        self.connector.close()


def _later(now: datetime, number: int) -> datetime:
    return now + timedelta(seconds=300 + number % 300)


async def idle(data: str, url: str) -> float:
    filled = Filled(data, url, MANY, due=False)
    engine = Engine(filled.connector, filled.connector.database, filled.vault)
    running = asyncio.create_task(engine.run())
    await asyncio.sleep(2.0)  # with the first search for what was never told
    server = _postgres_server(filled)
    before, began = time.process_time() + _cpu_of(server), time.monotonic()
    await asyncio.sleep(IDLE_SECONDS)
    each_second = (time.process_time() + _cpu_of(server) - before) / (time.monotonic() - began)
    before, now = time.process_time() + _cpu_of(server), filled.context.now()
    await filled.context.write(lambda c: pull_back(c, filled.connector, now) + notify_overdue(c, now, now))
    sweep = time.process_time() + _cpu_of(server) - before
    await engine.stop()
    await running
    await filled.close()
    return 1000 * (each_second + sweep / SWEEP_SECONDS)


def _postgres_server(filled: Filled) -> int | None:
    """Return the first process of the PostgreSQL server: what it and its others spend for us is spent."""
    if filled.connector.database.is_local:
        return None
    backend = filled.connector.database.read(lambda c: c.execute(text("SELECT pg_backend_pid()")).scalar_one())
    return _stat(backend)[1]


def _cpu_of(server: int | None) -> float:
    """Return the CPU seconds of the server with its processes, those that have ended included."""
    if server is None:
        return 0.0
    spent = sum(_stat(server)[11:15])
    for path in Path("/proc").iterdir():
        with contextlib.suppress(OSError):  # ended meanwhile
            if path.name.isdigit() and (one := _stat(int(path.name)))[1] == server:
                spent += sum(one[11:13])
    return spent / os.sysconf("SC_CLK_TCK")


def _stat(pid: int) -> list[int]:
    """Return the fields behind the name of a process: its state as 0, then numbers."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return [0, *(int(one) for one in fields[1:15])]


async def fill(data: str, url: str, keys: str) -> float:
    await Filled(data, url, int(keys), due=True).close()
    return 0.0


async def memory(data: str, polled: str) -> float:
    host = Filled(data, "", 0, due=True)
    await host.poll(int(polled))
    gc.collect()
    used = float(_resident())
    await host.close()
    return used


async def cost(data: str, url: str, keys: str) -> float:
    return (await _cost(data, url, int(keys)))[0]


async def _cost(data: str, url: str, keys: int) -> tuple[float, float]:
    """Return the CPU seconds of polling some keys, and how many requests that made."""
    filled = Filled(data, url, keys, due=True)
    await filled.poll(POLLED)  # the first poll finds out where each begins
    made, values = empty_server.requests_made(url), []
    for _ in range(ROUNDS):
        await filled.make_due_again(POLLED)
        gc.collect()
        before = time.process_time()
        polled = await filled.poll(POLLED)
        values.append(time.process_time() - before)
        assert polled == POLLED * len(TRIGGERS), polled
    await filled.close()
    return statistics.median(values), (empty_server.requests_made(url) - made) / ROUNDS


async def against_gets(data: str, url: str) -> float:
    ours, made = await _cost(data, url, FEW)
    async with httpx.AsyncClient(base_url=url, trust_env=False) as client:
        headers, path = {"x-api-key": "bench-0"}, "/v2/banking/payments?sort=id"

        async def get_many(count: int) -> None:
            for _ in range(count):
                (await client.get(path, headers=headers)).json()

        await get_many(50)
        before = time.process_time()
        await asyncio.gather(*(get_many(50) for _ in range(16)))
        bare = (time.process_time() - before) / 800
    return ours / (made * bare)


async def fairness(data: str, url: str) -> float:
    filled = Filled(data, url, FAIR_KEYS, due=True)
    turns: dict[str, list[float]] = defaultdict(list)
    dice = random.Random(1)

    class Always(KeyedWork):
        name = due_work.POLLS
        most = 32

        async def work(self, key: str) -> int:
            turns[key].append(time.monotonic())
            await asyncio.sleep(dice.uniform(0.001, 0.010))
            return 1

        def next_at(self, connection: Connection, key: str) -> datetime:
            return self.context.now()

    from connector.durable import kinds

    kinds.KINDS = (Always,)
    engine = Engine(filled.connector, filled.connector.database, filled.vault)
    running = asyncio.create_task(engine.run())
    await asyncio.sleep(FAIR_SECONDS)
    await engine.stop()
    await running
    await filled.close()
    assert len(turns) == FAIR_KEYS
    assert min(len(one) for one in turns.values()) >= 3
    waits = [after - before for one in turns.values() for before, after in pairwise(one[1:])]
    return max(waits) / statistics.median(waits)


if __name__ == "__main__":
    print(asyncio.run(globals()[sys.argv[1]](*sys.argv[2:])))
