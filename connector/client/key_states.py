"""The state that all clients of one API key share in this process: rate limiter and credit ledger."""

from __future__ import annotations

import hashlib
import threading
from dataclasses import dataclass, field
from typing import Literal, Protocol
from weakref import WeakValueDictionary

from connector.client.credits import CreditLedger
from connector.client.governor import Governor
from connector.core.clock import Clock
from connector.core.credential import Credential

RateNews = Literal["used_up", "refused", "free"]
"""Calls wait for the window, the service refused one by 429, calls that waited may leave again."""


class RateListener(Protocol):
    """Hears of calls that the rate window holds up."""

    def tell(self, news: RateNews, seconds: float, clock: Clock) -> None:
        """Hear that calls wait for so many seconds, or no longer; it must neither block nor raise."""


@dataclass(eq=False)
class KeyState:
    """Rate limiter and credit ledger of one API key."""

    governor: Governor = field(default_factory=Governor)
    credits: CreditLedger = field(default_factory=CreditLedger)
    rate_listener: RateListener | None = None

    def tell_rate(self, news: RateNews, seconds: float, clock: Clock) -> None:
        """Tell the listener, if there is one; calls that do not wait have nothing to tell."""
        if self.rate_listener is not None:
            self.rate_listener.tell(news, seconds, clock)


# The only process-wide state: all clients with the same key must stay under the limit together, whenever they were
# opened. It is keyed by fingerprint and does not contain the key.
_by_key: dict[str, KeyState] = {}
_by_address: WeakValueDictionary[str, Governor] = WeakValueDictionary()
_lock = threading.Lock()
MAX_KEYS = 4096


def key_state(credential: Credential) -> KeyState:
    """Return the shared state of this credential's key, created on first use."""
    with _lock:
        state = _by_key.pop(credential.fingerprint, None) or KeyState(_new_governor(credential))
        _by_key[credential.fingerprint] = state
        if len(_by_key) > MAX_KEYS:
            del _by_key[next(iter(_by_key))]  # the least recently used; a shared window remembers it
        return state


def rate_scope(credential: Credential) -> str:
    """Return what the service's limit counts by: the API key, or this machine's address at the base URL."""
    if credential.wire["rate.scope"] == "ip":
        return f"ip:{hashlib.sha256(credential.base_url.encode()).hexdigest()[:16]}"
    return credential.fingerprint


def _new_governor(credential: Credential) -> Governor:
    governor = Governor()
    if credential.wire["rate.scope"] == "ip":
        return _by_address.setdefault(rate_scope(credential), governor)
    return governor
