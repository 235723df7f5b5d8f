"""The lines that are due: one query for each kind, and a line that nobody can serve takes no other's place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import event, insert

from connector.store import Database
from connector.store.schema import subscriptions
from connector.store.triggers import due_work, hooks, overdue
from connector.store.triggers.due_work import DELIVERIES, POLLS
from connector.store.triggers.hooks import Hook
from connector.store.triggers.overdue import DueLine

Write = Callable[[Callable[[Any], Any]], Any]
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
ROW = {"trigger": "new_payment", "inputs": "{}", "target_url": "", "sealed_secret": "", "state": "active"}
HOOK = Hook(hooks.digest("token"), "owner", "", "https://before.example", True, "released", NOW, None, None)


def subscribe(write: Write, id: str, credential_id: str) -> None:
    row = {"id": id, "credential_id": credential_id, "created_at": NOW, **ROW}
    write(lambda c: c.execute(insert(subscriptions).values(row)))


def tell(write: Write, kind: str, key: str, ago: int = 0) -> None:
    write(lambda c: due_work.schedule(c, kind, key, NOW - timedelta(seconds=ago)))


def all_due(database: Database, most: int = 10) -> list[DueLine]:
    return database.read(lambda c: overdue.all_due(c, NOW, most))


def test_a_queue_without_a_subscription_uses_up_nothing(write: Write, database: Database) -> None:
    subscribe(write, "queue", "key")
    tell(write, DELIVERIES, "gone", 20)
    tell(write, DELIVERIES, "hook:gone", 20)
    tell(write, DELIVERIES, "queue")
    assert [(line.credential_id, line.key) for line in all_due(database, 1)] == [("key", "queue")]


def test_a_kind_with_much_to_do_leaves_room_for_the_others(write: Write, database: Database) -> None:
    for number in range(3):
        subscribe(write, f"queue-{number}", "key")
        tell(write, DELIVERIES, f"queue-{number}", 20)
    tell(write, POLLS, "other")
    assert [line.credential_id for line in all_due(database, 2)] == ["other", "key", "key"]


def test_the_queue_of_a_hook_is_its_credentials_while_it_forwards(write: Write, database: Database) -> None:
    write(lambda c: hooks.save(c, HOOK))
    write(lambda c: due_work.forget(c, due_work.WEBHOOK_URLS, "owner"))
    tell(write, DELIVERIES, HOOK.queue_id)
    assert [line.credential_id for line in all_due(database)] == ["owner"]
    write(lambda c: hooks.save(c, replace(HOOK, pass_on=False)))
    write(lambda c: due_work.forget(c, due_work.WEBHOOK_URLS, "owner"))
    assert all_due(database) == []


def test_more_queues_need_no_more_queries(write: Write, database: Database) -> None:
    statements: list[str] = []
    event.listen(database.engine, "before_cursor_execute", lambda _, __, statement, *___: statements.append(statement))

    def queries() -> int:
        statements.clear()
        all_due(database)
        return len([executed for executed in statements if executed.startswith("SELECT")])

    without = queries()
    for number in range(5):
        subscribe(write, f"queue-{number}", "key")
        tell(write, DELIVERIES, f"queue-{number}")
    assert queries() == without


def test_a_line_with_newer_news_is_another_one(write: Write, database: Database) -> None:
    tell(write, POLLS, "key")
    first = all_due(database)
    assert all_due(database) == first
    tell(write, POLLS, "key")
    assert all_due(database) != first
