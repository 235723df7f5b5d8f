"""The last reported status of every payment; a status never goes back."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, and_, func, select, update

from connector.core.payment_states import payment_moves_forward
from connector.store.insert_once import insert_if_absent
from connector.store.schema import payment_states
from connector.store.timestamps import as_utc

BATCH_SIZE = 500
"""How many payment ids one query names; databases limit that."""
BASELINE = "*"
"""Stands for the payment id in the row that records that a baseline was taken."""


def status_of(connection: Connection, credential_id: str, payment_id: str) -> str | None:
    """Return the last known status of a payment; None when it is not known."""
    return connection.execute(select(payment_states.c.status).where(_row(credential_id, payment_id))).scalar()


def statuses(connection: Connection, credential_id: str, payment_ids: Collection[str]) -> dict[str, str]:
    """Return the last known statuses of several payments, without those not known."""
    wanted, found = list(payment_ids), {}
    for first in range(0, len(wanted), BATCH_SIZE):
        which = payment_states.c.payment_id.in_(wanted[first : first + BATCH_SIZE])
        rows = connection.execute(
            select(payment_states.c.payment_id, payment_states.c.status).where(
                and_(payment_states.c.credential_id == credential_id, which)
            )
        )
        found.update({row.payment_id: row.status for row in rows})
    return found


def advance(connection: Connection, credential_id: str, payment_id: str, status: str, now: datetime) -> bool:
    """Store a later status; False when it is not later than the known one."""
    known = status_of(connection, credential_id, payment_id)
    if not payment_moves_forward(known, status):
        return False
    if known is None:
        line = {"credential_id": credential_id, "payment_id": payment_id, "status": status, "changed_at": now}
        return insert_if_absent(connection, payment_states, line)  # another host may insert it at the same time
    unchanged = and_(_row(credential_id, payment_id), payment_states.c.status == known)
    changed = connection.execute(update(payment_states).where(unchanged).values(status=status, changed_at=now))
    return changed.rowcount == 1


def take_baseline(
    connection: Connection, credential_id: str, payments: Iterable[Mapping[str, Any]], now: datetime
) -> None:
    """Store the current status of all payments, so that only later changes fire."""
    for payment in payments:
        id, status = payment.get("id"), payment.get("status")
        if isinstance(id, str) and isinstance(status, str):
            advance(connection, credential_id, id, status, now)
    line = {"credential_id": credential_id, "payment_id": BASELINE, "status": "known", "changed_at": now}
    insert_if_absent(connection, payment_states, line)


def has_baseline(connection: Connection, credential_id: str) -> bool:
    """Whether a baseline was ever taken."""
    return status_of(connection, credential_id, BASELINE) is not None


def last_change(connection: Connection, credential_id: str) -> datetime | None:
    """Return when the status of any payment last changed."""
    mine = and_(payment_states.c.credential_id == credential_id, payment_states.c.payment_id != BASELINE)
    return as_utc(connection.execute(select(func.max(payment_states.c.changed_at)).where(mine)).scalar())


def _row(credential_id: str, payment_id: str) -> Any:
    return and_(payment_states.c.credential_id == credential_id, payment_states.c.payment_id == payment_id)
