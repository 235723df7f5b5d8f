"""What was changed from outside is shown since when it is known, and cleared so that nothing more is granted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, delete, insert, select, update

from connector.core.callers import CallSource
from connector.core.service.credential import Credential
from connector.core.writes.payees import Payee
from connector.core.writes.policy import Money, PaidBefore, Policy
from connector.store import Database
from connector.store.runs import approvals, payees, payment_records, runs, unverified
from connector.store.runs.approvals import Approval
from connector.store.runs.payment_records import DayUnverified
from connector.store.runs.runs import NewRun
from connector.store.schema import approvals as approval_table
from connector.store.schema import credentials as credential_table
from connector.store.schema import payment_days, payments_made, policies, rights_register, workspace_keys
from connector.store.schema import runs as run_table
from connector.store.schema import subscriptions as subscription_table
from connector.store.schema import tokens as token_table
from connector.store.schema import workspaces as workspace_table
from connector.store.triggers import subscriptions
from connector.store.trust import audit, audit_chain, credentials, tokens, workspaces
from connector.store.trust.register_rows import open_sealed_vault
from connector.store.trust.tokens import Token
from tests.store.old_databases import plain_engine

HOME, DAY, TEXT = "kunde-a", "2026-05-04", "kontor_token"
NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
KEY = Credential("https://a.example", "key")
ADA, BOB = Payee("Ada", "DE1"), Payee("Bob", "DE2")
EUROS = Money(Decimal(1), "EUR", "DE")
Write = Callable[[Callable[[Connection], Any]], Any]


@pytest.fixture
def outside(location: str) -> Iterator[Engine]:
    engine = plain_engine(location)
    yield engine
    engine.dispose()


@pytest.fixture
def granted(location: str, database: Database, write: Write) -> dict[str, str]:
    """One row of each kind."""
    vault = open_sealed_vault(database, location)

    def grant(connection: Connection) -> dict[str, str]:
        workspaces.create(connection, HOME, NOW)
        tokens.create(connection, Token("n8n", HOME, "payer", "Ada", NOW, None, None, None), TEXT)
        workspaces.save_policy(connection, HOME, Policy(approve_above=Decimal(50)), NOW)
        credential = credentials.save(connection, vault, KEY, NOW, HOME, chosen=True)
        run = NewRun("r1", HOME, None, KEY.fingerprint, "pay", "2:d", b'{"amount":1}', "owner")
        runs.insert(connection, run, "awaiting_approval", NOW)
        people = ("n8n", "Ada", NOW, NOW + timedelta(days=1), None, None, None, None, None, "")
        approvals.ask(connection, Approval("r1", HOME, "2:d", "open", ("amount",), *people))
        target: dict[str, Any] = {"digest": None, "trigger": "new_payment", "inputs": {}, "sealed_secret": "-"}
        url = "https://a.example/hook"
        made = subscriptions.create_once(connection, **target, credential_id=credential, target_url=url, now=NOW)
        assert made is not None
        pay(connection, "p1", 70, ADA)
        pay(connection, "p2", 5, BOB)
        return {"credential": credential, "subscription": made.id}

    return dict(write(grant))


def pay(connection: Connection, run: str, euros: int, payee: Payee, day: str = DAY) -> None:
    digests = payees.digests_of(connection, HOME, payee)
    payment_records.record_paid(connection, run, HOME, day, Decimal(euros), digests)


def harm(engine: Engine, *statements: Any) -> None:
    with engine.begin() as connection:
        for statement in statements:
            connection.execute(statement)


def shown(database: Database) -> set[tuple[str, str]]:
    return {(one.reason, one.kind) for one in database.read(unverified.all_findings)}


def clear_all(database: Database, write: Write) -> list[str]:
    became = []
    for _ in range(9):
        for one in database.read(unverified.all_findings)[:1]:
            became.append(write(lambda c, one=one: unverified.clear(c, one, CallSource("cli"), NOW)))
    assert shown(database) == set(), "it warns for ever"
    return became


HARMS: dict[str, tuple[Any, set[str]]] = {
    "token altered": (update(token_table).values(role="admin"), {"revoked"}),
    "token deleted": (delete(token_table), {"deleted"}),
    "policy altered": (update(policies).values(settings="{}"), {"closed"}),
    "policy deleted": (delete(policies), {"closed"}),
    "approval altered": (update(approval_table).values(state="approved"), {"expired"}),
    "approval deleted": (delete(approval_table), {"expired"}),
    "run altered": (update(run_table).values(inputs="~1+~AAAA"), {"expired"}),
    "workspace altered": (update(workspace_table).values(made_at=1.0), {"restored"}),
    "workspace deleted": (delete(workspace_table), {"restored"}),
    "key moved": (update(workspace_keys).values(workspace="elsewhere"), {"restored"}),
    "key deleted": (delete(workspace_keys), {"restored"}),
    "credential altered": (update(credential_table).values(base_url="https://evil.example"), {"revoked"}),
    "credential deleted": (delete(credential_table), {"deleted"}),
    "target altered": (update(subscription_table).values(target_url="https://evil.example"), {"ended"}),
    "target deleted": (delete(subscription_table), {"deleted"}),
    "payment deleted": (delete(payments_made).where(payments_made.c.run == "p1"), {"counted"}),
    "day deleted": (delete(payment_days), {"counted"}),
    "register emptied": (delete(rights_register), {"begun", "closed", "deleted", "expired", "ended", "counted"}),
}


@pytest.mark.parametrize("name", HARMS)
def test_whatever_was_changed_is_shown_and_cleared_and_grants_nothing_more(
    database: Database, write: Write, outside: Engine, granted: dict[str, str], name: str
) -> None:
    assert shown(database) == set()
    statement, expected = HARMS[name]
    harm(outside, statement)
    assert shown(database) != set()
    assert set(clear_all(database, write)) <= expected
    found = database.read(lambda c: tokens.find(c, tokens.digest(TEXT)))
    assert found is None or not found.is_valid(NOW) or found.role == "payer"
    policy = database.read(lambda c: workspaces.find_policy(c, HOME))
    assert policy.approve_above in {Decimal(0), Decimal(50)}
    assert not write(lambda c: approvals.use(c, "r1", "2:d"))
    assert database.read(lambda c: workspaces.of_key(c, KEY.fingerprint)) in {None, HOME}
    found_target = database.read(lambda c: subscriptions.get(c, granted["subscription"]))
    assert found_target is None or found_target.state == "ended" or found_target.target_url == "https://a.example/hook"
    cleared = [one for one in entries(database, write) if one.what == "rights.cleared"]
    assert cleared
    assert database.read(lambda c: audit_chain.verify(c, HOME)).finding is None


def entries(database: Database, write: Write) -> list[audit.Entry]:
    while write(audit_chain.seal):
        pass
    return database.read(lambda c: audit.listed(c, None))


@pytest.mark.parametrize("kind", [token_table, approval_table, workspace_table, credential_table, payment_days])
def test_a_row_that_was_inserted_is_deleted(
    database: Database, write: Write, outside: Engine, granted: dict[str, str], kind: Any
) -> None:
    with outside.connect() as connection:
        row = dict(connection.execute(select(kind)).mappings().first() or {})
    row |= {kind.primary_key.columns.values()[-1].name: "2026-05-05" if kind is payment_days else "mine"}
    harm(outside, insert(kind).values(row | ({"digest": "d"} if kind is token_table else {})))
    assert shown(database) == {("inserted", kind.name)}
    clear_all(database, write)
    with outside.connect() as connection:
        left = [one for one in connection.execute(select(kind)) if "mine" in one]
    assert [getattr(one, "state", "expired") for one in left] in ([], ["expired"])


def test_it_is_told_since_when_that_is_known(
    database: Database, write: Write, outside: Engine, granted: dict[str, str]
) -> None:
    harm(outside, update(token_table).values(role="admin"))
    for later in (0, 5):
        at = NOW + timedelta(hours=later)
        write(lambda c, at=at: unverified.note(c, unverified.all_findings(c), at))
    assert database.read(unverified.noticed) == {"tokens/kunde-a/n8n": NOW}
    harm(outside, update(token_table).values(role="payer"))
    write(lambda c: unverified.note(c, unverified.all_findings(c), NOW))
    assert database.read(unverified.noticed) == {}


def paid(database: Database, payee: Payee = ADA) -> tuple[Decimal, Decimal]:
    return database.read(
        lambda c: (
            payment_records.total_paid(c, HOME, DAY, ""),
            payment_records.paid_to(c, HOME, DAY, "", payee).unapproved,
        )
    )


def test_what_certainly_did_not_happen_is_not_counted_and_counts_when_it_did_after_all(
    database: Database, write: Write, granted: dict[str, str]
) -> None:
    assert paid(database) == (75, 70)
    write(lambda c: payment_records.count_again(c, "p1", made=False))
    assert paid(database) == (5, 0)
    write(lambda c: payment_records.count_again(c, "p1", made=True))
    write(lambda c: pay(c, "p1", 71, ADA))
    assert paid(database) == (76, 71)
    assert shown(database) == set()


@pytest.mark.parametrize(
    "statement",
    [
        delete(payments_made).where(payments_made.c.run == "p1"),
        update(payments_made).values(day="2026-05-03"),
        update(payments_made).values(cents=1),
        update(payments_made).values(payee="another", payee_name="another"),
        update(payments_made).values(approved=True),
        update(payments_made).values(made=False),
        update(payments_made).values(made=None),
        update(payments_made).values(workspace="elsewhere"),
    ],
    ids=lambda one: str(one)[:40],
)
def test_the_limits_of_a_day_count_as_exhausted_once_its_payments_were_changed(
    database: Database, write: Write, outside: Engine, granted: dict[str, str], statement: Any
) -> None:
    with outside.connect() as connection:
        sealed = dict(connection.execute(select(payment_days)).mappings().one())
    write(lambda c: pay(c, "p3", 10, BOB))
    harm(outside, statement)
    with pytest.raises(DayUnverified):
        paid(database)
    harm(outside, update(payment_days).values(sealed))
    with pytest.raises(DayUnverified):
        paid(database)
    write(lambda c: pay(c, "p4", 10, BOB))
    with pytest.raises(DayUnverified):
        paid(database)
    assert {kind for _, kind in shown(database)} == {"payment_days"}
    assert database.read(lambda c: payment_records.total_paid(c, HOME, "2026-05-05", "")) == 0, "the next day is new"


def test_only_where_there_are_limits_nothing_is_paid_then() -> None:
    altered = PaidBefore(is_altered=True)
    for limit in ("most_per_day", "most_per_payee", "approve_above"):
        refusal = Policy(**{limit: Decimal(10**6)}).refusal(EUROS, True, True, altered)  # type: ignore[arg-type]
        assert refusal is not None
        assert refusal.reason == "payments_unverified"
    assert Policy(most_each=Decimal(10)).refusal(EUROS, True, True, altered) is None


def test_days_of_long_ago_need_no_entry_any_more(database: Database, write: Write, granted: dict[str, str]) -> None:
    for day in ("2026-05-10", "2026-05-20"):
        write(lambda c, day=day: pay(c, f"p{day}", 1, ADA, day))
    with database.engine.connect() as connection:
        assert connection.execute(select(payment_days.c.day)).scalars().all() == ["2026-05-20"]
    assert shown(database) == set()


def test_what_an_earlier_version_has_counted_still_counts(
    database: Database, write: Write, outside: Engine, granted: dict[str, str]
) -> None:
    row = {"run": "r1", "workspace": HOME, "day": DAY, "cents": 100}
    harm(outside, insert(payments_made).values(row), update(run_table).values(state="done"))
    assert paid(database)[0] == 76
