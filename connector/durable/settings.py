"""Time intervals and limits of the engine. The defaults are for production; tests and simulations use others."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from connector.core.data.price import QUIET_SECONDS, QUIET_SECONDS_WITHOUT_SIGNS
from connector.core.timing import DEAD_AFTER_SECONDS

HOUR = 3600.0
WEBHOOK_CHECK_INTERVAL = timedelta(minutes=10)
"""How often it is checked whether the webhook URL at the service is ours."""
BANK_CHECK_INTERVAL = timedelta(hours=6)
"""How often a host asks for the bank connections and accounts of a key by itself."""


@dataclass(frozen=True, slots=True)
class Settings:
    """All times in seconds of the engine's clock."""

    tick: float = 1.0
    """How often the engine looks for due work when it is not woken."""
    dead_after: float = DEAD_AFTER_SECONDS
    """How long the counter of a lease stands still until another host takes the work over."""
    credits_per_poll: int = 5
    """Pages of a paid list that one poll may read; the next poll continues."""
    pages_per_poll: int = 20
    """The same for free lists."""
    resume_seconds: float = 60.0
    """How soon a poll that reached these limits continues."""
    stale_seconds: float = QUIET_SECONDS
    """A paid list is polled at least this often, whatever the free change signals show."""
    stale_seconds_without_signal: float = QUIET_SECONDS_WITHOUT_SIGNS
    """The same where the free change signals cannot be read."""
    unconfirmed_nudge_seconds: float = HOUR
    """How often an event may cause a paid poll while the free signals show no change: events can be forged."""
    reconcile_seconds: float = 600.0
    silent_seconds: float = 36 * HOUR
    """A bank connection whose accounts have not changed for this long is reported."""
