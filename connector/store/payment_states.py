"""The last status of every payment that was told to flows: statuses only move forward from here."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, and_, func, select, update

from connector.core.states import payment_moves_forward
from connector.store.moments import aware
from connector.store.once import insert_new
from connector.store.schema import payment_states

TOGETHER = 500
"""How many payments one question may name; databases have their limits."""
BASELINE = "*"
"""Stands in place of a payment id in the row that says: all payments of that moment are entered."""


def status_of(connection: Connection, credential_id: str, payment_id: str) -> str | None:
    """The last known status of a payment; None when it is not known yet."""
    return connection.execute(select(payment_states.c.status).where(_row(credential_id, payment_id))).scalar()


def statuses(connection: Connection, credential_id: str, payment_ids: Collection[str]) -> dict[str, str]:
    """The last known statuses of several payments; those not known yet are missing."""
    wanted, found = list(payment_ids), {}
    for first in range(0, len(wanted), TOGETHER):
        which = payment_states.c.payment_id.in_(wanted[first : first + TOGETHER])
        rows = connection.execute(
            select(payment_states.c.payment_id, payment_states.c.status).where(
                and_(payment_states.c.credential_id == credential_id, which)
            )
        )
        found.update({row.payment_id: row.status for row in rows})
    return found


def move(connection: Connection, credential_id: str, payment_id: str, status: str, now: datetime) -> bool:
    """Enters a later status; False when it is not later than the one known. Nothing ever goes back."""
    known = status_of(connection, credential_id, payment_id)
    if not payment_moves_forward(known, status):
        return False
    if known is None:
        line = {"credential_id": credential_id, "payment_id": payment_id, "status": status, "changed_at": now}
        return insert_new(connection, payment_states, line)  # another host may just be entering it
    unchanged = and_(_row(credential_id, payment_id), payment_states.c.status == known)
    changed = connection.execute(update(payment_states).where(unchanged).values(status=status, changed_at=now))
    return changed.rowcount == 1


def take_baseline(
    connection: Connection, credential_id: str, payments: Iterable[Mapping[str, Any]], now: datetime
) -> None:
    """Enters where all payments stand, so that only what happens from now on is news."""
    for payment in payments:
        id, status = payment.get("id"), payment.get("status")
        if isinstance(id, str) and isinstance(status, str):
            move(connection, credential_id, id, status, now)
    line = {"credential_id": credential_id, "payment_id": BASELINE, "status": "known", "changed_at": now}
    insert_new(connection, payment_states, line)


def has_baseline(connection: Connection, credential_id: str) -> bool:
    """Whether it was ever entered where all payments stand."""
    return status_of(connection, credential_id, BASELINE) is not None


def last_change(connection: Connection, credential_id: str) -> datetime | None:
    """When a payment last took a later status, as far as Kontor noticed."""
    mine = and_(payment_states.c.credential_id == credential_id, payment_states.c.payment_id != BASELINE)
    return aware(connection.execute(select(func.max(payment_states.c.changed_at)).where(mine)).scalar())


def _row(credential_id: str, payment_id: str) -> Any:
    return and_(payment_states.c.credential_id == credential_id, payment_states.c.payment_id == payment_id)
