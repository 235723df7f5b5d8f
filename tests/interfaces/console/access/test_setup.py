"""How far a workspace is set up, and the built-in inbox that makes the first trigger visible."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from connector import Credential
from connector.interfaces.console.home.setup_checklist import Known, next_step, steps
from connector.store import Database, open_database
from connector.store.schema import trial_inbox as table
from connector.store.triggers import subscriptions, trial_inbox
from connector.store.trust import credentials, sealing
from connector.store.trust.vault import Vault

NOW = datetime(2026, 11, 16, 10, 0, tzinfo=UTC)


def subscription(database: Database, vault: Vault, workspace: str, key: str) -> subscriptions.Subscription:
    def create(connection):  # type: ignore[no-untyped-def]
        id = credentials.save(connection, vault, Credential("https://service.example", key), NOW, workspace)
        return subscriptions.create_once(
            connection,
            digest=None,
            credential_id=id,
            trigger="payment_settled",
            inputs={},
            target_url=trial_inbox.ADDRESS,
            sealed_secret="s",
            now=NOW,
        )

    made: subscriptions.Subscription = database.write(create).result()
    return made


def test_the_steps_lead_from_the_key_to_the_platform() -> None:
    nothing = steps(Known(False, [], False, []), sandboxed=False)
    assert [(step.name, step.done) for step in nothing] == [
        ("key", False),
        ("trigger", False),
        ("fired", False),
        ("platform", False),
    ]
    first = next_step(nothing)
    assert first is not None
    assert first.place == "settings/key"
    following = next_step(steps(Known(True, [], False, []), sandboxed=True))
    assert following is not None
    assert following.place == "triggers"
    assert next_step(steps(Known(True, [], True, ["n8n"]), sandboxed=True)) is not None


def test_the_inbox_keeps_the_last_hundred_of_each_workspace_encrypted(tmp_path: Path) -> None:
    database, vault = open_database(str(tmp_path)), Vault(str(tmp_path), env={})
    try:
        mine, other = subscription(database, vault, "a", "key-1"), subscription(database, vault, "b", "key-2")

        def fill(connection) -> None:  # type: ignore[no-untyped-def]
            trial_inbox.add(connection, other, '{"of": "b"}', NOW)
            for number in range(130):
                trial_inbox.add(connection, mine, f'{{"n": {number}}}', NOW + timedelta(seconds=number))

        database.write(fill).result()
        found = database.read(lambda connection: trial_inbox.listed(connection, "a"))
        assert len(found) == trial_inbox.MAX_KEPT
        assert (found[0].body, found[-1].body) == ('{"n": 129}', '{"n": 30}')
        assert [one.body for one in database.read(lambda c: trial_inbox.listed(c, "b"))] == ['{"of": "b"}']
        raw = database.read(lambda connection: connection.execute(table.select()).all())
        assert all(sealing.is_sealed(row.body) for row in raw)
    finally:
        database.close()
