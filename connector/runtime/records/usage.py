"""Counts credit usage, enforces the credit budget, and forecasts when the balance runs out."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any

from cachetools import LRUCache

from connector.client import Call, Sender
from connector.client.steps import Await, Query, Steps
from connector.core.data.localize import credits, in_both, number
from connector.core.errors import BudgetHeld
from connector.core.manifest.model import Action
from connector.core.messages import Text, say
from connector.core.service_facts import RESERVED, credits_state
from connector.core.timing import Clock
from connector.runtime.result import Credits, Result

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from connector.store import Database
    from connector.store.rates.usage import Budget, Spent

SECONDS = 1.0
MAX_TOLD = 50_000
"""How many payments are remembered, so that a list that is read again and again is not stored each time."""
Line = tuple[str, str, str, str]


class UsageCounter:
    """Credits and calls that are not stored yet."""

    def __init__(self, database: Callable[[], Database]) -> None:
        self._database = database
        self._lines: dict[Line, tuple[Decimal, int]] = {}
        self._balances: dict[str, tuple[Decimal, datetime]] = {}
        self._reservations: list[tuple[Line, str, Decimal]] = []
        self._settled: dict[str, dict[str, str]] = {}
        """By credential and payment, what became of its credits, where that was not stored yet."""
        self._told: LRUCache[tuple[str, str], None] = LRUCache(MAX_TOLD)
        self._flushed_at = float("-inf")
        self._last_write: Future[None] | None = None
        self._lock = threading.Lock()

    def count(self, credential: str, flow: str, label: str, credits: Credits, clock: Clock) -> None:
        """Add one call."""
        line = (credential, clock.berlin_today().isoformat(), flow, label)
        with self._lock:
            cost, calls = self._lines.get(line, (Decimal(0), 0))
            self._lines[line] = (cost + credits.cost, calls + 1)
            if credits.balance is not None:
                self._balances[credential] = (credits.balance, clock.utcnow())
        self._flush_when_due(clock)

    def reserve(
        self, credential: str, flow: str, label: str, credits: Credits, clock: Clock, payment: Mapping[str, Any]
    ) -> None:
        """Add one call whose credits are reserved until its payment is final."""
        line, id = (credential, clock.berlin_today().isoformat(), flow, label), str(payment["id"])
        with self._lock:
            self._reservations.append((line, id, credits.cost))
            self._told.pop((credential, id), None)
        self.count(credential, flow, label, replace(credits, cost=Decimal(0)), clock)
        self.settle(credential, {id: str(payment.get("status"))})

    def settle(self, credential: str, statuses: Mapping[str, str]) -> None:
        """Follow what the service says of payments; a final status is told to the database once."""
        with self._lock:
            for id, status in statuses.items():
                state = credits_state(status)
                if state != RESERVED and (credential, id) not in self._told:
                    self._told[credential, id] = None
                    self._settled.setdefault(credential, {})[id] = state

    def record_balance(self, credential: str, balance: Decimal, clock: Clock) -> None:
        """Keep a balance that a free call told."""
        with self._lock:
            self._balances[credential] = (balance, clock.utcnow())
        self._flush_when_due(clock)

    def _flush_when_due(self, clock: Clock) -> None:
        with self._lock:
            due = clock.monotonic() - self._flushed_at >= SECONDS
            if due:
                self._flushed_at = clock.monotonic()
        if due:
            self.flush()

    def flush(self) -> Future[None] | None:
        """Queue the counts for storing; the future is done when they are stored. None if nothing was ever counted."""
        with self._lock:
            lines, self._lines = self._lines, {}
            balances, self._balances = self._balances, {}
            reservations, self._reservations = self._reservations, []
            settled, self._settled = self._settled, {}
        if not lines and not balances and not settled:
            return self._last_write

        def change(connection: Connection) -> None:
            from connector.store.rates import usage

            for (credential, day, flow, label), (cost, calls) in lines.items():
                usage.add(connection, credential, day, flow, label, cost, calls)
            for (credential, day, flow, label), payment_id, cost in reservations:
                usage.reserve(connection, credential, payment_id, day, flow, label, cost)
            for credential, by_payment in settled.items():
                usage.settle(connection, credential, by_payment)
            for credential, (balance, told_at) in balances.items():
                usage.save_balance(connection, credential, balance, told_at)

        self._last_write = self._database().write(change, durable=False)
        return self._last_write


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


class Spending:
    """What one session spends: counted, held against the budget, and reserved while payments are under way."""

    def __init__(
        self, counter: UsageCounter, sender: Sender, flow: str, read_payments: Callable[[date], Steps[bool]]
    ) -> None:
        """`read_payments` reads, at no cost, what became of the payments since a day; False where it cannot."""
        self._counter, self._clock, self._flow, self._read_payments = counter, sender.clock, flow, read_payments
        self._state, self._credential = sender.state, sender.credential.fingerprint
        self._budget = CachedBudget()

    def count(self, label: str, credits: Credits) -> None:
        """Count a call: its cost, or where it is free the balance that it told."""
        if credits.cost:
            self._counter.count(self._credential, self._flow, label, credits, self._clock)
        elif credits.told and credits.balance is not None:
            self._counter.record_balance(self._credential, credits.balance, self._clock)

    def record(self, action: Action, result: Result) -> Result:
        """Count an action, or reserve the credits of a payment that is to settle; return it with their state."""
        payment = result.output
        if not (action.cost.settles_later and result.credits.cost and isinstance(payment, dict) and payment.get("id")):
            self.count(action.id, result.credits)
            return result
        self._counter.reserve(self._credential, self._flow, action.id, result.credits, self._clock, payment)
        state = credits_state(str(payment.get("status")))
        return replace(result, credits=replace(result.credits, state=state))

    def check(self, call: Call) -> Steps[None]:
        """Raise `BudgetHeld` when the call would exceed the budget, as it was moments ago."""
        yield from self._check_or_follow(call, self._flow, self._budget)

    def check_for(self, flow: str, call: Call) -> Steps[None]:
        """Do the same for another flow, by the budget as it is now."""
        yield from self._check_or_follow(call, flow, CachedBudget())

    def learn_reserved(self) -> Steps[None]:
        """Learn which credits are reserved, by this process or another."""
        from connector.store.rates import usage

        writing = self._counter.flush()
        if writing is not None:
            yield Await(writing)
        self._state.credits.reserved = yield Query(partial(usage.reservations, credential=self._credential))

    def _check_or_follow(self, call: Call, flow: str, known: CachedBudget) -> Steps[None]:
        """Check the budget; where it does not allow the call, once more after payments may have given some back."""
        try:
            yield from self._check(call, flow, known)
        except BudgetHeld:
            if not (yield from self._follow_payments()):
                raise
            yield from self._check(call, flow, known)

    def _follow_payments(self) -> Steps[bool]:
        """Read what became of the payments for which credits are reserved; False without any."""
        from connector.store.rates import usage

        yield from self.learn_reserved()
        since = yield Query(partial(usage.reserved_since, credential=self._credential))
        if since is None or not (yield from self._read_payments(date.fromisoformat(since))):
            return False
        yield from self.learn_reserved()
        return True

    def _check(self, call: Call, flow: str, known: CachedBudget) -> Steps[None]:
        if not call.cost:
            return
        from connector.store.rates import usage

        budget = known.fresh(self._clock.monotonic())
        if budget is None:
            budget = yield Query(partial(usage.budget_of, credential=self._credential))
            known.keep(budget, self._clock.monotonic())
        cost = Decimal(call.cost)
        available = self._state.credits.available
        if not call.writes and budget.hold_back and available is not None and available - cost < budget.hold_back:
            raise _held(say("budget_kept_for_writes", kept=budget.hold_back, cost=in_both(credits, cost)))
        for limit, whose, sentence in ((budget.per_day, None, "budget_day"), (budget.per_flow, flow, "budget_flow")):
            if limit is None:
                continue
            writing = self._counter.flush()
            if writing is not None:
                yield Await(writing)
            day = self._clock.berlin_today().isoformat()
            spent: Decimal = yield Query(partial(usage.spent_on, credential=self._credential, day=day, flow=whose))
            usable = Decimal(limit) if call.writes else Decimal(limit) * READS_SHARE
            if spent + cost > usable:
                raise _held(
                    say(
                        sentence,
                        budget=in_both(credits, limit),
                        spent=in_both(number, spent),
                        cost=in_both(credits, cost),
                    )
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
