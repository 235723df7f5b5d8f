"""What the service's description tells of its behaviour, seen through Kontor's own actions, on a real socket."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from filled_in import NORDLICHT
from service_desk import Desk

from connector import Connector, Credential
from connector.core.errors import NotFound
from connector.runtime.session import Session
from connector.sandbox.banking.demo import HOUSE_BANK, MAIN_ACCOUNT, SAVINGS
from connector.sandbox.ledger.demo import ledger_connection_id

PAYMENT = {
    "account_id": MAIN_ACCOUNT,
    "creditor_name": "Kettenwerk Teile GmbH",
    "creditor_iban": "DE89370400440532013000",
    "amount": "12.50",
}


@pytest.fixture
def session(desk: Desk, tmp_path: Path) -> Iterator[Session]:
    connector = Connector(str(tmp_path))
    with connector.open(Credential(desk.url, "sandbox-key")) as session:
        yield session
    connector.close()


def _items(session: Session, action: str, **inputs: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = session.invoke(action, inputs).output["items"]
    return found


@pytest.mark.conforms(
    "bank_connection_status.connect_starts",
    "bank_connection_status.connect_is_given_up",
    "constants.connect_minutes",
)
def test_a_connect_flow_has_a_placeholder_for_15_minutes(session: Session, desk: Desk) -> None:
    desk.order("/clock", speed=0)
    id = session.invoke("start_bank_connect", {"provider_code": "n26_de"}).output["connection_id"]
    desk.order("/clock", advance=15 * 60 - 1)
    assert session.invoke("get_bank_connection", {"id": id}).output["status"] == "pending_connect"
    desk.order("/clock", advance=1)
    with pytest.raises(NotFound):
        session.invoke("get_bank_connection", {"id": id})


@pytest.mark.conforms("bank_connection_status.connect_completes")
def test_a_completed_connect_flow_has_another_row(session: Session, desk: Desk) -> None:
    flow = session.invoke("start_bank_connect", {"provider_code": "n26_de"}).output
    inbound = {"pending_token": flow["pending_token"]}
    real = desk.with_key(None).post("/v2/banking/webhooks/partner", json=inbound).json()["data"]["connection_id"]
    with pytest.raises(NotFound):
        session.invoke("get_bank_connection", {"id": flow["connection_id"]})
    assert session.invoke("get_bank_connection", {"id": real}).output["id"] == real


@pytest.mark.conforms("cash_book_entry.one_per_line", "credit_reservation.confirmed", "conventions.two_phase_credits")
def test_an_entry_of_two_lines_is_two_entries_for_one_credit(session: Session, desk: Desk) -> None:
    lines = [{"betrag": "20,00", "belegtext": "Verkauf"}, {"betrag": "-7,50", "belegtext": "Porto"}]
    entry = {"ledger_connection": NORDLICHT, "kassenname": "Ladenkasse", "transaktionsdatum": "2026-11-14T10:00"}
    before = desk.balance()
    credits = session.invoke("create_cash_book_entry", {**entry, "belegzeilen": lines}).credits
    assert [one.belegtext for one in desk.world.ledger.cash_entries] == ["Verkauf", "Porto"]
    assert (credits.cost, credits.balance) == (1, before - 1)
    assert desk.available() == desk.balance() == before - 1


@pytest.mark.conforms("transactions.reach", "transactions.default_order")
def test_transactions_of_a_bank_connection_are_those_of_its_accounts_by_day(session: Session) -> None:
    whole = _items(session, "list_transactions", connection_id=HOUSE_BANK)
    one = _items(session, "list_transactions", account_id=SAVINGS)
    assert {row["account_id"] for row in whole} == {MAIN_ACCOUNT, SAVINGS}
    assert [row for row in whole if row["account_id"] == SAVINGS] == one
    assert _items(session, "list_transactions", connection_id=HOUSE_BANK, account_id=SAVINGS) == one
    assert [row["made_on"] for row in whole] == sorted(row["made_on"] for row in whole)


@pytest.mark.conforms("transaction.payment_id")
def test_the_transaction_of_a_payment_names_it(session: Session, desk: Desk) -> None:
    id = session.invoke("initiate_payment", PAYMENT).output["id"]
    desk.order(f"/payments/{id}", status="settled")
    newest = _items(session, "list_transactions", account_id=MAIN_ACCOUNT, sort="id")[-1]
    found = session.invoke("get_transaction", {"account_id": MAIN_ACCOUNT, "id": newest["id"]}).output
    assert found["payment_id"] == newest["payment_id"] == id


@pytest.mark.conforms("constants.empty_limit", "payments.limit")
def test_an_empty_limit_shows_all_payments(session: Session, desk: Desk) -> None:
    everything = _items(session, "list_payments", limit="")
    assert len(everything) == len(desk.world.banking.payments)
    assert _items(session, "list_payments", limit=3) == everything[:3]


@pytest.mark.conforms("open_items.nine_digits_only")
def test_accounts_of_eight_digits_stand_in_the_trial_balance_only(session: Session) -> None:
    open_items = session.invoke("get_open_items", {"ledger_connection": NORDLICHT}).output
    year = int(open_items["stichtag"][:4]) - 1
    rows = _items(session, "get_trial_balance", ledger_connection=NORDLICHT, geschaeftsjahrStartDatum=f"{year}-01-01")
    assert {len(account["kontonummer"]) for account in open_items["konten"]} == {9}
    assert {8, 9} <= {len(row["kontonummer"]) for row in rows}


@pytest.mark.conforms("errors.probe_classification", "permissions.status")
def test_the_areas_of_the_probe_are_told_with_their_statuses(session: Session) -> None:
    rows = _items(session, "check_permissions", ledger_connection=ledger_connection_id("probe"))
    assert {row["status"] for row in rows} == {"ok", "error", "unknown"}
    broken = _items(session, "check_permissions", ledger_connection=ledger_connection_id("ledger_connection_invalid"))
    assert {row["httpStatus"]: row["status"] for row in broken if row["httpStatus"]} == {401: "expired"}


@pytest.mark.conforms("events.free", "costs.events")
def test_a_trigger_on_events_costs_nothing() -> None:
    triggers = [trigger for trigger in Connector("unused").triggers.values() if trigger.request is None]
    assert len(triggers) > 5
    assert {trigger.cost.credits for trigger in triggers} == {0}
