"""A list of payments is refused when a filter would be ignored or could match nothing."""

from __future__ import annotations

from datetime import date

import pytest
from actions.banking.list_payments import check
from refusals import refusal

FIRST, LAST = date(2026, 4, 1), date(2026, 4, 30)


def test_every_filter_is_optional() -> None:
    assert check({}) is None
    assert check({"created_from": FIRST, "created_to": FIRST}) is None
    assert check({"created_from": LAST}) is None


def test_dates_the_wrong_way_round_are_refused() -> None:
    said = refusal("banking", "list_payments", {"created_from": LAST, "created_to": FIRST})
    assert said.field == "created_from"
    assert "29 days" in said.en


def test_a_cursor_works_with_the_order_by_id() -> None:
    assert check({"from_id": "5012", "sort": "id"}) is None


@pytest.mark.parametrize("inputs", [{"from_id": "5012"}, {"from_id": "5012", "sort": "date"}])
def test_a_cursor_is_refused_in_any_other_order(inputs: dict[str, str]) -> None:
    said = refusal("banking", "list_payments", inputs)
    assert said.field == "from_id"
    assert "sort is date" in said.en
