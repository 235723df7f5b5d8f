"""What all clients of one API key share in this process: its rate limiter and its credit ledger.

The credit ledger of an API key: credits spent, the last reported balance, and credits reserved for payments.
"""

from __future__ import annotations

import hashlib
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal, Protocol
from weakref import WeakKeyDictionary, WeakValueDictionary

from connector.client.call import Call
from connector.client.governor import Governor
from connector.core.data.answers import balance_in
from connector.core.service.credential import Credential
from connector.core.service_facts import payment_states
from connector.core.timing import Clock


@dataclass(frozen=True, slots=True)
class Charge:
    """The cost of one call, and the balance after it if known."""

    cost: Decimal
    balance: Decimal | None
    told: bool = False
    """Whether the answer itself told the balance."""


@dataclass(slots=True)
class CreditLedger:
    """Shared by all clients of one API key."""

    balance: Decimal | None = None
    """The last balance the service reported, minus the cost of later calls whose answer did not report one."""
    spent: Counter[str] = field(default_factory=Counter)
    """Credits charged, by call label."""
    reserved: dict[str, Decimal] = field(default_factory=dict)
    """Credits reserved for payments that are not settled yet, by payment id."""
    listeners: WeakKeyDictionary[Any, Callable[[Mapping[str, str]], None]] = field(default_factory=WeakKeyDictionary)
    """Whom to tell, by payment, what status an answer shows; each for as long as its key lives."""
    _paid_calls_open: int = 0
    _paid_calls_begun: int = 0
    _comparable_at: int = -1
    """Number of paid calls begun when the balance was last reported while no other was in flight; -1: never."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def begin(self, call: Call) -> None:
        """Count a call that is about to be sent."""
        if call.cost and not call.lookup:
            with self._lock:
                self._paid_calls_open += 1
                self._paid_calls_begun += 1

    def end(self, call: Call) -> None:
        """Count a call as finished, whatever its outcome."""
        if call.cost and not call.lookup:
            with self._lock:
                self._paid_calls_open -= 1

    def record(self, call: Call, value: Any) -> Charge:
        """Record a successful call and its answer; return what it cost."""
        reported = balance_in(value)
        with self._lock:
            cost = self._cost(call, reported)
            if call.reserves:
                payment = _payment_id(value)
                if payment is not None:
                    self.reserved[payment] = Decimal(call.cost)
            else:
                self.spent[call.label] += int(cost)
            if reported is not None:
                self.balance = reported
                self._comparable_at = self._paid_calls_begun if self._no_other_paid_call(call) else -1
            elif self.balance is not None and not call.reserves:
                self.balance -= cost
            if call.returns_payments:
                self._settle_payments_in(value)
            return Charge(cost, self.balance, reported is not None)

    def settle(self, payment_id: str, status: str) -> None:
        """Charge or release the reservation of a payment that reached `status`."""
        with self._lock:
            self._settle(payment_id, status)

    @property
    def available(self) -> Decimal | None:
        """The balance minus reserved credits."""
        with self._lock:
            return None if self.balance is None else self.balance - sum(self.reserved.values(), Decimal(0))

    def _no_other_paid_call(self, call: Call) -> bool:
        """Whether no other paid call is in flight, so that this balance can be compared with the next one."""
        return self._paid_calls_open == (1 if call.cost and not call.lookup else 0)

    def _is_comparable(self) -> bool:
        """Whether the balance was told since the last paid call, and none is in flight."""
        return self.balance is not None and self._comparable_at == self._paid_calls_begun and not self._paid_calls_open

    def _cost(self, call: Call, reported: Decimal | None) -> Decimal:
        """Return what a call cost; a lookup should be free, and its charge shows only against a balance known here."""
        if not call.lookup:
            return Decimal(call.cost)
        if reported is not None and self._is_comparable() and reported < self.balance:  # type: ignore[operator]
            return self.balance - reported  # type: ignore[operator]
        return Decimal(0)

    def _settle_payments_in(self, value: Any) -> None:
        """Settle the reservations of all payments in an answer."""
        value = value.get("data", value) if isinstance(value, Mapping) else value
        statuses = {
            str(payment["id"]): str(payment["status"])
            for payment in (value if isinstance(value, list) else [value])
            if isinstance(payment, Mapping) and "status" in payment and "id" in payment
        }
        for payment_id, status in statuses.items():
            self._settle(payment_id, status)
        for tell in list(self.listeners.values()):
            tell(statuses)

    def _settle(self, payment_id: str, status: str) -> None:
        states = payment_states()
        if status in states.succeeded and payment_id in self.reserved:
            cost = self.reserved.pop(payment_id)
            self.spent["payment settled"] += int(cost)
            if self.balance is not None:
                self.balance -= cost
        elif status in states.final:
            self.reserved.pop(payment_id, None)


def _payment_id(value: Any) -> str | None:
    value = value.get("data", value) if isinstance(value, Mapping) else value
    found = value.get("id") if isinstance(value, Mapping) else None
    return None if found is None else str(found)


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
