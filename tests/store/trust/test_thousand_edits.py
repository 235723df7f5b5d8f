"""A thousand edits of rows that grant rights, by somebody who can write the database and has not the data key.

Changed, inserted, swapped, replayed, deleted: none gives a right that was not given, lets a payment through, or stays
hidden.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, Table, delete, event, insert, select

from connector.core.errors import KontorError
from connector.core.service.credential import Credential
from connector.core.writes.policy import Money, Policy
from connector.store import Database
from connector.store.people import people, policy_changes, sign_ins
from connector.store.runs import approvals, payment_records
from connector.store.runs.approvals import Approval
from connector.store.triggers import subscriptions
from connector.store.trust import credentials, rights_register, tokens, workspaces
from connector.store.trust.granting_rows import KINDS
from connector.store.trust.register_rows import open_sealed_vault
from connector.store.trust.tokens import Token
from connector.store.trust.vault import Vault
from tests.store.old_databases import plain_engine

pytestmark = pytest.mark.long

EDITS = 1_000
DAY = "2026-05-04"
NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
HOMES = ("kunde-a", "kunde-b")
FORGED = "kontor_forged"
DIGEST, STRICT = "2:digest", Policy().changed({"most_each": 100, "approve_above": 50}, ())
LIVE = {kind.table: kind.is_live for kind in KINDS}
GRANTING = {
    kind.table: kind.only or [column.name for column in kind.table.columns if column.name not in kind.left_out]
    for kind in KINDS
}
VALUES: dict[str, tuple[Any, ...]] = {
    "role": ("admin", "approver", "payer"),
    "state": ("approved",),
    "settings": ("{}", '{"approve_above":"99999"}', '{"agents":["pay"]}'),
    "workspace": ("elsewhere", ""),
    "digest": (tokens.digest(FORGED),),
    "reasons": ("equal", "agent"),
    "asked_person": ("Somebody Else",),
    "person": ("Somebody Else",),
    "expires_at": (9e9,),
    "agent": (1,),
    "base_url": ("https://evil.example",),
    "wire": ('{"payment":{"body":{"amount":"x"}}}',),
    "organization": ("other",),
    "made_at": (1.0,),
    "target_url": ("https://evil.example/",),
    "credential_id": ("another",),
    "inputs": ('{"x":1}',),
    "payments": (0,),
}
Rows = list[dict[str, Any]]


class Outside:
    """Edits the database, and puts it back as it was."""

    def __init__(self, engine: Engine) -> None:
        self._engine, self._random = engine, random.Random(32)
        self.earlier: dict[Table, Rows] = {}

    def rows(self, table: Table) -> Rows:
        with self._engine.connect() as connection:
            return [dict(row) for row in connection.execute(select(table).order_by(*table.primary_key)).mappings()]

    def put(self, table: Table, rows: Rows) -> None:
        with self._engine.begin() as connection:
            connection.execute(delete(table))
            if rows:
                connection.execute(insert(table), rows)

    def live(self, table: Table) -> list[Any]:
        with self._engine.connect() as connection:
            columns = GRANTING[table]
            rows = [row for row in connection.execute(select(table)) if LIVE[table](row)]
            return [tuple(row._mapping[name] for name in columns) for row in rows]

    def edited(self, table: Table, how: Callable[[Table, Rows], Rows]) -> bool:
        """Edit a table; False when no row that grants something is another than before."""
        before = self.live(table)
        self.put(table, how(table, self.rows(table)))
        return sorted(map(repr, before)) != sorted(map(repr, self.live(table)))

    def changed(self, table: Table, rows: Rows) -> Rows:
        row = self._random.choice(rows)
        column = self._random.choice([name for name in VALUES if name in row])
        row[column] = self._random.choice(VALUES[column])
        return rows

    def inserted(self, table: Table, rows: Rows) -> Rows:
        made = dict(self._random.choice(rows))
        for column in table.primary_key:
            made[column.name] = f"m-{self._random.randrange(10**6)}"
        if table.name == "tokens":
            made |= {"role": "admin", "workspace": self._random.choice(("", *HOMES)), "digest": tokens.digest(FORGED)}
        if table.name == "people":
            made |= {"role": "admin", "skeleton": made["id"], "invitation": None}
        granting = "open" if table.name == "policy_changes" else "approved"
        return [*rows, made | ({"state": granting} if "state" in made else {})]

    def swapped(self, table: Table, rows: Rows) -> Rows:
        one, other = self._random.sample(rows, 2)
        kept = {column.name for column in table.primary_key} | ({"digest"} if table.name == "tokens" else set())
        for name in set(one) - kept:
            one[name], other[name] = other[name], one[name]
        return rows

    def replayed(self, table: Table, rows: Rows) -> Rows:
        return [dict(row) for row in self.earlier[table]]

    def deleted(self, table: Table, rows: Rows) -> Rows:
        rows.remove(self._random.choice(rows))
        return rows


@pytest.fixture
def outside(location: str) -> Iterator[Outside]:
    engine = plain_engine(location)
    if "://" not in location:
        event.listen(engine, "connect", lambda handle, _: handle.execute("PRAGMA synchronous=OFF"))
    yield Outside(engine)
    engine.dispose()


class Granted:
    """What was really granted, and whether more counts."""

    def __init__(self, database: Database, vault: Vault, outside: Outside) -> None:
        self._database, self._vault = database, vault
        self.tokens: dict[str, tuple[str, str]] = {}
        self.keys: dict[str, str] = {}
        self.targets: dict[str, str] = {}
        self.people: dict[str, str] = {}
        for home in HOMES:
            for role in ("viewer", "payer", "admin"):
                self.tokens[self._token(home, role)] = (home, role)
            self.keys[self._write(lambda c, home=home: self._key(c, home))] = home
            self._write(lambda c, home=home: workspaces.save_policy(c, home, Policy(), NOW))
            for name in ("Ada", "Jan"):
                person = self._write(lambda c, home=home, name=name: self._person(c, home, name))
                self.people[person] = home
            for number in (1, 2, 3):
                self._write(lambda c, run=f"{home}-{number}", home=home: self._ask(c, run, home))
            self.targets[self._write(lambda c, home=home: self._subscription(c, home))] = f"https://{home}.example/"
            self._write(lambda c, h=home: payment_records.record_paid(c, f"paid-{h}", h, DAY, Decimal(70)))
        used = f"{HOMES[0]}-3"
        self._write(lambda c: approvals.decide(c, approvals.find(c, used), "approved", None, None, NOW))
        outside.earlier = {kind.table: outside.rows(kind.table) for kind in KINDS}
        self._write(lambda c: approvals.use(c, used, DIGEST))
        revoked = next(iter(self.tokens))
        self._write(lambda c: tokens.revoke(c, "viewer", HOMES[0], NOW))
        del self.tokens[revoked]
        self._revoked = revoked
        for home in HOMES:
            self._write(lambda c, home=home: workspaces.save_policy(c, home, STRICT, NOW))
            self._write(lambda c, home=home: workspaces.set_organization(c, self._fingerprint(home), f"org-{home}"))
        for id, home in self.keys.items():
            wired = Credential("https://a.example", home, "other label")
            assert id == self._write(lambda c, w=wired, h=home: credentials.save(c, vault, w, NOW, h, chosen=True))

    def _write(self, change: Callable[[Connection], Any]) -> Any:
        return self._database.write(change).result()

    def _token(self, home: str, role: Any) -> str:
        made = tokens.new_token()
        self._write(lambda c: tokens.create(c, Token(role, home, role, "Ada", NOW, None, None, None), made))
        return made

    def _person(self, connection: Connection, home: str, name: str) -> str:
        """Somebody who has signed in, and asked for another policy."""
        people.invite(connection, home, name, "viewer", f"{home} {name}", NOW + timedelta(days=1), "", NOW)
        person = people.accept(connection, f"{home} {name}", "scrypt$1$1$1$AA==$AA==", NOW)
        assert person is not None
        sign_ins.begin(connection, person.id, home, tokens.digest(person.id), NOW)
        policy_changes.ask(connection, home, {"loosen": "approve"}, {"loosen": "alone"}, None, NOW, NOW)
        return person.id

    def _key(self, connection: Connection, home: str) -> str:
        credential = Credential("https://a.example", home)
        return credentials.save(connection, self._vault, credential, NOW, home, chosen=True)

    def _subscription(self, connection: Connection, home: str) -> str:
        values: dict[str, Any] = {"digest": None, "credential_id": home, "trigger": "new_payment", "inputs": {}}
        url = f"https://{home}.example/"
        made = subscriptions.create_once(connection, **values, target_url=url, sealed_secret="-", now=NOW)
        assert made is not None
        return made.id

    def _fingerprint(self, home: str) -> str:
        return Credential("https://a.example", home).fingerprint

    def _ask(self, connection: Connection, run: str, home: str) -> None:
        people = ("n8n", "Ada", NOW, NOW + timedelta(days=1))
        asked = Approval(run, home, DIGEST, "open", ("amount",), *people, None, None, None, None, None, "")
        approvals.ask(connection, asked)

    def check(self) -> None:
        """Fail where more counts than was granted."""
        self._database.read(self._check)
        runs = [f"{home}-{number}" for home in HOMES for number in (1, 2, 3)]
        used = self._database.write(lambda c: [approvals.use(c, run, DIGEST) for run in runs], durable=False)
        assert not any(used.result()), "something would be sent"

    def _check(self, connection: Connection) -> None:
        assert tokens.find(connection, tokens.digest(FORGED)) is None
        revoked = tokens.find(connection, tokens.digest(self._revoked))
        assert revoked is None or not revoked.is_valid(NOW)
        for text, granted in self.tokens.items():
            found = tokens.find(connection, tokens.digest(text))
            assert found is None or (found.workspace, found.role) == granted
        assert approvals.in_state(connection, "approved") == []
        assert sign_ins.find_all(connection, [tokens.digest(FORGED)]) == {}
        for id, home in self.people.items():
            entered = sign_ins.find_all(connection, [tokens.digest(id)]).get(tokens.digest(id))
            assert entered is None or (entered.person_id, entered.workspace, entered.role) == (id, home, "viewer")
        changes = policy_changes.waiting(connection, None, NOW - timedelta(days=1))
        assert all(one.after == {"loosen": "alone"} and one.workspace in HOMES for one in changes)
        for home in HOMES:
            policy = workspaces.find_policy(connection, home)
            assert policy.refusal(Money(Decimal(7777), "EUR", "DE"), True, True) is not None
            assert policy == STRICT or policy.refusal(Money(Decimal(1), "EUR", "DE"), True, True) is not None
            chosen = credentials.chosen(connection, home)
            assert chosen is None or self.keys[chosen.id] == home
            with suppress(KontorError):
                assert payment_records.total_paid(connection, home, DAY, "") == 70
            with suppress(KontorError):
                assert workspaces.of_key(connection, self._fingerprint(home)) == home
        for id, target in self.targets.items():
            if subscriptions.is_as_left(connection, id):
                found = subscriptions.get(connection, id)
                assert found is not None
                assert found.target_url == target
        assert not any(subscriptions.is_as_left(connection, f"made-{number}") for number in range(3))
        for id, home in self.keys.items():
            with suppress(KontorError):
                opened = credentials.open_credential(connection, self._vault, id)
                assert (opened.base_url, opened.api_key) == ("https://a.example", home)
        assert not any(workspaces.exists(connection, row) for row in ("elsewhere", "", "made-1"))

    def shown(self) -> set[str]:
        return {one.kind for one in self._database.read(rights_register.findings)}


def test_a_thousand_edits_grant_nothing_and_are_all_shown(location: str, database: Database, outside: Outside) -> None:
    granted = Granted(database, open_sealed_vault(database, location), outside)
    granted.check()
    assert granted.shown() == set()
    ways = (outside.changed, outside.inserted, outside.swapped, outside.replayed, outside.deleted)
    made = number = 0
    while made < EDITS // 2:  # on each of two databases
        table, way = KINDS[number % len(KINDS)].table, ways[number // len(KINDS) % len(ways)]
        number += 1
        before = outside.rows(table)
        if outside.edited(table, way):
            made += 1
            granted.check()
            assert granted.shown() == {table.name}, (table.name, way.__name__)
        outside.put(table, before)
    granted.check()
    assert granted.shown() == set(), "what was put back counts as before"
