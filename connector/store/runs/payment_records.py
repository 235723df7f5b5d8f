"""What is known of payments: paid on a day, read at the service, and the last reported status of each.

What a workspace has paid on a day, for the limit of the day.

A payment counts from the moment before it is sent, in the same transaction, and whatever becomes of it, unless it
certainly did not happen. Those who reserve at the same time wait for one another at the row of the policy. What counts
is held against the register of rights, day by day: where rows were deleted or changed by somebody without the data key,
a workspace with limits pays nothing on that day, unless an admin has looked at it.

How far the payments list of an API key was read whole, and the marks of the payments below.

Rows can appear below a higher id for a while, so the list counts as read up to a day before its newest row. What lies
above is read again by each look-up; what lies below is found here by its mark.

The last reported status of every payment; a status never goes back.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from hashlib import sha256
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, delete, func, select, update

from connector.core.errors import RightMissing
from connector.core.messages import say
from connector.core.service_facts import payment_moves_forward
from connector.core.writes.payees import Payee
from connector.store.database.statements import as_utc, insert_if_absent
from connector.store.runs.payees import Digests, digests_of
from connector.store.schema import payment_days, payment_marks, payment_states, payments_made, payments_read, runs
from connector.store.trust import rights_register
from connector.store.trust.granting_rows import PAYMENT_DAYS, described
from connector.store.trust.rights_register import Unverified

DAYS_SEALED = timedelta(days=2)
"""For how long a day is held against what was entered of it; only the limits of the day need it."""
NOT_MADE = ("refused", "rejected", "expired")


class DayUnverified(RightMissing):
    """What was paid on a day is not as Kontor has left it, so no limit of the day can be held."""

    def __init__(self, workspace: str, day: str) -> None:
        message = say("rights_unverified", what=described(PAYMENT_DAYS.name, (workspace, day)))
        remedy = say("payments_unverified_remedy")
        super().__init__(message, remedy=remedy, outcome="not_sent", reason="payments_unverified")


def total_paid(connection: Connection, workspace: str, day: str, except_run: str) -> Decimal:
    """Return what the other runs of the workspace have paid on a day, in EUR; raise when that is not known."""
    rows = _counted(connection, workspace, day)
    return Decimal(sum(row.cents for row in rows if row.run != except_run)) / 100


@dataclass(frozen=True, slots=True)
class PaidTo:
    """What has gone to a payee on a day, in EUR."""

    total: Decimal = Decimal(0)
    unapproved: Decimal = Decimal(0)
    """Of it, what nobody else has approved."""


def paid_to(connection: Connection, workspace: str, day: str, except_run: str, payee: Payee) -> PaidTo:
    """Return what the other runs of the workspace have paid on a day to this IBAN, or under this name.

    Raise when that is not known.
    """
    rows = [row for row in _counted(connection, workspace, day) if row.run != except_run and row.payee is not None]
    if not rows:
        return PaidTo()  # there may be no key to make digests with yet
    digests = digests_of(connection, workspace, payee)
    same = [row for row in rows if row.payee == digests.iban or row.payee_name == digests.name]
    unapproved = sum(row.cents for row in same if not row.approved)
    return PaidTo(Decimal(sum(row.cents for row in same)) / 100, Decimal(unapproved) / 100)


def record_paid(
    connection: Connection,
    run: str,
    workspace: str,
    day: str,
    amount: Decimal,
    payee: Digests | None = None,
    *,
    approved: bool = False,
) -> None:
    """Count a payment that is about to be sent."""
    rights_register.lock(connection, PAYMENT_DAYS, (workspace, day))
    is_as_left = is_verified(connection, workspace, day)
    connection.execute(delete(payments_made).where(payments_made.c.run == run))
    row = {"run": run, "workspace": workspace, "day": day, "cents": int((amount * 100).to_integral_value())}
    to = {} if payee is None else {"payee": payee.iban, "payee_name": payee.name}
    insert_if_absent(connection, payments_made, {**row, **to, "approved": approved, "made": True})
    if is_as_left:
        seal_day(connection, workspace, day)


def count_again(connection: Connection, run: str, *, made: bool) -> None:
    """Count a payment or not, as soon as it is known whether it happened."""
    row = connection.execute(select(payments_made).where(payments_made.c.run == run)).one_or_none()
    if row is None or row.made is None or row.made is made:
        return
    rights_register.lock(connection, PAYMENT_DAYS, (row.workspace, row.day))
    is_as_left = is_verified(connection, row.workspace, row.day)
    connection.execute(update(payments_made).where(payments_made.c.run == run).values(made=made))
    if is_as_left:
        seal_day(connection, row.workspace, row.day)


def is_verified(connection: Connection, workspace: str, day: str) -> bool:
    """Whether what was paid on a day is as Kontor has left it."""
    try:
        _verified(connection, workspace, day)
    except DayUnverified:
        return False
    return True


def seal_day(connection: Connection, workspace: str, day: str) -> None:
    """Enter what was paid on a day, as it stands now; what was paid long before needs no entry any more."""
    rows = _sealed_rows(connection, workspace, day)
    row = {"workspace": workspace, "day": day, "payments": len(rows), "digest": _digest(rows)}
    if connection.execute(select(payment_days.c.day).where(_is_day(workspace, day))).first() is None:
        before = (date.fromisoformat(day) - DAYS_SEALED).isoformat()
        old = and_(payment_days.c.workspace == workspace, payment_days.c.day < before)
        for name in connection.execute(select(payment_days.c.day).where(old)).scalars().all():
            if is_verified(connection, workspace, name):
                rights_register.remove(connection, PAYMENT_DAYS, (workspace, name))
    rights_register.put(connection, PAYMENT_DAYS, row)


def altered_days(connection: Connection, workspace: str | None = None) -> list[tuple[str, str]]:
    """Return the days, each with its workspace first, whose payments are others than those that were entered.

    With None of all workspaces.
    """
    if not rights_register.can_verify(connection):
        return []
    days = select(payment_days)
    sealed = select(payments_made.c.workspace, payments_made.c.day).where(payments_made.c.made.is_not(None)).distinct()
    if workspace is not None:
        days = days.where(payment_days.c.workspace == workspace)
        sealed = sealed.where(payments_made.c.workspace == workspace)
    entered = [(row.workspace, row.day) for row in connection.execute(days)]
    since = min((day for _, day in entered), default=None)
    if since is not None:
        entered += [(row.workspace, row.day) for row in connection.execute(sealed.where(payments_made.c.day >= since))]
    return [one for one in sorted(set(entered)) if not is_verified(connection, *one)]


def _counted(connection: Connection, workspace: str, day: str) -> list[Row[Any]]:
    """Return the payments of a day that count; raise when they are not as Kontor has left them."""
    rows = [row for row in _verified(connection, workspace, day) if row.made]
    # What an earlier version has counted, on the day on which it was replaced.
    earlier = select(payments_made).join(runs, runs.c.id == payments_made.c.run)
    unsealed = and_(_is_made_on(workspace, day), payments_made.c.made.is_(None), runs.c.state.not_in(NOT_MADE))
    return [*rows, *connection.execute(earlier.where(unsealed))]


def _verified(connection: Connection, workspace: str, day: str) -> list[Row[Any]]:
    try:
        sealed = rights_register.find(connection, PAYMENT_DAYS, (workspace, day))
    except Unverified:
        raise DayUnverified(workspace, day) from None
    for _ in range(rights_register.TRIES):
        rows = _sealed_rows(connection, workspace, day)
        if not rights_register.can_verify(connection) or (
            (len(rows), _digest(rows)) == ((0, _digest(())) if sealed is None else (sealed.payments, sealed.digest))
        ):
            return rows
        # Another payment may have been counted between the two readings.
        sealed = connection.execute(select(payment_days).where(_is_day(workspace, day))).one_or_none()
    raise DayUnverified(workspace, day)


def _sealed_rows(connection: Connection, workspace: str, day: str) -> list[Row[Any]]:
    mine = and_(_is_made_on(workspace, day), payments_made.c.made.is_not(None))
    return list(connection.execute(select(payments_made).where(mine).order_by(payments_made.c.run)))


def _digest(rows: Iterable[Row[Any]]) -> str:
    told = [[row.run, row.cents, row.payee, row.payee_name, bool(row.approved), bool(row.made)] for row in rows]
    return sha256(json.dumps(told).encode()).hexdigest()


def _is_made_on(workspace: str, day: str) -> ColumnElement[bool]:
    return and_(payments_made.c.workspace == workspace, payments_made.c.day == day)


def _is_day(workspace: str, day: str) -> ColumnElement[bool]:
    return and_(payment_days.c.workspace == workspace, payment_days.c.day == day)


MARK_CHARACTERS, ID_CHARACTERS = 200, 64


@dataclass(frozen=True, slots=True)
class Position:
    """Up to where the list of an API key was read."""

    read_until: float | None = None
    """All rows made before this Unix time are known here; None: it was not read whole yet."""
    after_id: str | None = None
    """All rows made since have higher ids; None: ids do not follow the time."""
    back_from: str | None = None
    """The day from which on a first reading is under way."""
    back_cursor: str | None = None
    """The id up to which that has come."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A payment that carries a mark of ours."""

    payment_id: str
    mark: str
    digest: str


