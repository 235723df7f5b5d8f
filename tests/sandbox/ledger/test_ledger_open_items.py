"""The rule of open items as a calculation, on books invented by hypothesis."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connector.sandbox.ledger.open_items import AccountSide, Entry, OpenAccount, OpeningBalanceMode, open_items

YEARS = [date(2023, 1, 1), date(2024, 1, 1), date(2025, 1, 1)]
ACCOUNTS = ["100100000", "600100000", "700100000", "900100000"]
cents = st.integers(-5000, 5000).map(lambda amount: Decimal(amount).scaleb(-2))


def entry(account: str, document: str, on: date, amount: Decimal, *, opening: bool = False) -> Entry:
    return Entry(account, document, on, f"{document} {on}", amount, on.replace(month=1, day=1), opening)


@st.composite
def histories(draw: st.DrawFn) -> tuple[dict[str, Decimal], list[Entry]]:
    """Balances from before the books, and the documents booked since."""
    before = draw(st.dictionaries(st.sampled_from(ACCOUNTS), cents))
    details = draw(
        st.lists(
            st.builds(
                entry,
                st.sampled_from(ACCOUNTS),
                st.sampled_from(["RE1", "RE2", "RE3"]),
                st.dates(YEARS[0], date(2025, 12, 31)),
                cents,
            ),
            max_size=25,
        )
    )
    return before, details


def with_openings(before: dict[str, Decimal], details: list[Entry]) -> list[Entry]:
    """The books as an accountant keeps them: each year opens with the balance of all that came before."""
    openings = []
    for start in YEARS:
        for account in ACCOUNTS:
            earlier = sum((e.amount for e in details if e.account == account and e.on < start), Decimal())
            if carried := before.get(account, Decimal()) + earlier:
                openings.append(entry(account, "0", start, carried, opening=True))
    return openings + details


def totals(accounts: list[OpenAccount]) -> dict[str, Decimal]:
    return {row.account: row.total for row in accounts if row.total}


def by_document(accounts: list[OpenAccount]) -> dict[tuple[str, str], Decimal]:
    return {(row.account, item.document): item.balance for row in accounts for item in row.items}


cutoffs = st.dates(YEARS[0], date(2026, 3, 1))


@pytest.mark.conforms("open_items.grouping")
@given(histories(), cutoffs)
def test_reconcile_counts_every_claim_once(history: tuple[dict[str, Decimal], list[Entry]], cutoff: date) -> None:
    before, details = history
    truth = defaultdict(Decimal, before)
    for detail in details:
        if detail.on <= cutoff:
            truth[detail.account] += detail.amount
    accounts = open_items(with_openings(before, details), cutoff, "all", "reconcile")
    assert totals(accounts) == {account: total for account, total in truth.items() if total}


@given(histories(), cutoffs)
def test_reconcile_shows_history_as_residual_and_documents_as_they_are(
    history: tuple[dict[str, Decimal], list[Entry]], cutoff: date
) -> None:
    before, details = history
    truth: defaultdict[tuple[str, str], Decimal] = defaultdict(Decimal)
    for account, amount in before.items():
        truth[account, "EB-RESIDUAL"] += amount
    for detail in details:
        if detail.on <= cutoff:
            truth[detail.account, detail.document] += detail.amount
    accounts = open_items(with_openings(before, details), cutoff, "all", "reconcile")
    assert by_document(accounts) == {key: amount for key, amount in truth.items() if amount}


@given(histories(), cutoffs)
def test_raw_adds_up_what_is_booked_with_openings_under_document_zero(
    history: tuple[dict[str, Decimal], list[Entry]], cutoff: date
) -> None:
    booked = with_openings(*history)
    truth: defaultdict[tuple[str, str], Decimal] = defaultdict(Decimal)
    for booking in booked:
        if booking.on <= cutoff:
            truth[booking.account, booking.document] += booking.amount
    accounts = open_items(booked, cutoff, "all", "raw")
    assert by_document(accounts) == {key: amount for key, amount in truth.items() if amount}


treatments = st.sampled_from(["reconcile", "raw"])


@pytest.mark.conforms("open_items.grouping")
@given(histories(), cutoffs, treatments)
def test_the_largest_absolute_balance_comes_first(
    history: tuple[dict[str, Decimal], list[Entry]], cutoff: date, treatment: OpeningBalanceMode
) -> None:
    accounts = open_items(with_openings(*history), cutoff, "all", treatment)
    for sizes in (
        [abs(row.total) for row in accounts],
        *([abs(item.balance) for item in row.items] for row in accounts),
    ):
        assert sizes == sorted(sizes, reverse=True)
    assert all(item.balance for row in accounts for item in row.items)
    assert all(row.total == sum(item.balance for item in row.items) for row in accounts)


@pytest.mark.conforms("open_items.cutoff")
@given(histories(), cutoffs, treatments)
def test_what_comes_after_the_cutoff_changes_nothing(
    history: tuple[dict[str, Decimal], list[Entry]], cutoff: date, treatment: OpeningBalanceMode
) -> None:
    booked = with_openings(*history)
    until = [booking for booking in booked if booking.on <= cutoff]
    accounts = open_items(booked, cutoff, "all", treatment)
    assert accounts == open_items(until, date.max, "all", treatment)
    assert all(item.on <= cutoff for row in accounts for item in row.items)


@pytest.mark.conforms("open_items.side")
@given(histories(), cutoffs, treatments)
def test_debitors_and_creditors_are_all(
    history: tuple[dict[str, Decimal], list[Entry]], cutoff: date, treatment: OpeningBalanceMode
) -> None:
    booked = with_openings(*history)
    sides: dict[AccountSide, list[OpenAccount]] = {
        side: open_items(booked, cutoff, side, treatment) for side in ("debitors", "creditors", "all")
    }
    assert {row.account[0] for row in sides["debitors"]} <= set("16")
    assert {row.account[0] for row in sides["creditors"]} <= set("79")
    assert by_document(sides["debitors"]) | by_document(sides["creditors"]) == by_document(sides["all"])


def example() -> Iterator[Entry]:
    """The example of the rule's own explanation."""
    debtor = "100100000"
    yield entry(debtor, "0", date(2024, 1, 1), Decimal(100), opening=True)
    yield entry(debtor, "RE1", date(2024, 6, 1), Decimal(500))
    yield entry(debtor, "0", date(2025, 1, 1), Decimal(600), opening=True)
    yield entry(debtor, "RE1", date(2025, 2, 1), Decimal(-500))
    yield entry(debtor, "0", date(2026, 1, 1), Decimal(100), opening=True)


