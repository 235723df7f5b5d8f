"""A list of transactions is refused before it costs a credit when it could only fail or be empty."""

from __future__ import annotations

from datetime import date

from actions.banking.list_transactions import check
from refusals import refusal

FIRST, LAST = date(2026, 4, 1), date(2026, 4, 30)


def test_an_account_or_a_bank_connection_suffices() -> None:
    assert check({"account_id": "8101"}) is None
    assert check({"connection_id": "7100"}) is None
    assert check({"account_id": "8101", "connection_id": "7100"}) is None


def test_one_of_both_is_needed() -> None:
    said = refusal("banking", "list_transactions", {"from_id": "1", "sort": "id"})
    assert said.field == "connection_id"
    assert "account_id" in said.en
    assert "account_id" in said.de


def test_a_single_day_and_half_open_ranges_are_accepted() -> None:
    assert check({"account_id": "8101", "from_date": FIRST, "to_date": FIRST}) is None
    assert check({"account_id": "8101", "from_date": LAST}) is None
    assert check({"account_id": "8101", "to_date": FIRST}) is None


def test_dates_the_wrong_way_round_are_refused_with_the_distance() -> None:
    said = refusal("banking", "list_transactions", {"account_id": "8101", "from_date": LAST, "to_date": FIRST})
    assert said.field == "from_date"
    assert "29 days after to_date 2026-04-01" in said.en
    assert "29 Tage" in said.de
