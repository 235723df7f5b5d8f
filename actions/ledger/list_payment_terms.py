"""Checks the fiscal year of a payment terms list."""

from __future__ import annotations

from typing import Any

from actions.ledger.fiscal_year import FIELD, check_start


def check(inputs: dict[str, Any]) -> None:
    """Refuse a fiscal year that starts in the middle of a month."""
    check_start(inputs[FIELD])
