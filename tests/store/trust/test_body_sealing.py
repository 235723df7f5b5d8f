"""What flows carry stands in the database only encrypted; what was stored before is still read."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from cryptography.fernet import Fernet
from sqlalchemy import Connection, text

from connector.core.errors import InputError
from connector.core.timing import BeatObserver
from connector.store import Database, open_database
from connector.store.database import leases
from connector.store.triggers import cursors as cursor_store
from connector.store.triggers import deliveries, events, hooks, items, subscriptions
from connector.store.triggers.events import IncomingEvent
from connector.store.trust import sealing
from connector.store.trust.sealing import CACHED, InClear

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
IBAN = "DE89370400440532013000"
BODY = f'{{"iban":"{IBAN}","note":"Müller"}}'
TARGET = "https://flow.example/secret-path"
HOOK = hooks.Hook("d", "c", "", "https://former.example/hooks/secret-token", True, "active", None, None, None)
Write = Callable[[Callable[[Connection], Any]], Any]


@pytest.fixture(autouse=True)
def data_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KONTOR_DATA_KEY", Fernet.generate_key().decode())


def fill(write: Write) -> str:
    """Store an item with its delivery, an event, and a subscription; return the subscription's id."""
    made = write(
        lambda c: subscriptions.create_once(
            c,
            digest=None,
            credential_id="c",
            trigger="t",
            inputs={},
            target_url=TARGET,
            sealed_secret="",
            now=NOW,
            cursor_name="n",
        )
    )
    write(
        lambda c: cursor_store.get_or_create(c, "n", credential="f", trigger="t", inputs={}, start="all", next_at=NOW)
    )
    lease = write(lambda c: leases.acquire(c, "poll:n", "me", BeatObserver(), 0.0))
    assert write(lambda c: items.commit(c, lease, "n", None, "1", [("1", BODY)], NOW))
    write(lambda c: deliveries.enqueue(c, made.id, "2", BODY, NOW))
    write(lambda c: events.insert(c, [IncomingEvent("c", "e", "refresh_complete", BODY)], NOW))
    write(lambda c: hooks.save(c, HOOK))
    return str(made.id)


def everything(database: Database) -> str:
    """All rows of the tables, as text."""
    tables = ("items", "deliveries", "events", "subscriptions", "hooks")
    return str([database.read(lambda c, t=t: c.execute(text(f"SELECT * FROM {t}")).all()) for t in tables])


def check(database: Database, subscription: str) -> None:
    assert database.read(lambda c: items.of_cursor(c, "n")) == [("1", BODY)]
    assert [one.body for one in database.read(lambda c: deliveries.listed(c, None, subscription))] == [BODY, BODY]
    assert [one.body for one in database.read(lambda c: events.due(c, NOW, 10))] == [BODY]
    found = database.read(lambda c: subscriptions.get(c, subscription))
    assert found is not None
    assert found.target_url == TARGET
    assert database.read(lambda c: hooks.of_credential(c, "c")) == HOOK
    assert database.read(hooks.registered) == [HOOK]
    assert database.read(lambda c: hooks.forwarding(c, HOOK.queue_id)) == HOOK
    assert database.read(lambda c: subscriptions.find_equal(c, "c", "t", {}, TARGET)) == found


def test_bodies_and_targets_stand_nowhere_in_the_clear_and_are_read_again(
    location: str, database: Database, write: Write
) -> None:
    subscription = fill(write)
    stored = everything(database)
    for secret in (IBAN, "Müller", "flow.example", "former.example"):
        assert secret not in stored
    check(database, subscription)
    again = open_database(location)
    try:
        check(again, subscription)
    finally:
        again.close()


def test_what_was_stored_in_the_clear_is_still_read(
    database: Database, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before:
        before.setattr(sealing, "_sealer", lambda connection, fresh=False: InClear())
        subscription = fill(write)
    assert IBAN in everything(database)
    check(database, subscription)


def test_with_another_data_key_nothing_is_shown(
    database: Database, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(write)
    monkeypatch.setenv("KONTOR_DATA_KEY", Fernet.generate_key().decode())
    database.engine.update_execution_options(**{CACHED: None})
    with pytest.raises(InputError):
        database.read(lambda c: items.of_cursor(c, "n"))


def test_an_altered_body_is_not_taken_for_a_true_one(database: Database, write: Write) -> None:
    fill(write)
    altered = "substr(body, 1, 30) || 'AAAA' || substr(body, 35)"
    if database.engine.dialect.name == "sqlite":
        altered = f"CAST({altered} AS BLOB)"
    write(lambda c: c.execute(text(f"UPDATE items SET body = {altered}")))
    with pytest.raises(InputError):
        database.read(lambda c: items.of_cursor(c, "n"))


def test_without_the_data_key_nothing_is_stored_in_the_clear(
    database: Database, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a command line that shares a database with hosts, and was not given their key."""
    subscription = fill(write)
    monkeypatch.delenv("KONTOR_DATA_KEY")
    database.engine.update_execution_options(**{CACHED: None})
    event = [IncomingEvent("c", "in-clear", "refresh_complete", BODY)]
    with pytest.raises(InputError, match="KONTOR_DATA_KEY") as refused:
        write(lambda c: deliveries.enqueue(c, subscription, "in-clear", BODY, NOW))
    assert "KONTOR_DATA_KEY" in refused.value.remedy.de
    assert refused.value.reason == "vault_key_missing"
    with pytest.raises(InputError):
        write(lambda c: events.insert(c, event, NOW))
    assert "in-clear" not in everything(database)
    left_out = write(lambda c: sealing.seal_each(c, [BODY, BODY], without_key="{}"))
    assert left_out == ["{}", "{}"]
