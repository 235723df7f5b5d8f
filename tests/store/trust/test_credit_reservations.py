"""Credits of payments are reserved when they are sent, and charged or expired when they are final."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from sqlalchemy import Connection

from connector.store import Database
from connector.store.rates import usage


def test_credits_of_payments_are_reserved_once_then_charged_or_expired(
    database: Database, write: Callable[[Any], Any]
) -> None:
    def reserve(connection: Connection) -> None:
        for payment in ("1", "2", "3", "1"):
            usage.reserve(connection, "key", payment, "2026-11-14", "flow", "pay", Decimal(3))
        usage.reserve(connection, "other", "1", "2026-11-14", "flow", "pay", Decimal(3))
        usage.add(connection, "key", "2026-11-14", "flow", "pay", Decimal(0), 3)

    def spent(flow: str | None = None) -> Decimal:
        return database.read(lambda c: usage.spent_on(c, "key", "2026-11-14", flow))

    write(reserve)
    assert (spent(), spent("flow"), spent("another")) == (9, 9, 0)
    assert database.read(lambda c: usage.reserved_since(c, "key")) == "2026-11-14"
    write(lambda c: usage.settle(c, "key", {"1": "charged", "2": "expired", "unknown": "charged"}))
    write(lambda c: usage.settle(c, "key", {"1": "expired"}))
    assert spent() == 6
    assert database.read(lambda c: usage.spent(c, "key", "2026-11-01")) == [
        usage.Spent("2026-11-14", "flow", "pay", 3, Decimal(3), Decimal(3))
    ]
    assert database.read(lambda c: usage.reservations(c, "key")) == {"3": 3}
    assert database.read(lambda c: usage.reservations(c, "other")) == {"1": 3}
