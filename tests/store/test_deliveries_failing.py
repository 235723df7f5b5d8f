"""Deliveries that are held up by failures are found for one workspace at a time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import Connection

from connector import Credential
from connector.store import open_database
from connector.store.triggers import deliveries, subscriptions
from connector.store.trust import credentials
from connector.store.trust.vault import Vault

NOW = datetime(2026, 11, 16, 10, 0, tzinfo=UTC)


def test_a_subscription_is_failing_by_its_own_deliveries(tmp_path: Path) -> None:
    database, vault = open_database(str(tmp_path)), Vault(str(tmp_path), env={})

    def queue(connection: Connection, workspace: str, *, fails: bool) -> str:
        id = credentials.save(connection, vault, Credential("https://s.example", f"key-{workspace}"), NOW, workspace)
        subscription = subscriptions.create_once(
            connection,
            digest=None,
            credential_id=id,
            trigger="payment_settled",
            inputs={},
            target_url="https://t.example/",
            sealed_secret="s",
            now=NOW,
        )
        assert subscription is not None
        for item in ("1", "2"):
            deliveries.enqueue(connection, subscription.id, item, "{}", NOW)
        head = deliveries.next_waiting(connection, subscription.id)
        assert head is not None
        if fails:
            deliveries.mark_failed(connection, head, 500, "", NOW + timedelta(minutes=1))
        return subscription.id

    try:
        mine, theirs = (database.write(lambda c, home=home: queue(c, home, fails=True)).result() for home in ("a", "b"))
        database.write(lambda connection: queue(connection, "a", fails=False)).result()
        for workspace, own in (("a", mine), ("b", theirs)):
            assert database.read(lambda c, home=workspace: deliveries.failing_queues(c, home)) == {own}
        assert database.read(lambda connection: deliveries.failing_queues(connection, "c")) == set()
    finally:
        database.close()
