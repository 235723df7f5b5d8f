"""How far the payments list of an API key was read whole, and the marks of the payments below.

Rows can appear below a higher id for a while, so the list counts as read up to a day before its newest row. What lies
above is read again by each look-up; what lies below is found here by its mark.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, delete, select

from connector.store.insert_once import insert_if_absent
from connector.store.schema import payment_marks, payments_read

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


def position(connection: Connection, credential: str) -> Position:
    """Return up to where the list was read."""
    row = connection.execute(select(payments_read).where(payments_read.c.credential == credential)).one_or_none()
    return Position() if row is None else Position(row.read_until, row.after_id, row.back_from, row.back_cursor)


def advance(connection: Connection, credential: str, to: Position, marks: Iterable[Mark]) -> None:
    """Keep the marks of what was read together with the new position; another reader's later one stays."""
    rows = [
        {"credential": credential, "payment_id": one.payment_id, "mark": one.mark, "digest": one.digest}
        for one in marks
        if len(one.mark) <= MARK_CHARACTERS and len(one.payment_id) <= ID_CHARACTERS
    ]
    for row in rows:
        insert_if_absent(connection, payment_marks, row)
    known = position(connection, credential)
    if known.read_until is not None and (to.read_until is None or to.read_until < known.read_until):
        return
    connection.execute(delete(payments_read).where(payments_read.c.credential == credential))
    values = {name: getattr(to, name) for name in ("read_until", "after_id", "back_from", "back_cursor")}
    insert_if_absent(connection, payments_read, {"credential": credential, **values})


def marked(connection: Connection, credential: str, mark: str) -> list[Mark]:
    """Return the known payments that carry a mark."""
    mine = (payment_marks.c.credential == credential, payment_marks.c.mark == mark)
    rows = connection.execute(select(payment_marks).where(*mine).order_by(payment_marks.c.payment_id))
    return [Mark(row.payment_id, row.mark, row.digest) for row in rows]
