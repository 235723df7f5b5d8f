"""A fiscal year that starts in the middle of a month is refused, in every action that takes one."""

from __future__ import annotations

from datetime import date
from importlib import import_module

import pytest
from refusals import refusal

each = pytest.mark.parametrize("action", ["list_payment_terms", "get_trial_balance"])


@each
@pytest.mark.parametrize("month", range(1, 13))
def test_every_first_of_a_month_can_start_a_fiscal_year(action: str, month: int) -> None:
    assert import_module(f"actions.ledger.{action}").check({"geschaeftsjahrStartDatum": date(2026, month, 1)}) is None


@each
@pytest.mark.parametrize("start", [date(2026, 1, 2), date(2024, 2, 29), date(2026, 12, 31)])
def test_any_other_day_is_refused_with_the_day_that_would_do(action: str, start: date) -> None:
    said = refusal("ledger", action, {"geschaeftsjahrStartDatum": start})
    assert said.field == "geschaeftsjahrStartDatum"
    assert str(start) in said.en
    assert str(start.replace(day=1)) in said.de