def read_position(connection: Connection, credential: str) -> Position:
    """Return up to where the list was read."""
    row = connection.execute(select(payments_read).where(payments_read.c.credential == credential)).one_or_none()
    return Position() if row is None else Position(row.read_until, row.after_id, row.back_from, row.back_cursor)


def advance_position(connection: Connection, credential: str, to: Position, marks: Iterable[Mark]) -> None:
    """Keep the marks of what was read together with the new position; another reader's later one stays."""
    rows = [
        {"credential": credential, "payment_id": one.payment_id, "mark": one.mark, "digest": one.digest}
        for one in marks
        if len(one.mark) <= MARK_CHARACTERS and len(one.payment_id) <= ID_CHARACTERS
    ]
    for row in rows:
        insert_if_absent(connection, payment_marks, row)
    known = read_position(connection, credential)
    if known.read_until is not None and (to.read_until is None or to.read_until < known.read_until):
        return
    connection.execute(delete(payments_read).where(payments_read.c.credential == credential))
    values = {name: getattr(to, name) for name in ("read_until", "after_id", "back_from", "back_cursor")}
    insert_if_absent(connection, payments_read, {"credential": credential, **values})


def marked_payments(connection: Connection, credential: str, mark: str) -> list[Mark]:
    """Return the known payments that carry a mark."""
    mine = (payment_marks.c.credential == credential, payment_marks.c.mark == mark)
    rows = connection.execute(select(payment_marks).where(*mine).order_by(payment_marks.c.payment_id))
    return [Mark(row.payment_id, row.mark, row.digest) for row in rows]


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


def advance_status(connection: Connection, credential_id: str, payment_id: str, status: str, now: datetime) -> bool:
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
            advance_status(connection, credential_id, id, status, now)
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
