"""Fires once per consent when its last day comes near or has passed; a renewed consent is a new one.

How long a consent lasts is the bank's business: only `consent_expires_at` counts. The cursor is `warned:` and the day
the last warning was about, or `waiting`. A flow that starts now hears of a consent already ending at the second poll.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from triggers.days import berlin_day, berlin_day_of
from triggers.rows import Row

USUAL_DAYS = 7
WAITING = "waiting"


def turn(
    items: list[Row], cursor: str | None, inputs: dict[str, Any], now: datetime, start: str
) -> tuple[list[Row], str]:
    """The bank connection when its consent ends soon, and the next cursor."""
    if cursor is None and start != "all":
        return [], WAITING
    told = cursor or WAITING
    fired: list[Row] = []
    for row in items:
        ends = berlin_day_of(row.get("consent_expires_at"))
        if ends is None or told == f"warned:{ends}":
            continue
        left = (ends - berlin_day(now)).days
        if left <= int(inputs.get("days", USUAL_DAYS)):
            told = f"warned:{ends}"
            id = row.get("id", inputs.get("connection_id"))
            fired.append({**row, "_id": f"{id}:{ends}", "_days_left": left})
    return fired, told
