"""Fires once when the credits fall below a threshold, and again only after they have been above it.

There is nothing to ask the service: the balance comes from the credit ledger, which reads it off paid calls. Credits
that are reserved for payments under way count as spent. A balance that nobody knows changes nothing.
"""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any

from connector.core.values.money import as_money
from triggers.alarm import Alarm
from triggers.rows import Row

LOW = "low"


def turn(
    items: list[Row], cursor: str | None, inputs: dict[str, Any], now: datetime, start: str
) -> tuple[list[Row], str]:
    """The balance when it has fallen below the threshold, and the next cursor."""
    alarm = Alarm.read(cursor)
    fired: list[Row] = []
    if cursor is None and start != "all":
        return fired, str(alarm)
    threshold = as_money(inputs["threshold"])
    for row in items:
        credits = _credits(row)
        if credits is None:
            continue
        if credits >= threshold:
            alarm = alarm.recover()
        elif alarm.is_news(LOW):
            alarm = alarm.give(LOW)
            fired.append({**row, "_id": f"credits_low:{alarm.episode}", "_threshold": threshold})
    return fired, str(alarm)


def _credits(row: Row) -> Decimal | None:
    """What may still be spent; the plain balance where nothing is known of reservations."""
    for name in ("available", "balance"):
        try:
            return as_money(row.get(name))
        except ValueError:
            continue
    return None