@pytest.mark.parametrize(
    ("cutoff", "treatment", "expected"),
    [
        (date(2026, 1, 1), "reconcile", {"EB-RESIDUAL": 100}),
        (date(2026, 1, 1), "raw", {"0": 800}),
        (date(2025, 1, 31), "reconcile", {"EB-RESIDUAL": 100, "RE1": 500}),
        (date(2025, 1, 31), "raw", {"0": 700, "RE1": 500}),
        (date(2024, 6, 1), "reconcile", {"EB-RESIDUAL": 100, "RE1": 500}),
        (date(2024, 5, 31), "raw", {"0": 100}),
        (date(2023, 12, 31), "reconcile", {}),
    ],
)
def test_the_explained_example_holds(cutoff: date, treatment: OpeningBalanceMode, expected: dict[str, int]) -> None:
    accounts = open_items(example(), cutoff, "all", treatment)
    assert {document: balance for (_, document), balance in by_document(accounts).items()} == expected


def test_a_year_not_opened_yet_keeps_the_details_of_the_year_before() -> None:
    late = entry("100100000", "RE2", date(2027, 3, 1), Decimal(7))
    accounts = open_items([*example(), late], date(2027, 4, 1), "all", "reconcile")
    assert by_document(accounts) == {("100100000", "EB-RESIDUAL"): 100, ("100100000", "RE2"): 7}


def test_an_opening_balance_corrected_by_hand_wins_over_older_ones() -> None:
    corrected = [e if e.amount != 600 else e._replace(amount=Decimal(570)) for e in example()]
    accounts = open_items(corrected, date(2025, 1, 31), "all", "reconcile")
    assert by_document(accounts) == {("100100000", "RE1"): 500, ("100100000", "EB-RESIDUAL"): 70}


def test_a_document_of_last_year_booked_this_year_is_not_netted_away() -> None:
    late = entry("100100000", "RE9", date(2025, 12, 28), Decimal(40))._replace(fiscal_year=date(2026, 1, 1))
    accounts = open_items([*example(), late], date(2026, 2, 1), "all", "reconcile")
    assert by_document(accounts) == {("100100000", "EB-RESIDUAL"): 100, ("100100000", "RE9"): 40}


@pytest.mark.conforms("open_items.grouping")
def test_an_item_has_the_date_and_text_of_its_earliest_booking() -> None:
    invoiced = date(2025, 3, 1)
    part = entry("100100000", "RE1", invoiced + timedelta(days=9), Decimal(-10))
    whole = entry("100100000", "RE1", invoiced, Decimal(30))
    (row,) = open_items([part, whole], date(2025, 12, 31), "all", "reconcile")
    assert [(item.on, item.text, item.balance) for item in row.items] == [(invoiced, whole.text, Decimal(20))]


def test_items_that_cancel_out_keep_their_account_in_the_list() -> None:
    pair = [entry("100100000", "RE1", YEARS[2], Decimal(30)), entry("100100000", "ZE1", YEARS[2], Decimal(-30))]
    (row,) = open_items(pair, date(2025, 12, 31), "all", "reconcile")
    assert (row.total, len(row.items)) == (Decimal(), 2)
