"""The trial balance: debit equals credit, row by row as the description says."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connector.sandbox.ledger.postings import TAX_KEYS, postings
from connector.sandbox.ledger.state import Booking, BookingLine, Side
from connector.sandbox.ledger.trial_balance import account_sums, row
from tests.sandbox.handler_client import KANZLEI, NORDLICHT, HandlerClient

SUSA = "GET /v2/ledger-rewe-read/susa"
YEAR = date(2025, 1, 1)


@pytest.fixture
def sandbox() -> HandlerClient:
    return HandlerClient()


def susa(sandbox: HandlerClient, year: str = "2025-01-01", **query: str) -> list[dict[str, Any]]:
    answer = sandbox.call(SUSA, verbindung=NORDLICHT, geschaeftsjahrStartDatum=year, **query)
    assert set(answer) == {"data"}
    rows: list[dict[str, Any]] = answer["data"]
    return rows


def signed(balance: dict[str, Any] | None) -> Decimal:
    if balance is None:
        return Decimal()
    amount: Decimal = balance["betrag"]
    return amount if balance["sollHabenKennzeichen"] == "SOLL" else -amount


def booking(side: Side, account: str, amount: Decimal, period: int = 1, key: str | None = None) -> Booking:
    line = BookingLine(account, amount, "B1", datetime(2025, 1, 5, tzinfo=UTC), key)
    return Booking(None, "EUR", side, "Buchung", [line], YEAR, period)


@pytest.mark.conforms("trial_balance.period_value", "trial_balance.row", "constants.periods")
def test_a_row_has_the_described_fields(sandbox: HandlerClient) -> None:
    for account in susa(sandbox):
        assert set(account) == {
            "kontobeschriftung",
            "kontonummer",
            "saldo",
            "periodenwerte",
            "ebWert",
            "umsatzHaben",
            "umsatzSoll",
        }
        assert [value["periode"] for value in account["periodenwerte"]] == list(range(1, 15))
        assert account["saldo"]["betrag"] >= 0


@pytest.mark.parametrize("year", ["2023-01-01", "2024-01-01", "2025-01-01"])
def test_debit_equals_credit_over_all_accounts(sandbox: HandlerClient, year: str) -> None:
    rows = susa(sandbox, year)
    assert sum(signed(row["saldo"]) for row in rows) == 0
    assert sum(signed(row["ebWert"]) for row in rows) == 0
    assert sum(row["umsatzSoll"] for row in rows) == sum(row["umsatzHaben"] for row in rows) > 0
    for period in range(14):
        assert sum(signed(row["periodenwerte"][period]["saldo"]) for row in rows) == 0


@pytest.mark.conforms("trial_balance.balance")
@pytest.mark.parametrize("year", ["2023-01-01", "2025-01-01"])
def test_a_balance_is_opening_plus_turnover_and_periods_are_the_turnover(sandbox: HandlerClient, year: str) -> None:
    for account in susa(sandbox, year):
        turnover = account["umsatzSoll"] - account["umsatzHaben"]
        assert signed(account["saldo"]) == signed(account["ebWert"]) + turnover
        assert sum(signed(value["saldo"]) for value in account["periodenwerte"]) == turnover


@pytest.mark.conforms("trial_balance.row")
def test_profit_and_loss_accounts_have_no_opening_balance(sandbox: HandlerClient) -> None:
    rows = {row["kontonummer"]: row for row in susa(sandbox)}
    assert rows["8400"]["ebWert"] is None
    assert rows["8400"]["saldo"]["sollHabenKennzeichen"] == "HABEN"
    assert rows["1200"]["ebWert"] is not None


@pytest.mark.conforms("open_items.nine_digits_only")
def test_own_eight_digit_accounts_are_reachable_here(sandbox: HandlerClient) -> None:
    assert {"14100001", "14100002", "16100001"} <= {row["kontonummer"] for row in susa(sandbox)}


@pytest.mark.conforms("trial_balance.period_value")
def test_a_closing_entry_stands_in_a_special_period(sandbox: HandlerClient) -> None:
    (wear,) = susa(sandbox, "2024-01-01", konto="4830")
    moved = [value["periode"] for value in wear["periodenwerte"] if value["saldo"]["betrag"]]
    assert moved == [13]


@pytest.mark.conforms("trial_balance.endpoint")
def test_the_account_filter_is_exact(sandbox: HandlerClient) -> None:
    assert [row["kontonummer"] for row in susa(sandbox, konto="1200")] == ["1200"]
    assert susa(sandbox, konto="12") == []
    assert len(susa(sandbox, konto="")) > 40


@pytest.mark.conforms("trial_balance.endpoint")
def test_a_fiscal_year_of_the_client_is_required(sandbox: HandlerClient) -> None:
    for query in ({}, {"geschaeftsjahrStartDatum": "2025"}, {"geschaeftsjahrStartDatum": "2019-01-01"}):
        refused = sandbox.refusal(SUSA, verbindung=NORDLICHT, **query)
        assert refused.status == 400
        assert "geschaeftsjahrStartDatum" in refused.body["error"]


def test_a_fiscal_year_may_begin_in_july(sandbox: HandlerClient) -> None:
    query = {"verbindung": KANZLEI, "mandant": "29098-10003"}
    assert sandbox.call(SUSA, **query, geschaeftsjahrStartDatum="2025-07-01")["data"]
    assert sandbox.refusal(SUSA, **query, geschaeftsjahrStartDatum="2025-01-01").status == 400


amounts = st.integers(1, 10**9).map(lambda cents: Decimal(cents).scaleb(-2))
accounts = st.sampled_from(["1200", "8400", "100100000", "14100001"])
keys = st.sampled_from([None, *TAX_KEYS])


@given(st.lists(st.tuples(amounts, accounts, accounts, keys, keys, st.integers(1, 14))))
def test_neutral_pairs_give_a_neutral_trial_balance(
    pairs: list[tuple[Decimal, str, str, str | None, str | None, int]],
) -> None:
    booked = [
        half
        for amount, soll, haben, soll_key, haben_key, period in pairs
        for half in (
            booking("SOLL", soll, amount, period, soll_key),
            booking("HABEN", haben, amount, period, haben_key),
        )
    ]
    rows = [row(account, "", sums) for account, sums in account_sums(booked, YEAR).items()]
    assert sum(signed(row["saldo"]) for row in rows) == 0
    assert sum(row["umsatzSoll"] for row in rows) == sum((amount for amount, *_ in pairs), Decimal())
    assert account_sums(booked, date(2024, 1, 1)) == {}


@given(amounts, st.sampled_from(sorted(TAX_KEYS)))
def test_tax_is_taken_out_of_the_gross_amount_without_losing_a_cent(gross: Decimal, key: str) -> None:
    (account, net), (tax_account, tax) = postings(booking("HABEN", "8400", gross, key=key))
    assert net + tax == -gross
    assert (account, tax_account) == ("8400", TAX_KEYS[key].account)
    assert abs(tax - net * TAX_KEYS[key].percent / 100) <= Decimal("0.01")
