"""How patient and how thrifty the engine is. The values are those of every day; tests and simulations choose others."""

from __future__ import annotations

from dataclasses import dataclass

HOUR = 3600.0


@dataclass(frozen=True, slots=True)
class Settings:
    """All times in seconds of the engine's clock."""

    tick: float = 1.0
    """How often the engine looks for what is due when nobody wakes it."""
    lease_seconds: float = 30.0
    """After this a dead host's work is taken over. Living hosts renew their leases in time."""
    credits_per_poll: int = 5
    """Pages of a paid list that one poll may ask for; the rest follows at the next."""
    pages_per_poll: int = 20
    """The same for free lists."""
    rest_seconds: float = 60.0
    """How soon a poll that was stopped by these bounds goes on."""
    stale_seconds: float = 12 * HOUR
    """A paid list is asked at least this often, whatever the free signs say."""
    blind_stale_seconds: float = 6 * HOUR
    """The same where the free signs cannot be read."""
    unseen_nudge_seconds: float = HOUR
    """How often an event alone may cost a credit while the free signs show no change: events can be forged."""
    reconcile_seconds: float = 600.0
    silent_seconds: float = 36 * HOUR
    """A bank connection whose accounts have not changed for so long is reported."""
