"""Changes the credit budget of an API key, the same for the command line and the console."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from connector.core.call_source import CallSource
from connector.store import audit, budgets, timeline, workspaces

ABOUT = "budget:"
"""The beginning of what the timeline calls the budget of a key."""


def change_budget(
    connection: Connection, by: CallSource, fingerprint: str, given: Mapping[str, int | None], now: datetime
) -> None:
    """Set the given limits; what is not given stays. 0 kept back is nothing kept back."""
    values: dict[str, Any] = {**given, **({"hold_back": given["hold_back"] or 0} if "hold_back" in given else {})}
    budget = replace(budgets.budget_of(connection, fingerprint), **values)
    budgets.set_budget(connection, fingerprint, budget)
    home = workspaces.of_key(connection, fingerprint)
    audit.record_by(connection, by, workspace=home, what="budget.changed", details=asdict(budget), now=now)
    timeline.record(connection, ABOUT + fingerprint, "budget.changed", now, {**asdict(budget), "by": by.person})
