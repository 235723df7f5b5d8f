"""Why work has both claims and leases: each promise holds, and does not where one of the two is taken away."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from functools import partial

import pytest
from sqlalchemy import Connection, select, update

from connector.core.service.credential import Credential
from connector.core.timing import BeatObserver
from connector.durable.poller.poll_due import PollWork
from connector.durable.work import run_due
from connector.store.schema import due_work as rows
from connector.store.triggers import due_work
from connector.store.triggers.due_work import Claim
from connector.store.trust import credentials
from tests.durable.poller.engine_host import BANK, TRANSACTIONS, EngineHost
from tests.durable.poller.test_engine_loop import until

KEYS = 12


@pytest.mark.parametrize(("leases", "paid"), [("held", 1), ("taken from whoever holds them", 2)])
async def test_a_poll_whose_claim_has_ended_is_paid_once(
    make_host: Callable[..., EngineHost], monkeypatch: pytest.MonkeyPatch, leases: str, paid: int
) -> None:
    slow, other = make_host(), make_host()
    subscription = await slow.subscribe("new_transaction", start="all", connection_id=BANK)
    slow.sandbox.order("/faults", kind="slow", seconds=2, times=1, match={"path": TRANSACTIONS})
    working = asyncio.create_task(slow.poll())
    await until(lambda: any(entry["path"] == TRANSACTIONS for entry in slow.sandbox.requests()))
    slow.clock.advance(seconds=slow.context.settings.dead_after / 2 + 1)  # type: ignore[attr-defined]  # a frozen host
    if leases != "held":
        monkeypatch.setattr(BeatObserver, "is_dead", lambda *_: True)
    assert [claim.key for claim in other.write(lambda c: _claimable(c, other.now()))] == [other.credential_id]
    await other.poll()
    await working
    assert len(slow.paid()) == paid
    assert len(slow.found(subscription)) == len(set(slow.found(subscription)))


@pytest.mark.parametrize(("claims", "times"), [("made", 1), ("left out", 2)])
async def test_two_hosts_never_work_at_the_same_key(
    make_host: Callable[..., EngineHost], monkeypatch: pytest.MonkeyPatch, claims: str, times: int
) -> None:
    worked: Counter[str] = Counter()

    class CountedWork(PollWork):
        async def work(self, key: str) -> int:
            worked[key] += 1
            await asyncio.sleep(0.2)
            return await super().work(key)

    hosts = make_host(), make_host()
    keys = [hosts[0].write(partial(_new_key, host=hosts[0], number=number)) for number in range(KEYS)]
    hosts[0].write(lambda connection: due_work.schedule_each(connection, due_work.POLLS, keys, hosts[0].now()))
    if claims != "made":
        monkeypatch.setattr(due_work, "claim", lambda c, kind, owner, most, now, until, key=None: _claimable(c, now))
        monkeypatch.setattr(due_work, "finish", _plan)
    await asyncio.gather(*(run_due(CountedWork(host.context)) for host in hosts))
    assert {min(worked[key], times) for key in keys} == {times}
    assert claims != "made" or set(worked.values()) == {1}


def _new_key(connection: Connection, host: EngineHost, number: int) -> str:
    return credentials.save(connection, host.vault, Credential(host.sandbox.url, f"key-{number}"), host.now())


def _claimable(connection: Connection, now: datetime) -> list[Claim]:
    """What is due, for whoever asks."""
    due = select(rows.c.key, rows.c.told, rows.c.claims).where(rows.c.kind == due_work.POLLS, rows.c.at <= now)
    return [Claim(due_work.POLLS, row.key, due_work.FREE, row.told, row.claims) for row in connection.execute(due)]


def _plan(connection: Connection, done: Claim, next_at: datetime | None, now: datetime) -> bool:
    """Plan the next time, whoever works at the key."""
    mine = (rows.c.kind == done.kind, rows.c.key == done.key)
    return connection.execute(update(rows).where(*mine).values(at=next_at)).rowcount == 1
