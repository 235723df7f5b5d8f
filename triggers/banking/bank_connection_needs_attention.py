"""Fires when a bank connection is inactive, disabled or reports an error: once per kind of trouble until it recovers.

It has recovered when it is active without an error. A flow that starts now hears of trouble that is already there at
the second poll.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from triggers.alarm import Alarm
from triggers.rows import Row

OUT_OF_ORDER = ("inactive", "disabled")


def turn(
    items: list[Row], cursor: str | None, inputs: dict[str, Any], now: datetime, start: str
) -> tuple[list[Row], str]:
    """The bank connection when it is in new trouble, and the next cursor."""
    alarm = Alarm.read(cursor)
    fired: list[Row] = []
    if cursor is None and start != "all":
        return fired, str(alarm)
    for row in items:
        status, error = row.get("status"), row.get("error_class")
        trouble = f"{status}:{error or ''}"
        if status in OUT_OF_ORDER or error:
            if alarm.is_news(trouble):
                alarm = alarm.give(trouble)
                id = row.get("id", inputs.get("connection_id"))
                fired.append({**row, "_id": f"{id}:{alarm.episode}:{trouble}"})
        elif status == "active":
            alarm = alarm.recover()
    return fired, str(alarm)
