"""The rule that every ledger action with a fiscal year shares: it starts on the first of a month."""

from __future__ import annotations

from datetime import date

from connector.core.problem import Problem

FIELD = "geschaeftsjahrStartDatum"


def check_start(start: date) -> None:
    """Refuse a fiscal year that starts in the middle of a month."""
    if start.day != 1:
        raise Problem("fiscal_year_start", field=FIELD, given=start, month_start=start.replace(day=1))
