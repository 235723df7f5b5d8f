"""Budgets hold reads back before writes, and the forecast tells when the balance runs out."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from connector import Connector, Credential
from connector.core.errors import BudgetHeld
from connector.operations.money import load_report
from connector.runtime.records.usage import Forecast, forecast
from connector.runtime.session import Session
from connector.sandbox.banking.demo import MAIN_ACCOUNT
from connector.store.rates import usage
from connector.store.rates.usage import Budget, Spent
from tests.support.filled_in import NORDLICHT

LEDGER = {"ledger_connection": NORDLICHT}
ENTRY = {
    **LEDGER,
    "kassenname": "Ladenkasse",
    "betrag": "1.00",
    "transaktionsdatum": "2026-11-14T10:00",
    "belegzeilen": [{"belegtext": "Verkauf", "gegenkonto": "8400", "belegNummer": "1", "betrag": "1.00"}],
}


@pytest.fixture
def connector(sandbox, tmp_path):
    connector = Connector(str(tmp_path))
    yield connector
    connector.close()


def opened(connector, sandbox, budget: Budget, flow: str = ""):
    credential = Credential(sandbox.url, "sandbox-key")
    change = lambda connection: usage.set_budget(connection, credential.fingerprint, budget)  # noqa: E731
    connector.database.write(change).result()
    return connector.open(credential, flow=flow)


def test_reads_stop_at_nine_tenths_of_the_day_and_writes_go_on(connector, sandbox):
    with opened(connector, sandbox, Budget(per_day=10)) as session:
        for _ in range(9):
            session.invoke("list_cash_books", LEDGER)
        before = len(sandbox.requests())
        with pytest.raises(BudgetHeld) as caught:
            session.invoke("list_cash_books", LEDGER)
        assert caught.value.outcome == "not_sent"
        assert "10" in caught.value.message.de
        session.invoke("create_cash_book_entry", ENTRY)
        with pytest.raises(BudgetHeld):
            session.invoke("create_cash_book_entry", ENTRY)
        assert len(sandbox.requests()) == before + 1
        assert session.invoke("list_bank_accounts").output["items"], "what is free is never held back"


def test_a_call_of_any_path_costs_what_is_declared_of_it_and_the_budget_holds_there_too(connector, sandbox):
    inputs = {"path": "/v2/ledger-rewe-read/opos", "query": {"connection_id": NORDLICHT}}
    with opened(connector, sandbox, Budget(per_day=1)) as session:
        before = len(sandbox.requests())
        for path in ("/v2/ledger-rewe-read/opos", "/v2/ledger-rewe-read/opos/", "/v2/ledger-rewe-read/op%6Fs"):
            with pytest.raises(BudgetHeld):
                session.invoke("call_api", {**inputs, "path": path})
        assert len(sandbox.requests()) == before
    with opened(connector, sandbox, Budget(per_day=100)) as session:
        assert session.invoke("call_api", inputs, dry_run=True).credits.cost == 5
        assert session.invoke("call_api", {"path": "/v2/banking/transactions/7"}, dry_run=True).credits.cost == 1
        assert session.invoke("call_api", {"path": "/v2/banking/accounts"}).credits.cost == 0


def test_each_flow_has_its_own_budget(connector, sandbox):
    with opened(connector, sandbox, Budget(per_flow=2), flow="monthly report") as session:
        session.invoke("list_cash_books", LEDGER)
        with pytest.raises(BudgetHeld, match="flow"):
            session.invoke("list_cash_books", LEDGER)
    with opened(connector, sandbox, Budget(per_flow=2), flow="another") as session:
        session.invoke("list_cash_books", LEDGER)


def test_the_last_credits_are_kept_for_writes(connector, sandbox):
    sandbox.order("/credits", balance=52)
    with opened(connector, sandbox, Budget(hold_back=50)) as session:
        session.invoke("list_cash_books", LEDGER)
        session.invoke("list_cash_books", LEDGER)
        with pytest.raises(BudgetHeld, match="50"):
            session.invoke("list_cash_books", LEDGER)
        session.invoke("create_cash_book_entry", ENTRY)


def test_what_was_spent_survives_the_session_by_day_flow_and_action(connector, sandbox):
    with opened(connector, sandbox, Budget(), flow="f") as session:
        session.invoke("list_cash_books", LEDGER)
        session.invoke("list_cash_books", LEDGER)
        session.invoke("get_open_items", LEDGER)
        fingerprint, day = session.credential.fingerprint, session.clock.berlin_today().isoformat()
    connector.database.write(lambda connection: None).result()
    lines = connector.database.read(lambda connection: usage.spent(connection, fingerprint, "2000-01-01"))
    assert {(line.day, line.flow, line.label, line.calls, line.credits) for line in lines} == {
        (day, "f", "list_cash_books", 2, Decimal(2)),
        (day, "f", "get_open_items", 1, Decimal(5)),
    }
    told = connector.database.read(lambda connection: usage.last_balance(connection, fingerprint))
    assert told is not None
    assert told[0] == sandbox.balance()


@pytest.mark.parametrize(
    ("spent", "balance", "expected"),
    [
        ([], Decimal(100), Forecast(Decimal(0), None)),
        ([("2026-11-15", 10)], Decimal(100), Forecast(Decimal("10.0"), date(2026, 11, 25))),
        ([("2026-11-06", 50), ("2026-11-15", 50)], Decimal(95), Forecast(Decimal("10.0"), date(2026, 11, 24))),
        ([("2026-01-01", 9999), ("2026-11-15", 14)], Decimal(10), Forecast(Decimal("1.0"), date(2026, 11, 25))),
        ([("2026-11-15", 10)], None, Forecast(Decimal("10.0"), None)),
        ([("2026-11-15", 10)], Decimal(0), Forecast(Decimal("10.0"), date(2026, 11, 15))),
    ],
)
def test_the_forecast_looks_ahead_from_the_last_two_weeks(spent, balance, expected):
    lines = [Spent(day, "", "x", 1, Decimal(credits)) for day, credits in spent]
    assert forecast(lines, balance, date(2026, 11, 15)) == expected


PAYMENT = {
    "account_id": MAIN_ACCOUNT,
    "creditor_name": "Reifen Voss KG",
    "creditor_iban": "DE02120300000000202051",
    "amount": "297.50",
    "currency_code": "EUR",
    "description": "Rechnung V-88120",
}


def line_of(connector: Connector, session: Session) -> tuple[Decimal, Decimal]:
    """Return what is charged and reserved for payments, as the report shows it."""
    connector.shared.usage.flush().result()
    credential, clock = session.credential.fingerprint, session.clock
    report = connector.database.read(lambda store: load_report(store, credential, clock))
    (line,) = report.spent
    assert report.reserved == line.reserved
    return line.credits, line.reserved


@pytest.mark.parametrize(("status", "credits"), [("settled", (3, 0)), ("failed", (0, 0)), ("rejected", (0, 0))])
def test_the_credits_of_a_payment_are_reserved_then_charged_or_expired(connector, sandbox, status, credits):
    with opened(connector, sandbox, Budget(per_day=3)) as session:
        paid = session.invoke("initiate_payment", PAYMENT, key="1")
        assert paid.as_dict()["credits"] == {"cost": 3, "balance": None, "state": "reserved"}
        assert line_of(connector, session) == (0, 3)
        with pytest.raises(BudgetHeld):
            session.invoke("initiate_payment", PAYMENT, key="2")
        sandbox.order(f"/payments/{paid.output['id']}", status=status)
        assert session.invoke("get_payment", {"id": paid.output["id"]}).output["status"] == status
        assert line_of(connector, session) == credits


def test_a_payment_that_failed_gives_its_budget_back_to_the_next_one_though_nobody_has_read_of_it(
    connector, sandbox, tmp_path
):
    with opened(connector, sandbox, Budget(per_day=3)) as session:
        paid = session.invoke("initiate_payment", PAYMENT, key="1")
        sandbox.order(f"/payments/{paid.output['id']}", status="rejected")
    other = Connector(str(tmp_path))  # a restart remembers what is reserved
    with other.open(Credential(sandbox.url, "sandbox-key")) as session:
        assert session.invoke("initiate_payment", PAYMENT, key="2").credits.state == "reserved"
        with pytest.raises(BudgetHeld):
            session.invoke("initiate_payment", PAYMENT, key="3")
    other.close()


def test_what_is_reserved_counts_in_the_forecast_and_not_in_what_is_left():
    spent = [Spent("2026-11-14", "", "initiate_payment", 2, Decimal(3), Decimal(3))]
    assert forecast(spent, Decimal(15), date(2026, 11, 14)) == Forecast(Decimal(6), date(2026, 11, 16))
