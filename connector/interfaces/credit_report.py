"""What an API key has spent, the same for the command line and the host: balance, spending, forecast, budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from connector.runtime.budget import FORECAST_DAYS, Forecast, forecast
from connector.runtime.lookups import LOOKUP_LABEL
from connector.store import budgets, usage
from connector.store.budgets import Budget
from connector.store.usage import Charged, Spent

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from connector.core.clock import Clock


@dataclass(frozen=True, slots=True)
class CreditReport:
    """What is known of the credits of one API key."""

    balance: tuple[Decimal, datetime] | None
    spent: Sequence[Spent]
    forecast: Forecast
    budget: Budget
    surprises: Sequence[Charged]
    """Dropdowns that should be free and were charged."""
    day: date
    now: datetime
    reserved: Decimal
    """For payments under way, whenever they were made."""

    def as_dict(self) -> dict[str, Any]:
        """Return it as the public interfaces show it."""
        balance, told_at = self.balance or (None, None)
        return {
            "ok": True,
            "balance": balance,
            "told_at": told_at,
            "reserved": self.reserved,
            "spent": [
                {
                    "day": line.day,
                    "action": line.label,
                    "flow": line.flow,
                    "calls": line.calls,
                    "credits": line.credits,
                    "reserved": line.reserved,
                }
                for line in self.spent
            ],
            "forecast": asdict(self.forecast),
            "budget": asdict(self.budget),
            "surprises": [asdict(surprise) for surprise in self.surprises],
        }


def load_report(store: Connection, credential: str, clock: Clock) -> CreditReport:
    """Load the report of an API key by its fingerprint."""
    day = clock.berlin_today()
    spent = usage.spent(store, credential, (day - timedelta(days=FORECAST_DAYS - 1)).isoformat())
    balance = usage.last_balance(store, credential)
    return CreditReport(
        balance,
        spent,
        forecast(spent, balance[0] if balance else None, day),
        budgets.budget_of(store, credential),
        usage.charged(store, credential, LOOKUP_LABEL),
        day,
        clock.utcnow(),
        sum(usage.reservations(store, credential).values(), Decimal(0)),
    )
