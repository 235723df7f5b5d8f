"""Every write that was sent is matched to its policy and its approval; what is missing is named."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from cryptography.fernet import Fernet
from sqlalchemy import Connection, text

from connector.core.callers import Actor
from connector.core.writes.policy import Policy
from connector.store import Database
from connector.store.runs import runs
from connector.store.runs.runs import NewRun
from connector.store.trust import audit, audit_chain
from connector.store.trust.audit_sendings import Sendings, SendingsCheck, policy_digest, policy_told

HOME = "kunde-a"
NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
ADA, BOB = Actor("n8n", "payer", HOME, "Ada"), Actor("boss", "approver", HOME, "Bob")
STRICT = Policy(approve_above=Decimal(100), most_each=Decimal("5000.00"))
Write = Callable[[Callable[[Connection], Any]], Any]
Told = Callable[..., None]


@pytest.fixture(autouse=True)
def data_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KONTOR_DATA_KEY", Fernet.generate_key().decode())


@pytest.fixture
def tell(write: Write) -> Told:
    later = iter(range(10**6))

    def record(what: str, run: str = "r1", actor: Actor | None = None, wait: float = 0, **details: Any) -> None:
        at = NOW + timedelta(seconds=next(later) + wait)
        write(
            lambda c: audit.record(
                c, workspace=HOME, what=what, subject=run, actor=actor, details=details, now=at, face="http"
            )
        )

    return record


def set_policy(tell: Told, policy: Policy = STRICT) -> None:
    tell("policy.changed", "", BOB, policy=policy_told(policy))


def sent(tell: Told, run: str = "r1", amount: str = "50", policy: Policy = STRICT, **more: Any) -> None:
    facts = {"action": "pay", "amount": amount, "currency": "EUR", "approved": False, "digest": f"2:{run}"}
    told = policy_digest(policy_told(policy))
    tell("run.sent", run, **{**facts, "policy": told, "day": "2026-05-04", "payee": "i", "payee_name": "n", **more})


def approve(tell: Told, run: str = "r1", by: Actor = BOB, digest: str = "", why: str = "amount") -> None:
    tell("run.asked", run, ADA, reasons=[why])
    tell("run.approved", run, by, digest=digest or f"2:{run}", why="")


def checked(database: Database, write: Write) -> Sendings:
    while write(audit_chain.seal):
        pass

    def check(connection: Connection) -> Sendings:
        sendings = SendingsCheck.of(connection, HOME)
        assert audit_chain.verify(connection, HOME, None, sendings.look_at).finding is None
        return sendings.result(connection)

    return database.read(check)


def missing(database: Database, write: Write) -> list[tuple[str, str]]:
    return [(one.run, one.missing) for one in checked(database, write).findings]


def test_what_was_allowed_or_approved_is_matched(database: Database, write: Write, tell: Told) -> None:
    sent(tell, "r0", "99999", Policy(), payee="j", payee_name="m")
    set_policy(tell)
    sent(tell, "r1", "50")
    approve(tell, "r2")
    sent(tell, "r2", "5000", approved=True)
    tell("run.sent", "r3", action="book", approved=False, digest="2:r3")
    assert checked(database, write) == Sendings(4, 0, ())


def test_an_amount_that_needed_approval_and_has_none_is_named(database: Database, write: Write, tell: Told) -> None:
    set_policy(tell)
    sent(tell, "r1", "100.01")
    sent(tell, "r2", "1", currency="USD")
    approve(tell, "r3")
    sent(tell, "r4", "5000", approved=True)
    assert missing(database, write) == [("r1", "approval"), ("r2", "approval"), ("r4", "approval")]


@pytest.mark.parametrize("refused", [False, True])
def test_parts_of_a_sum_that_needed_approval_are_named(
    database: Database, write: Write, tell: Told, refused: bool
) -> None:
    set_policy(tell)
    sent(tell, "r1", "60")
    if refused:
        tell("run.refused", "r1")
    sent(tell, "r2", "60", payee_name="another", wait=1)
    sent(tell, "r3", "60", payee="j", payee_name="m")
    assert missing(database, write) == ([] if refused else [("r2", "approval")])


def test_a_changed_payee_and_an_agent_need_an_approval_too(database: Database, write: Write, tell: Told) -> None:
    policy = Policy(changed_payees="approve", agents=("book",))
    set_policy(tell, policy)
    sent(tell, "r1", "1", policy, changed_payee=True)
    for run, action in (("r2", "pay"), ("r3", "book")):
        tell("run.sent", run, ADA, action=action, approved=False, digest="2", agent=True)
    assert missing(database, write) == [("r1", "approval"), ("r2", "approval")]


def test_the_approval_of_another_request_is_none(database: Database, write: Write, tell: Told) -> None:
    set_policy(tell)
    approve(tell, digest="2:another cent")
    sent(tell, amount="5000", approved=True)
    assert missing(database, write) == [("r1", "digest")]


def test_one_approval_is_for_one_sending(database: Database, write: Write, tell: Told) -> None:
    set_policy(tell)
    approve(tell)
    sent(tell, amount="5000", approved=True)
    sent(tell, amount="5000", approved=True)
    assert missing(database, write) == [("r1", "approval")]


@pytest.mark.parametrize("by", [ADA, Actor("other token", "approver", HOME, " ada ")])
def test_nobody_approves_what_he_asked_for(database: Database, write: Write, tell: Told, by: Actor) -> None:
    set_policy(tell)
    approve(tell, by=by)
    sent(tell, amount="5000", approved=True)
    assert missing(database, write) == [("r1", "person")]


def test_the_person_behind_an_agent_may_confirm_with_another_token(
    database: Database, write: Write, tell: Told
) -> None:
    approve(tell, by=Actor("own", "approver", HOME, "Ada"), why="agent")
    tell("run.sent", action="book", approved=True, digest="2:r1")
    assert missing(database, write) == []


def test_what_had_lapsed_is_not_sent(database: Database, write: Write, tell: Told) -> None:
    set_policy(tell)
    approve(tell)
    tell("run.void")
    sent(tell, amount="5000", approved=True, wait=1000)
    assert missing(database, write) == [("r1", "approval")]


def test_a_policy_that_nobody_has_set_is_named(database: Database, write: Write, tell: Told) -> None:
    set_policy(tell)
    sent(tell, "r1", "50", Policy(approve_above=Decimal(99999)), wait=10)
    sent(tell, "r2", "5000", Policy(), wait=1000)
    assert missing(database, write) == [("r1", "policy"), ("r2", "policy")]


def test_a_policy_counts_from_its_change_whatever_clocks_say(database: Database, write: Write, tell: Told) -> None:
    sent(tell, "r1", "5000", Policy(), wait=5)
    set_policy(tell)
    sent(tell, "r2", "5000", Policy(), wait=5)
    assert missing(database, write) == []


def test_a_released_write_needs_what_the_policy_wants(database: Database, write: Write, tell: Told) -> None:
    set_policy(tell)
    for run, amount in (("r1", "50"), ("r2", "5000")):
        tell("run.released", run, BOB, waits_for="r0", digest=f"2:{run}")
        sent(tell, run, amount, approved=True, payee=run, payee_name=run)
    assert missing(database, write) == [("r2", "approval")]


def test_of_what_older_versions_have_recorded_nobody_can_tell(database: Database, write: Write, tell: Told) -> None:
    tell("policy.changed", "", BOB, changed=["approve_above"])
    tell("run.sent", "r1", action="pay", amount="5000", currency="EUR", approved=False)
    tell("run.approved", "r2", BOB, digest="2:r2")
    sent(tell, "r2", "5000", approved=True)
    sent(tell, "r3", "5000", wait=1000)
    assert checked(database, write) == Sendings(0, 3, ())


def test_a_run_of_which_the_log_says_nothing_is_named(database: Database, write: Write, tell: Told) -> None:
    def insert(id: str, state: Any, at: datetime) -> None:
        run = NewRun(id, HOME, None, "f", "pay", "2:d", b"{}", "owner")
        write(lambda c: runs.insert(c, run, "sending", at))
        write(lambda c: c.execute(text("UPDATE runs SET state = :state WHERE id = :id"), {"state": state, "id": id}))

    insert("before", "done", NOW - timedelta(days=1))
    set_policy(tell)
    sent(tell, "told")
    insert("told", "done", NOW + timedelta(seconds=5))
    insert("untold", "done", NOW + timedelta(seconds=5))
    insert("unknown", "unknown", NOW + timedelta(seconds=5))
    insert("waiting", "awaiting_approval", NOW + timedelta(seconds=5))
    found = checked(database, write)
    assert [(one.run, one.missing) for one in found.findings] == [("unknown", "sent"), ("untold", "sent")]
    assert (found.checked, found.not_known) == (1, 1)


def test_a_policy_is_known_by_its_values_however_they_are_written() -> None:
    one, other = ({**policy_told(STRICT), "most_each": value} for value in ("5000.00", Decimal(5000)))
    assert policy_digest(one) == policy_digest(other)
    assert policy_digest({}) == policy_digest(policy_told(Policy()))
    assert policy_digest({**one, "known_payees": 1}) != policy_digest(one)
