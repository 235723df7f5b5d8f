"""Every write is in the audit log: that it was sent, and that it ended refused or unknown."""

from __future__ import annotations

from typing import Any

import pytest

from connector import Connector
from connector.core.callers import Actor, Invoker
from connector.core.errors import KontorError, LikelyRepeat, OutcomeUnknown, RightMissing
from connector.core.writes.policy import Policy
from connector.runtime.session import Session
from connector.runtime.writes import write
from connector.store.trust import audit, audit_chain, workspaces
from tests.support.filled_in import NORDLICHT
from tests.support.running_sandbox import RunningSandbox

BOOKKEEPER = Invoker("http", "10.0.0.7", Actor("n8n", "operator", "default", person="Ada"))
Told = list[tuple[str, str, dict[str, Any]]]


def entry(text: str) -> dict[str, Any]:
    line = {"belegtext": text, "gegenkonto": "8400", "belegNummer": "K-1", "betrag": "119.00"}
    return {
        "ledger_connection": NORDLICHT,
        "kassenname": "Ladenkasse",
        "betrag": "119.00",
        "transaktionsdatum": "2026-11-14T10:00",
        "belegzeilen": [line],
    }


def entries(connector: Connector) -> list[audit.Entry]:
    if connector.database.read(audit_chain.has_unsealed):
        connector.database.write(audit_chain.seal).result()
    return connector.database.read(lambda connection: audit.listed(connection, "default"))


def told(connector: Connector) -> Told:
    return [(one.what, one.subject, one.details) for one in entries(connector)]


@pytest.mark.parametrize("key", [None, "lauf-1"])
def test_a_cash_book_entry_that_was_sent_is_audited_with_actor_face_and_origin(
    connector: Connector, session: Session, key: str | None
) -> None:
    made = session.invoke("create_cash_book_entry", entry("Verkauf"), key=key, invoker=BOOKKEEPER)
    (one,) = entries(connector)
    assert (one.what, one.subject) == ("run.sent", made.run)
    assert (one.actor, one.person, one.face, one.origin) == ("n8n", "Ada", "http", "10.0.0.7")
    assert one.details == {"action": "create_cash_book_entry", "approved": False, "digest": one.details["digest"]}
    verdict = connector.database.read(lambda connection: audit_chain.verify(connection, "default"))
    assert (verdict.entries, verdict.finding) == (1, None)


def test_many_writes_one_after_another_have_one_entry_each(connector: Connector, session: Session) -> None:
    made = [session.invoke("create_cash_book_entry", entry(f"Verkauf {n}")).run for n in range(5)]
    assert [(what, subject) for what, subject, _ in told(connector)] == [("run.sent", run) for run in made]


def test_a_replay_under_the_same_key_is_no_further_entry(connector: Connector, session: Session) -> None:
    for _ in range(2):
        session.invoke("create_cash_book_entry", entry("Verkauf"), key="lauf-1")
    assert [what for what, _, _ in told(connector)] == ["run.sent"]


@pytest.mark.parametrize("key", [None, "lauf-1"])
def test_a_write_that_the_service_refuses_is_audited(
    connector: Connector, session: Session, sandbox: RunningSandbox, key: str | None
) -> None:
    wrong = {**entry("Verkauf"), "ledger_connection": "00000000-0000-4000-8000-000000000000"}
    with pytest.raises(KontorError) as refusal:
        session.invoke("create_cash_book_entry", wrong, key=key)
    assert refusal.value.outcome == "refused"
    (sent, run, _), (refused, same, details) = told(connector)
    assert (sent, refused, run) == ("run.sent", "run.refused", same)
    assert details == {"action": "create_cash_book_entry", "kind": refusal.value.kind, "outcome": "refused"}


@pytest.mark.parametrize("key", [None, "lauf-1"])
def test_a_write_of_unknown_outcome_is_audited(
    connector: Connector, session: Session, sandbox: RunningSandbox, key: str | None
) -> None:
    sandbox.order("/faults", kind="drop_after", match={"method": "POST"})
    with pytest.raises(OutcomeUnknown):
        session.invoke("create_cash_book_entry", entry("Verkauf"), key=key)
    (sent, run, _), (unknown, same, details) = told(connector)
    assert (sent, unknown, run) == ("run.sent", "run.unknown", same)
    assert details["action"] == "create_cash_book_entry"


def test_a_payment_that_is_found_after_its_answer_was_lost_is_audited(
    connector: Connector, session: Session, sandbox: RunningSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write, "FIND_DELAYS", ())
    account = str(session.options("bank_accounts", {"payments_only": True}).options[0].value)
    inputs = {"account_id": account, "creditor_name": "Voss", "creditor_iban": "DE02120300000000202051"}
    inputs |= {"amount": "12.50", "description": "Rechnung"}
    sandbox.order("/faults", kind="drop_after", match={"method": "POST"})
    with pytest.raises(OutcomeUnknown):
        session.invoke("initiate_payment", inputs, key="lauf-1")
    assert session.invoke("initiate_payment", inputs, key="lauf-1").replayed
    assert [what for what, _, _ in told(connector)] == ["run.sent", "run.unknown", "run.done"]
    sent = told(connector)[0][2]
    facts = {"action": "initiate_payment", "amount": "12.50", "currency": "EUR", "approved": False}
    assert sent.items() >= facts.items()
    assert set(sent) - set(facts) == {"digest", "policy", "day", "payee", "payee_name"}, "what it is matched by"
    assert "DE02120300000000202051" not in str(sent)


def test_what_was_held_back_as_a_likely_repeat_was_not_sent_and_is_not_audited_as_sent(
    connector: Connector, session: Session
) -> None:
    session.invoke("create_cash_book_entry", entry("Verkauf"))
    with pytest.raises(LikelyRepeat):
        session.invoke("create_cash_book_entry", entry("Verkauf"))
    assert [what for what, _, _ in told(connector)] == ["run.sent"]


def test_a_free_call_is_audited_with_its_path(connector: Connector, session: Session) -> None:
    inputs = {"method": "POST", "path": "/v2/ledger-duo/kassenbuch-advanced", "body": {}}
    with pytest.raises(KontorError):
        session.invoke("call_api", inputs)
    assert told(connector)[0][2]["request"] == "POST /v2/ledger-duo/kassenbuch-advanced"


def test_what_the_policy_refuses_from_python_is_audited_once(connector: Connector, session: Session) -> None:
    session.invoke("create_cash_book_entry", entry("Verkauf"))  # the workspace is known from then on
    now = session.clock.utcnow()
    connector.database.write(lambda c: workspaces.save_policy(c, "default", Policy(key_required=True), now)).result()
    connector.shared.policies.clear()
    with pytest.raises((RightMissing, KontorError)):
        session.invoke("call_api", {"method": "POST", "path": "/v2/not-declared", "body": {}})
    refused = [details for what, _, details in told(connector) if what == "right.refused"]
    assert [one["action"] for one in refused] == ["call_api"]
