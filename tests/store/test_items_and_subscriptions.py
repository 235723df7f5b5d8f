from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from connector.core.timing import BeatObserver
from connector.store import Database
from connector.store.database import leases
from connector.store.database.leases import Lease
from connector.store.triggers import cursors, deliveries, items, subscriptions

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
NAME = "f" * 16 + ":mine"
Write = Callable[[Callable[[Any], Any]], Any]


@pytest.fixture
def lease(write: Write) -> Lease:
    write(
        lambda c: cursors.get_or_create(
            c, NAME, credential="f" * 16, trigger="new_payment", inputs={}, start="all", next_at=NOW
        )
    )
    lease: Lease = write(lambda c: leases.acquire(c, f"poll:{NAME}", "me", BeatObserver(), 0.0))
    return lease


def listener(write: Write) -> str:
    return str(
        write(
            lambda c: subscriptions.create_once(
                c,
                digest=None,
                credential_id="c",
                trigger="new_payment",
                inputs={"a": 1},
                target_url="https://flow.example",
                sealed_secret="s",
                now=NOW,
                cursor_name=NAME,
            )
        ).id
    )


def owed(database: Database, id: str) -> list[str]:
    return [delivery.item_id for delivery in reversed(database.read(lambda c: deliveries.listed(c, None, id)))]


def test_items_cursor_and_deliveries_are_committed_together(database: Database, write: Write, lease: Lease) -> None:
    id = listener(write)
    new_items = [("1", '{"_id":"1"}'), ("2", '{"_id":"2"}')]
    assert write(lambda c: items.commit(c, lease, NAME, None, "2", new_items, NOW))
    assert list(database.read(lambda c: items.of_cursor(c, NAME))) == new_items
    assert owed(database, id) == ["1", "2"]
    assert database.read(lambda c: cursors.get(c, NAME)).cursor == "2"


def test_a_repeat_is_neither_kept_nor_owed_again(database: Database, write: Write, lease: Lease) -> None:
    first = listener(write)
    write(lambda c: items.commit(c, lease, NAME, None, "1", [("1", "{}")], NOW))
    second = listener(write)
    write(lambda c: items.commit(c, lease, NAME, "1", "2", [("1", "{}"), ("2", "{}")], NOW))
    assert owed(database, first) == ["1", "2"]
    assert owed(database, second) == ["2"]
    assert [id for id, _ in database.read(lambda c: items.of_cursor(c, NAME))] == ["1", "2"]


def test_nothing_is_kept_without_the_lease(database: Database, write: Write, lease: Lease) -> None:
    write(lambda c: leases.release(c, lease))
    assert not write(lambda c: items.commit(c, lease, NAME, None, "1", [("1", "{}")], NOW))
    assert database.read(lambda c: cursors.get(c, NAME)).cursor is None
    assert database.read(lambda c: items.of_cursor(c, NAME)) == []


def test_a_very_long_id_is_kept_apart_from_its_neighbours(database: Database, write: Write, lease: Lease) -> None:
    long = ["x" * 500 + "1", "x" * 500 + "2"]
    write(lambda c: items.commit(c, lease, NAME, None, "1", [(id, "{}") for id in long], NOW))
    ids = [id for id, _ in database.read(lambda c: items.of_cursor(c, NAME))]
    assert len(set(ids)) == 2
    assert all(len(id) <= items.MAX_ID_CHARACTERS for id in ids)


def test_old_items_are_forgotten_and_young_ones_stay(database: Database, write: Write, lease: Lease) -> None:
    write(lambda c: items.commit(c, lease, NAME, None, "1", [("1", "{}")], NOW))
    assert write(lambda c: items.delete_old(c, NOW)) == 0
    assert write(lambda c: items.delete_old(c, NOW + timedelta(seconds=1))) == 1


def test_a_cursor_rests_when_its_last_subscription_ends(database: Database, write: Write, lease: Lease) -> None:
    first, second = listener(write), listener(write)
    assert write(lambda c: subscriptions.end(c, first, "deleted", NOW))
    assert database.read(lambda c: cursors.get(c, NAME)).next_at == NOW
    assert write(lambda c: subscriptions.end(c, second, "deleted", NOW))
    assert not write(lambda c: subscriptions.end(c, second, "deleted", NOW))
    assert database.read(lambda c: cursors.get(c, NAME)).next_at is None
    assert database.read(lambda c: subscriptions.get(c, second)).why_ended == "deleted"
    assert database.read(lambda c: subscriptions.active(c, "c")) == []


def test_a_nudge_that_came_after_the_poll_began_keeps_the_cursor_due(
    database: Database, write: Write, lease: Lease
) -> None:
    hour = timedelta(hours=1)
    stored = database.read(lambda c: cursors.get(c, NAME))
    write(lambda c: cursors.nudge(c, [NAME], NOW - hour))  # by a host whose clock is an hour behind
    write(lambda c: cursors.finish_poll(c, stored, lease.fence, NOW + hour, NOW, polled_at=NOW))
    nudged = database.read(lambda c: cursors.get(c, NAME))
    assert (nudged.next_at, nudged.nudges, nudged.nudges_polled) == (NOW, 1, 0)
    write(lambda c: cursors.finish_poll(c, nudged, lease.fence, NOW + hour, NOW, polled_at=NOW))
    polled = database.read(lambda c: cursors.get(c, NAME))
    assert (polled.next_at, polled.nudges, polled.nudges_polled) == (NOW + hour, 1, 1)
