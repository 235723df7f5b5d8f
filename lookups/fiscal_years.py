"""Options for the start of a fiscal year: calendar years around today, since the service shows no list of its own."""

from __future__ import annotations

from datetime import date
from typing import Any

YEARS_BACK = 4


def options(items: list[dict[str, Any]], inputs: dict[str, Any], today: date) -> list[dict[str, str]]:
    """Next year, this year and the years before, newest first."""
    return [
        {"value": f"{year:04d}-01-01", "label": f"{year} (1 Jan {year} – 31 Dec {year})", "hint": ""}
        for year in range(today.year + 1, today.year - YEARS_BACK - 1, -1)
    ]
