"""Who was paid at which IBAN under which name: from the service's payments list, and from our own runs.

A row is found by digests, and says what it stands for in a sealed body. One whose body does not belong to its place was
not written by Kontor: it makes nobody known.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, and_, or_, select

from connector.core.errors import InputError
from connector.core.values import json
from connector.core.writes.payees import Payee
from connector.store.database.statements import insert_if_absent
from connector.store.schema import payees, payees_read
from connector.store.trust.sealing import digest, opened, seal


@dataclass(frozen=True, slots=True)
class Digests:
    """What stands for a payee in rows."""

    name: str
    iban: str


def digests_of(connection: Connection, workspace: str, payee: Payee) -> Digests:
    """Return what stands for a payee, which is another in every workspace."""
    plain = payee.plain
    parts = (f"name {plain.name}" if plain.name else f"nameless {plain.iban}", f"iban {plain.iban}")
    return Digests(*(digest(connection, f"{workspace}\0{part}") for part in parts))


def remember(connection: Connection, workspace: str, paid: Iterable[tuple[Payee, float]]) -> None:
    """Keep who was paid, with the Unix time."""
    for payee, paid_at in paid:
        found = digests_of(connection, workspace, payee)
        row = {"workspace": workspace, "name": found.name, "iban": found.iban}
        text = json.encode_clean({"workspace": workspace, "name": payee.name, "iban": payee.iban}).decode()
        values = {"body": seal(connection, text), "paid_at": paid_at}
        if not insert_if_absent(connection, payees, row | values):
            same = and_(*(payees.c[name] == value for name, value in row.items()))
            connection.execute(payees.update().where(same, payees.c.paid_at < paid_at).values(values))


def known(connection: Connection, workspace: str, payee: Payee) -> list[Payee]:
    """Return everybody known by the name or by the IBAN of a payee, the newest first."""
    mine = payees.c.workspace == workspace
    if connection.execute(select(payees.c.name).where(mine).limit(1)).first() is None:
        return []  # there may be no key to make digests with yet
    wanted = digests_of(connection, workspace, payee)
    same = or_(payees.c.name == wanted.name, payees.c.iban == wanted.iban)
    query = select(payees).where(mine, same).order_by(payees.c.paid_at.desc())
    found = (_opened(connection, row) for row in connection.execute(query))
    return [one for one in found if one is not None]


def last_read(connection: Connection, workspace: str, credential: str) -> float | None:
    """Return when the list of an API key was read, as Unix time; None when it was not yet."""
    mine = and_(payees_read.c.workspace == workspace, payees_read.c.credential == credential)
    return connection.execute(select(payees_read.c.read_at).where(mine)).scalar_one_or_none()


def keep_read(
    connection: Connection, workspace: str, credential: str, paid: Iterable[tuple[Payee, float]], now: datetime
) -> None:
    """Keep who was paid, and that the list was read."""
    remember(connection, workspace, paid)
    place = {"workspace": workspace, "credential": credential}
    if not insert_if_absent(connection, payees_read, {**place, "read_at": now.timestamp()}):
        mine = and_(*(payees_read.c[name] == value for name, value in place.items()))
        connection.execute(payees_read.update().where(mine).values(read_at=now.timestamp()))


def _opened(connection: Connection, row: Any) -> Payee | None:
    """Return the payee of a row; None where its body is another row's, or was altered."""
    try:
        body = json.decode(opened(connection, row.body))
        payee = Payee(str(body["name"]), str(body["iban"]))
    except (InputError, ValueError, KeyError, TypeError):
        return None
    stands_for = Digests(row.name, row.iban)
    return payee if digests_of(connection, row.workspace, payee) == stands_for else None
