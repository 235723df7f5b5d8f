"""Keeps spending within the budget, and tells when the balance will run out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING

from connector.core.client import Call, KeyState
from connector.core.clock import Clock
from connector.core.errors import BudgetHeld
from connector.core.messages import Text, say
from connector.runtime.steps import Await, Look, Steps

if TYPE_CHECKING:
    from connector.runtime.tally import Tally
    from connector.store.budgets import Budget
    from connector.store.usage import Spent

READS_SHARE = Decimal("0.9")
"""Reads may use this much of a budget; the rest is kept for writes."""
FORECAST_DAYS = 14


class KnownBudget:
    """A budget as last read; it seldom changes, and every paid call asks for it."""

    SECONDS = 10.0

    def __init__(self) -> None:
        self._kept: tuple[float, Budget] | None = None

    def fresh(self, now: float) -> Budget | None:
        """The budget, if it was read a moment ago."""
        return self._kept[1] if self._kept and now - self._kept[0] < self.SECONDS else None

    def keep(self, budget: Budget, now: float) -> None:
        """Remembers it for that moment."""
        self._kept = (now, budget)


def check(
    call: Call, credential: str, flow: str, state: KeyState, clock: Clock, known: KnownBudget, tally: Tally
) -> Steps[None]:
    """Raises `BudgetHeld` when the call would exceed the budget."""
    if not call.cost:
        return
    from connector.store import budgets, usage

    budget = known.fresh(clock.monotonic())
    if budget is None:
        budget = yield Look(partial(budgets.budget_of, credential=credential))
        known.keep(budget, clock.monotonic())
    cost, day = Decimal(call.cost), clock.berlin_today().isoformat()
    available = state.credits.available
    if not call.writes and budget.hold_back and available is not None and available - cost < budget.hold_back:
        raise _held(say("budget_kept_for_writes", kept=budget.hold_back, cost=cost))
    for limit, whose, sentence in ((budget.per_day, None, "budget_day"), (budget.per_flow, flow, "budget_flow")):
        if limit is None:
            continue
        writing = tally.write_down(at_once=True)
        if writing is not None:
            yield Await(writing)
        spent: Decimal = yield Look(partial(usage.spent_on, credential=credential, day=day, flow=whose))
        usable = Decimal(limit) if call.writes else Decimal(limit) * READS_SHARE
        if spent + cost > usable:
            raise _held(say(sentence, budget=limit, spent=spent, cost=cost))


def _held(message: Text) -> BudgetHeld:
    return BudgetHeld(message, remedy=say("budget_remedy"))


@dataclass(frozen=True, slots=True)
class Forecast:
    """What is spent a day on average, and the day on which the balance will be used up at that pace."""

    per_day: Decimal
    runs_out_on: date | None


def forecast(spent: Sequence[Spent], balance: Decimal | None, day: date) -> Forecast:
    """Looks ahead from the last two weeks; days without spending count, days before the first one do not."""
    if not spent:
        return Forecast(Decimal(0), None)
    first = max(date.fromisoformat(min(line.day for line in spent)), day - timedelta(days=FORECAST_DAYS - 1))
    days = (day - first).days + 1
    recent = sum((line.credits for line in spent if line.day >= first.isoformat()), Decimal(0))
    per_day = (recent / days).quantize(Decimal("0.1"))
    if balance is None or not per_day:
        return Forecast(per_day, None)
    days_left = math.floor(max(balance, Decimal(0)) / per_day)
    return Forecast(per_day, day + timedelta(days=min(days_left, 36_500)))
