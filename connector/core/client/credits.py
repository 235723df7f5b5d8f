"""The credit ledger: what calls should cost, what the service says is left, what is still reserved."""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from connector.core.answers import balance_in
from connector.core.client.call import Call
from connector.core.states import payment_states

MOST_SURPRISES = 100


@dataclass(frozen=True, slots=True)
class Charge:
    """What one call cost, as far as can be known, and the balance after it."""

    cost: Decimal
    balance: Decimal | None


@dataclass(frozen=True, slots=True)
class Surprise:
    """A lookup that should have been free, and was not."""

    label: str
    cost: Decimal


@dataclass(slots=True)
class CreditLedger:
    """Shared by all clients of one API key."""

    balance: Decimal | None = None
    """The last balance the service told, less what we have spent since on calls that do not tell it."""
    spent: Counter[str] = field(default_factory=Counter)
    """Credits charged, by label."""
    reserved: dict[str, Decimal] = field(default_factory=dict)
    """Credits held for payments that are not settled yet, by payment id."""
    surprises: deque[Surprise] = field(default_factory=lambda: deque(maxlen=MOST_SURPRISES))
    _paid_calls_open: int = 0
    _paid_calls_begun: int = 0
    _quiet_since: int = -1
    """How many paid calls had begun when the balance was last told with none of them open; -1: never."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def begin(self, call: Call) -> None:
        """A call is about to leave."""
        if call.cost and not call.lookup:
            with self._lock:
                self._paid_calls_open += 1
                self._paid_calls_begun += 1

    def end(self, call: Call) -> None:
        """The call is over, however it went."""
        if call.cost and not call.lookup:
            with self._lock:
                self._paid_calls_open -= 1

    def book(self, call: Call, value: Any) -> Charge:
        """Enters a call that succeeded, with the service's answer."""
        told = balance_in(value)
        with self._lock:
            cost = self._cost(call, told)
            if call.reserves:
                payment = _payment_id(value)
                if payment is not None:
                    self.reserved[payment] = Decimal(call.cost)
            else:
                self.spent[call.label] += int(cost)
            if told is not None:
                self.balance = told
                self._quiet_since = self._paid_calls_begun if self._quiet(call) else -1
            elif self.balance is not None and not call.reserves:
                self.balance -= cost
            if call.tells_payments:
                self._see(value)
            return Charge(cost, self.balance)

    def settle(self, payment_id: str, status: str) -> None:
        """A payment reached `status`, by whatever way we heard of it."""
        with self._lock:
            self._settle(payment_id, status)

    @property
    def available(self) -> Decimal | None:
        """The balance less what is reserved."""
        with self._lock:
            return None if self.balance is None else self.balance - sum(self.reserved.values(), Decimal(0))

    def _quiet(self, call: Call) -> bool:
        """No paid call other than this one is open: the told balance can be compared with the next."""
        return self._paid_calls_open == (1 if call.cost and not call.lookup else 0)

    def _cost(self, call: Call, told: Decimal | None) -> Decimal:
        if not call.lookup:
            return Decimal(call.cost)
        comparable = told is not None and self.balance is not None and self._quiet_since == self._paid_calls_begun
        if comparable and self._paid_calls_open == 0 and told < self.balance:  # type: ignore[operator]
            surprise = Surprise(call.label, self.balance - told)  # type: ignore[operator]
            self.surprises.append(surprise)
            return surprise.cost
        return Decimal(0)

    def _see(self, value: Any) -> None:
        value = value.get("data", value) if isinstance(value, Mapping) else value
        for payment in value if isinstance(value, list) else [value]:
            if isinstance(payment, Mapping) and "status" in payment and "id" in payment:
                self._settle(str(payment["id"]), str(payment["status"]))

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
