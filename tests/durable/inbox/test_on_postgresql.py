"""The hub's stores and its intake on both databases: the same code, the same promises."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from connector.durable.inbox.ingest import Intake
from connector.store import Database, open_database
from connector.store.runs import payment_records
from connector.store.triggers import deliveries, events, hooks, subscriptions
from connector.store.triggers.events import IncomingEvent
from connector.store.triggers.hooks import Hook
from tests.store.postgres import postgres_server, postgres_url

__all__ = ["postgres_server", "postgres_url"]
NOW = datetime(2026, 11, 15, 10, 0, tzinfo=UTC)


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    where = str(tmp_path) if request.param == "sqlite" else request.getfixturevalue("postgres_url")
    database = open_database(where)
    yield database
    database.close()


async def test_events_are_kept_counted_and_passed_on(database):
    token = secrets.token_urlsafe(32)
    hook = Hook(hooks.digest(token), "c1", "sealed", "https://former.example/in", True, "active", None, None, None)
    database.write(lambda connection: hooks.save(connection, hook)).result()
    intake = Intake(database)
    body = json.dumps({"event": "refresh_complete", "data": {"text": "ä\u0000 100 % %s"}}).encode()
    assert [await intake.receive(token, body, "application/json", "203.0.113.1") for _ in range(3)] == [200] * 3
    (event,) = database.read(lambda connection: events.listed(connection, "c1"))
    assert (event.repeats, event.state, event.body.encode()) == (2, "new", body)
    assert event.arrived_at.tzinfo is not None
    assert database.read(lambda connection: events.counts(connection, "c1")) == {"new": 1, "repeated": 1}
    later = event.arrived_at + timedelta(seconds=1)
    assert database.read(lambda connection: events.due(connection, later, 10)) == [event]
    assert database.read(lambda connection: deliveries.next_waiting(connection, hook.queue_id)).body.encode() == body


def test_an_event_that_comes_again_with_others_is_kept_once_and_in_order(database):
    together = [IncomingEvent("c1", f"id of {name}", name, "{}") for name in ("b", "a", "b", "c", "b")]
    database.write(lambda connection: events.insert(connection, together, NOW)).result()
    stored = database.read(lambda connection: events.listed(connection, "c1"))[::-1]
    assert [(event.event, event.repeats) for event in stored] == [("b", 2), ("a", 0), ("c", 0)]


def test_the_oldest_waiting_delivery_of_each_active_subscription_is_due(database):
    def prepare(connection):
        ids = [
            subscriptions.create_once(
                connection,
                digest=None,
                credential_id="c1",
                trigger="payment_settled",
                inputs={},
                target_url="https://hooks.example.com/in",
                sealed_secret="sealed",
                now=NOW,
            ).id
            for _ in range(3)
        ]
        for id in ids:
            assert deliveries.enqueue(connection, id, "1", "{}", NOW)
            assert deliveries.enqueue(connection, id, "2", "{}", NOW)
            assert not deliveries.enqueue(connection, id, "1", "{}", NOW)
        subscriptions.end(connection, ids[2], "deleted", NOW)
        return ids

    failing, healthy, _ = database.write(prepare).result()
    head = database.read(lambda connection: deliveries.next_waiting(connection, failing))
    assert head.item_id == "1"
    later = NOW + timedelta(minutes=5)
    database.write(lambda connection: deliveries.mark_failed(connection, head, 500, "oops", later)).result()
    due = {id: database.read(lambda c, id=id: deliveries.next_due(c, id, NOW)).item_id for id in (failing, healthy)}
    assert due == {failing: "2", healthy: "1"}, "what failed has stepped aside"
    assert database.read(lambda connection: deliveries.next_due(connection, failing, later)).item_id == "1"
    assert database.read(lambda connection: deliveries.next_time(connection, failing)) == NOW


def test_deliveries_of_one_subject_wait_for_each_other(database):
    def prepare(connection):
        for item, subject in (("1", "a"), ("2", "a"), ("3", "b"), ("4", None)):
            deliveries.enqueue(connection, "ordered", item, "{}", NOW, subject)
        first = deliveries.next_due(connection, "ordered", NOW)
        deliveries.mark_failed(connection, first, 500, "", NOW + timedelta(hours=1))
        deliveries.record_queue(connection, "ordered", deliveries.Queue(1, False, NOW + timedelta(minutes=1)))
        return first.item_id

    assert database.write(prepare).result() == "1"
    given, besides = [], []
    while delivery := database.read(lambda c: deliveries.next_due(c, "ordered", NOW, besides)):
        given.append(delivery.item_id)
        besides.append(delivery.id)
    assert given == ["3", "4"]
    assert database.read(lambda c: deliveries.next_time(c, "ordered")) == NOW + timedelta(minutes=1)


def test_a_payments_status_moves_forward_only(database):
    def move(status: str) -> bool:
        return database.write(
            lambda connection: payment_records.advance_status(connection, "c1", "5012", status, NOW)
        ).result()

    assert [move(status) for status in ("processing", "processing", "authorizing", "settled", "failed")] == [
        True,
        False,
        False,
        True,
        False,
    ]
    assert database.read(lambda connection: payment_records.statuses(connection, "c1", ["5012", "1"])) == {
        "5012": "settled"
    }
    assert database.read(lambda connection: payment_records.last_change(connection, "c1")) == NOW
