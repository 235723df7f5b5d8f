"""The open items call on the demo books: parameters, shape, sums."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from connector.sandbox.ledger.postings import postings
from connector.sandbox.ledger.state import Booking, BookingLine, Side
from tests.sandbox.handler_client import NORDLICHT, TODAY, HandlerClient

OPOS = "GET /v2/ledger-rewe-read/opos"


@pytest.fixture
def sandbox() -> HandlerClient:
    return HandlerClient()


def opos(sandbox: HandlerClient, **query: str) -> dict[str, Any]:
    answer: dict[str, Any] = sandbox.call(OPOS, verbindung=NORDLICHT, **query)
    assert set(answer) == {"data"}
    data: dict[str, Any] = answer["data"]
    return data


def book(sandbox: HandlerClient, account: str, side: Side, on: datetime, amount: int) -> None:
    line = BookingLine(account, Decimal(amount), "NEU-1", on, None)
    year = TODAY.replace(month=1, day=1)
    sandbox.ledger.clients["29098-10001"].bookings.append(Booking(None, "EUR", side, "neu", [line], year, 11))


def documents(data: dict[str, Any]) -> set[tuple[str, str]]:
    return {(row["kontonummer"], item["beleg"]) for row in data["konten"] for item in row["posten"]}


@pytest.mark.conforms("open_items.answer", "open_items.response")
def test_the_result_has_the_described_shape(sandbox: HandlerClient) -> None:
    data = opos(sandbox)
    assert set(data) == {"stichtag", "konten", "sumDebitoren", "sumKreditoren"}
    row = data["konten"][0]
    assert set(row) == {"kontonummer", "bezeichnung", "isDebitor", "totalSaldo", "posten"}
    assert set(row["posten"][0]) == {"beleg", "belegdatum", "buchungstext", "saldo"}
    assert row["bezeichnung"]
    assert data["stichtag"] == "2025-11-15"


@pytest.mark.conforms("open_items.nine_digits_only")
def test_only_nine_digit_person_accounts_are_covered(sandbox: HandlerClient) -> None:
    book(sandbox, "14100001", "SOLL", datetime(2025, 11, 1, tzinfo=UTC), 9_000_000)
    rows = opos(sandbox)["konten"]
    assert {len(row["kontonummer"]) for row in rows} == {9}
    assert {row["isDebitor"]: row["kontonummer"][0] for row in rows} == {True: "1", False: "7"}


@pytest.mark.conforms("open_items.answer")
def test_receivables_are_positive_and_liabilities_negative(sandbox: HandlerClient) -> None:
    data = opos(sandbox)
    debtors = [row["totalSaldo"] for row in data["konten"] if row["isDebitor"]]
    creditors = [row["totalSaldo"] for row in data["konten"] if not row["isDebitor"]]
    assert data["sumDebitoren"] == sum(debtors) > 0
    assert data["sumKreditoren"] == sum(creditors) < 0


def test_the_total_is_what_the_trial_balance_says_of_the_account(sandbox: HandlerClient) -> None:
    susa = sandbox.call("GET /v2/ledger-rewe-read/susa", verbindung=NORDLICHT, geschaeftsjahrStartDatum="2025-01-01")
    signed = {
        row["kontonummer"]: row["saldo"]["betrag"] * (1 if row["saldo"]["sollHabenKennzeichen"] == "SOLL" else -1)
        for row in susa["data"]
        if len(row["kontonummer"]) == 9 and row["saldo"]["betrag"]
    }
    assert {row["kontonummer"]: row["totalSaldo"] for row in opos(sandbox)["konten"] if row["totalSaldo"]} == signed


@pytest.mark.conforms("open_items.opening_balances")
def test_reconcile_is_the_default_and_names_the_remainder(sandbox: HandlerClient) -> None:
    reconciled = opos(sandbox)
    assert reconciled == opos(sandbox, eb="reconcile")
    names = {document for _, document in documents(reconciled)}
    assert "EB-RESIDUAL" in names
    assert "0" not in names


@pytest.mark.conforms("open_items.opening_balances")
def test_raw_shows_opening_balances_as_items_named_zero(sandbox: HandlerClient) -> None:
    names = {document for _, document in documents(opos(sandbox, eb="raw"))}
    assert "0" in names
    assert "EB-RESIDUAL" not in names


@pytest.mark.conforms("open_items.side")
def test_the_side_filter_leaves_the_other_sum_at_zero(sandbox: HandlerClient) -> None:
    everything, debtors, creditors = (
        opos(sandbox, seite="all"),
        opos(sandbox, seite="debitors"),
        opos(sandbox, seite="creditors"),
    )
    assert {row["isDebitor"] for row in debtors["konten"]} == {True}
    assert {row["isDebitor"] for row in creditors["konten"]} == {False}
    assert (debtors["sumDebitoren"], debtors["sumKreditoren"]) == (everything["sumDebitoren"], 0)
    assert (creditors["sumDebitoren"], creditors["sumKreditoren"]) == (0, everything["sumKreditoren"])
    assert everything == opos(sandbox)


@pytest.mark.conforms("open_items.cutoff")
def test_the_cutoff_includes_its_own_day_and_is_today_by_default(sandbox: HandlerClient) -> None:
    today = datetime(2025, 11, 15, tzinfo=UTC)
    book(sandbox, "100100001", "SOLL", today, 11)
    book(sandbox, "100100002", "SOLL", today + timedelta(days=1), 12)
    assert ("100100001", "NEU-1") in documents(opos(sandbox))
    assert ("100100002", "NEU-1") not in documents(opos(sandbox))
    assert ("100100002", "NEU-1") in documents(opos(sandbox, bis="2025-11-16"))
    assert opos(sandbox, bis="2025-11-16")["stichtag"] == "2025-11-16"
    assert ("100100001", "NEU-1") not in documents(opos(sandbox, bis="2025-11-14"))


def test_before_the_first_fiscal_year_nothing_is_open(sandbox: HandlerClient) -> None:
    data = opos(sandbox, bis="2022-12-31")
    assert (data["konten"], data["sumDebitoren"], data["sumKreditoren"]) == ([], 0, 0)


@pytest.mark.conforms("open_items.parameter_names")
@pytest.mark.parametrize("wrong", [{"bis": "15.11.2025"}, {"bis": "2025-02-29"}, {"seite": "debtors"}, {"eb": "net"}])
def test_a_wrong_parameter_is_refused_by_its_wire_name(sandbox: HandlerClient, wrong: dict[str, str]) -> None:
    refused = sandbox.refusal(OPOS, verbindung=NORDLICHT, **wrong)
    assert refused.status == 400
    assert next(iter(wrong)) in refused.body["error"]


def test_the_demo_books_are_a_mid_sized_company(sandbox: HandlerClient) -> None:
    client = sandbox.ledger.clients["29098-10001"]
    person_accounts = [number for number in client.account_labels if len(number) == 9]
    assert len(person_accounts) == 60
    assert 1200 < len(client.bookings) < 2000
    assert len(client.fiscal_years) >= 2
    assert {line.kontonummer for b in client.bookings for line in b.buchungszeilen} <= set(client.account_labels)


@pytest.mark.conforms("open_items.neutral_pairs")
def test_opening_balances_are_neutral_pairs_per_account(sandbox: HandlerClient) -> None:
    for client in sandbox.ledger.clients.values():
        openings = [booking for booking in client.bookings if booking.opening]
        assert openings
        for soll, haben in zip(openings[::2], openings[1::2], strict=True):
            assert (soll.soll_haben_kennzeichen, haben.soll_haben_kennzeichen) == ("SOLL", "HABEN")
            assert soll.fiscal_year == haben.fiscal_year
            assert sum(amount for booking in (soll, haben) for _, amount in postings(booking)) == 0
            assert {line.belegfeld1 for booking in (soll, haben) for line in booking.buchungszeilen} == {"0"}


def test_each_year_opens_with_the_balance_of_the_year_before(sandbox: HandlerClient) -> None:
    client = sandbox.ledger.clients["29098-10001"]
    closing: defaultdict[str, Decimal] = defaultdict(Decimal)
    for year in client.fiscal_years:
        opening: defaultdict[str, Decimal] = defaultdict(Decimal)
        this_year: defaultdict[str, Decimal] = defaultdict(Decimal)
        for booking in client.bookings:
            if booking.fiscal_year == year.start:
                for account, amount in postings(booking):
                    if len(account) == 9:
                        this_year[account] += amount
                        opening[account] += amount if booking.opening else 0
        if year is not client.fiscal_years[0]:
            assert {a: b for a, b in opening.items() if b} == {a: b for a, b in closing.items() if b}
        closing = this_year
