"""Enforces the credit budget, and forecasts when the balance runs out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING

from connector.client import Call, KeyState
from connector.client.steps import Await, Query, Steps
from connector.core.clock import Clock
from connector.core.errors import BudgetHeld
from connector.core.localize import credits, in_both, number
from connector.core.messages import Text, say

if TYPE_CHECKING:
    from connector.runtime.tally import Tally
    from connector.store.budgets import Budget
    from connector.store.usage import Spent

READS_SHARE = Decimal("0.9")
"""The share of a budget that reads may use; the rest is reserved for writes."""
FORECAST_DAYS = 14


class CachedBudget:
    """The budget, cached for some seconds: it seldom changes, and every paid call needs it."""

    SECONDS = 10.0

    def __init__(self) -> None:
        self._kept: tuple[float, Budget] | None = None

    def fresh(self, now: float) -> Budget | None:
        """Return the budget if it was cached within `SECONDS`."""
        return self._kept[1] if self._kept and now - self._kept[0] < self.SECONDS else None

    def keep(self, budget: Budget, now: float) -> None:
        """Cache the budget."""
        self._kept = (now, budget)


def check(
    call: Call, credential: str, flow: str, state: KeyState, clock: Clock, known: CachedBudget, tally: Tally
) -> Steps[None]:
    """Raise `BudgetHeld` when the call would exceed the budget."""
    if not call.cost:
        return
    from connector.store import budgets, usage

    budget = known.fresh(clock.monotonic())
    if budget is None:
        budget = yield Query(partial(budgets.budget_of, credential=credential))
        known.keep(budget, clock.monotonic())
    cost = Decimal(call.cost)
    available = state.credits.available
    if not call.writes and budget.hold_back and available is not None and available - cost < budget.hold_back:
        raise _held(say("budget_kept_for_writes", kept=budget.hold_back, cost=in_both(credits, cost)))
    for limit, whose, sentence in ((budget.per_day, None, "budget_day"), (budget.per_flow, flow, "budget_flow")):
        if limit is None:
            continue
        writing = tally.flush()
        if writing is not None:
            yield Await(writing)
        day = clock.berlin_today().isoformat()
        spent: Decimal = yield Query(partial(usage.spent_on, credential=credential, day=day, flow=whose))
        usable = Decimal(limit) if call.writes else Decimal(limit) * READS_SHARE
        if spent + cost > usable:
            raise _held(
                say(sentence, budget=in_both(credits, limit), spent=in_both(number, spent), cost=in_both(credits, cost))
            )


def _held(message: Text) -> BudgetHeld:
    return BudgetHeld(message, remedy=say("budget_remedy"))


@dataclass(frozen=True, slots=True)
class Forecast:
    """Average credits per day, and the day on which the balance runs out at that rate."""

    per_day: Decimal
    runs_out_on: date | None


def forecast(spent: Sequence[Spent], balance: Decimal | None, day: date) -> Forecast:
    """Extrapolate from the last two weeks; days without usage count, days before the first usage do not.

    What is reserved for payments under way counts as if they had settled.
    """
    if not spent:
        return Forecast(Decimal(0), None)
    first = max(date.fromisoformat(min(line.day for line in spent)), day - timedelta(days=FORECAST_DAYS - 1))
    days = (day - first).days + 1
    recent = sum((line.credits + line.reserved for line in spent if line.day >= first.isoformat()), Decimal(0))
    per_day = (recent / days).quantize(Decimal("0.1"))
    if balance is None or not per_day:
        return Forecast(per_day, None)
    left = balance - sum((line.reserved for line in spent), Decimal(0))
    days_left = math.floor(max(left, Decimal(0)) / per_day)
    return Forecast(per_day, day + timedelta(days=min(days_left, 36_500)))
