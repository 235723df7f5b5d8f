"""Kinds of work on any number of hosts: idle rounds cost the same with many keys, and nothing told is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, insert

from connector.core.service.credential import Credential
from connector.durable import context, kinds
from connector.durable.kinds import KINDS
from connector.durable.poller import poll_due as polling
from connector.durable.poller.poll_due import PollWork
from connector.durable.upkeep.due_times import OVERDUE, notify_overdue
from connector.store.schema import cursors as cursor_table
from connector.store.schema import due_work as due_table
from connector.store.schema import subscriptions as subscription_table
from connector.store.triggers import cursors, deliveries, due_work, hooks
from connector.store.trust import credentials
from tests.durable.poller.engine_host import EngineHost
from tests.durable.poller.test_engine_loop import running, until
from tests.support.running_sandbox import RunningSandbox


@contextmanager
def statements(host: EngineHost) -> Iterator[list[str]]:
    """Note what is asked and written, but for the question whose answer says which database this is, once per beat."""
    executed: list[str] = []
    engine = host.connector.database.engine

    def note(_: Any, __: Any, statement: str, *___: Any) -> None:
        if "leases.beat" not in statement:
            executed.append(statement)

    event.listen(engine, "before_cursor_execute", note)
    try:
        yield executed
    finally:
        event.remove(engine, "before_cursor_execute", note)


def settle(host: EngineHost, count: int) -> None:
    """Store so many keys, each with a poll trigger and an event subscription, of which nothing is due."""
    later = host.now() + timedelta(hours=1)

    def save(connection: Any) -> None:
        for number in range(count):
            credential = Credential(host.sandbox.url, f"key-{count}-{number}")
            id = credentials.save(connection, host.vault, credential, host.now())
            fingerprint = credential.fingerprint
            row = {"credential": fingerprint, "trigger": "new_payment", "inputs": "{}", "start": "now", "fence": 1}
            connection.execute(insert(cursor_table).values(name=f"{fingerprint}:n", next_at=later, **row))
            subscription = {"trigger": "payment_settled", "inputs": "{}", "target_url": "http://127.0.0.1:9"}
            subscription |= {"sealed_secret": "", "state": "active", "created_at": host.now()}
            connection.execute(insert(subscription_table).values(id=id, credential_id=id, **subscription))
            for kind in (due_work.POLLS, due_work.RECONCILIATIONS, due_work.WEBHOOK_URLS, due_work.EVENTS):
                row = {"kind": kind, "key": id, "at": later, "told": 1, "owner": "", "claims": 1}
                connection.execute(insert(due_table).values(row))

    host.write(save)


async def idle_round(host: EngineHost) -> list[str]:
    works = [kind(host.context) for kind in KINDS]
    for work in works:  # what is done once
        for piece in await work.claim(host.context.owner, work.most):
            await work.do(piece)
    host.clock.advance(seconds=2)
    with statements(host) as queries:
        for work in works:
            assert not await work.claim(host.context.owner, work.most), work.name
    return queries


@pytest.mark.long
async def test_an_idle_round_makes_the_same_few_statements_with_ten_keys_as_with_a_thousand(
    engine_host: EngineHost,
) -> None:
    settle(engine_host, 10)
    few = await idle_round(engine_host)
    settle(engine_host, 990)
    many = await idle_round(engine_host)
    assert few == many
    assert len(many) <= 12
    assert all(query.startswith("SELECT") for query in many), "an idle round writes nothing"


async def test_the_search_for_what_was_never_told_reads_only_what_is_overdue(engine_host: EngineHost) -> None:
    settle(engine_host, 500)
    with statements(engine_host) as queries:
        assert engine_host.write(lambda c: notify_overdue(c, engine_host.now() - OVERDUE, engine_host.now())) == 0
    assert len(queries) == 6
    for query in queries:
        if not query.startswith("SELECT"):
            continue
        plan = engine_host.read(
            lambda c, query=query: c.exec_driver_sql(f"EXPLAIN QUERY PLAN {query}", ("2026",) * query.count("?")).all()
        )
        scans = [row[3] for row in plan if row[3].startswith("SCAN")]
        assert scans == [], (query, scans)


async def test_two_hosts_poll_each_key_once(sandbox: RunningSandbox, tmp_path: Path) -> None:
    first, other = EngineHost(sandbox, str(tmp_path)), EngineHost(sandbox, str(tmp_path))
    await first.subscribe("new_payment")
    works = PollWork(first.context), PollWork(other.context)
    claimed = [await work.claim(work.context.owner, 8) for work in works]
    assert [len(pieces) for pieces in claimed] == [1, 0]
    assert (await works[0].do(claimed[0][0])).done == 1
    for host in (first, other):
        await host.close()


async def test_a_host_that_dies_in_the_middle_leaves_the_work_to_another(
    sandbox: RunningSandbox, tmp_path: Path
) -> None:
    dead, alive = EngineHost(sandbox, str(tmp_path)), EngineHost(sandbox, str(tmp_path))
    subscription = await dead.subscribe("new_payment")
    assert len(await PollWork(dead.context).claim(dead.context.owner, 8)) == 1  # and no more is heard of it
    assert await PollWork(alive.context).claim(alive.context.owner, 8) == ()
    alive.clock.advance(seconds=alive.context.settings.dead_after)
    [piece] = await PollWork(alive.context).claim(alive.context.owner, 8)
    assert (await PollWork(alive.context).do(piece)).done == 1
    assert alive.cursor(subscription).polled_at is not None
    for host in (dead, alive):
        await host.close()


async def test_what_is_told_while_it_is_done_is_done_again(engine_host: EngineHost) -> None:
    await engine_host.subscribe("new_payment")
    work = PollWork(engine_host.context)
    [piece] = await work.claim(engine_host.context.owner, 1)
    engine_host.write(lambda c: due_work.schedule(c, due_work.POLLS, piece.key, engine_host.now()))
    outcome = await work.do(piece)
    assert outcome.next_at is not None
    assert outcome.next_at > engine_host.now(), "nothing is due by itself for two minutes"
    [again] = await work.claim(engine_host.context.owner, 1)
    assert (await work.do(again)).done == 0
    assert not await work.claim(engine_host.context.owner, 1)


async def test_work_that_fails_is_planned_again_and_not_at_once(
    engine_host: EngineHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    await engine_host.subscribe("new_payment")

    async def fail(*_: Any) -> int:
        raise RuntimeError("a bug")

    work = PollWork(engine_host.context)
    [piece] = await work.claim(engine_host.context.owner, 1)
    with monkeypatch.context() as patch:
        patch.setattr(polling, "_poll_credential", fail)
        with pytest.raises(RuntimeError):
            await work.do(piece)
    assert not await work.claim(engine_host.context.owner, 1)
    engine_host.clock.advance(seconds=16)
    [again] = await work.claim(engine_host.context.owner, 1)
    assert (await work.do(again)).done == 1


async def test_what_a_host_of_the_version_before_has_written_is_found(engine_host: EngineHost) -> None:
    subscription = await engine_host.subscribe("new_payment")
    hook = hooks.Hook("d" * 64, engine_host.credential_id, "s", None, False, "active", None, None, None)
    engine_host.write(lambda c: deliveries.enqueue(c, subscription.id, "1", "{}", engine_host.now()))
    engine_host.write(lambda c: hooks.save(c, hook))
    engine_host.write(lambda c: c.execute(due_table.delete()))  # that version knows nothing of this table

    def find() -> int:
        notified: int = engine_host.write(lambda c: notify_overdue(c, engine_host.now() - OVERDUE, engine_host.now()))
        return notified

    assert find() == 1, "a hook that was never checked; the rest is not overdue"
    engine_host.clock.advance(seconds=31)
    assert find() == 2
    assert find() == 0
    kinds_of_keys = [due_work.POLLS, due_work.DELIVERIES, due_work.WEBHOOK_URLS]
    keys = [engine_host.credential_id, subscription.id, engine_host.credential_id]
    for kind, key in zip(kinds_of_keys, keys, strict=True):
        assert engine_host.read(lambda c, kind=kind, key=key: due_work.planned(c, kind, key)) is not None


async def test_no_key_waits_for_a_slow_one(engine_host: EngineHost, monkeypatch: pytest.MonkeyPatch) -> None:
    """With room for two pieces, one of which never ends, all the others are done one after the other."""
    settle(engine_host, 20)
    engine_host.write(lambda c: c.execute(due_table.update().values(at=engine_host.now())))
    slow, done = asyncio.Event(), list[str]()

    class Slow(PollWork):
        most = 2

        async def work(self, key: str) -> int:
            if not done:
                done.append(key)
                await slow.wait()
            done.append(key)
            return 1

        def next_at(self, connection: Any, key: str) -> None:
            return None

    monkeypatch.setattr(kinds, "KINDS", (Slow,))
    async with running(engine_host, tick=60.0) as engine:
        await until(lambda: len(done) == 20)
        await until(lambda: engine.in_progress() == {"polls": 1})  # the last of the others is still being planned
        slow.set()
        await until(lambda: engine.done["polls"] == 20)
    assert sorted(done[1:]) == sorted(set(done))


async def test_sessions_of_idle_keys_are_let_go_and_all_share_one_pool(
    engine_host: EngineHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(context, "MAX_OPEN", 3)
    settle(engine_host, 8)
    ids = [credential.id for credential in engine_host.read(lambda c: credentials.listed(c, None))]
    sessions = [await engine_host.context.session(id) for id in ids]
    assert len(engine_host.context.sessions) == 3
    first = sessions[0]
    assert first.client.closed
    await first.test()  # whoever still had it goes on
    await engine_host.context.session(ids[0])
    used = {id(session.client._join()) for session in sessions[:4]}
    assert len(used) == 1
    for session in sessions:
        await session.aclose()


async def test_a_cursor_whose_key_is_gone_is_not_polled_any_more(engine_host: EngineHost) -> None:
    def orphan(connection: Any) -> None:
        row = {"trigger": "new_payment", "inputs": {}, "start": "now", "next_at": engine_host.now()}
        cursors.get_or_create(connection, "0" * 16 + ":n", credential="0" * 16, **row)

    engine_host.write(orphan)
    engine_host.clock.advance(seconds=31)
    engine_host.write(lambda c: notify_overdue(c, engine_host.now() - OVERDUE, engine_host.now()))
    read: Callable[[Any], Any] = lambda c: cursors.get(c, "0" * 16 + ":n")  # noqa: E731
    assert engine_host.read(read).next_at is None
