"""What is due: one row for each kind of work and key, so that no host has to look at all keys to find it.

| column | meaning |
|---|---|
| `at` | when the key is next due; null: nothing is planned. While a host works at it, when others may take it over |
| `told` | how often news was told; a piece that was finished under an older number is due again |
| `owner` | the host that works at it; empty: nobody |
| `claims` | how often it was claimed: only the latest claim may finish it |

Whoever changes several rows takes them in the order of the primary key, or only those that nobody else is changing:
so no two hosts wait for each other.

A claim divides work between hosts: without it, each would work at every key. It ends at a time, so a host that was
frozen or whose clock jumped loses it while it still works. What keeps two from doing the same twice is the lease of the
work itself, which ends only when its counter stands still, and which a command line takes that claims nothing: without
it, a poll is paid twice. `tests/durable/poller/test_claims_and_leases.py` takes away one and then the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Executable,
    Select,
    and_,
    bindparam,
    case,
    delete,
    exists,
    func,
    or_,
    select,
    tuple_,
    update,
)

from connector.store.database.statements import as_utc, insert_into
from connector.store.schema import credentials, due_work

POLLS, EVENTS, DELIVERIES, RUNS = "polls", "events", "deliveries", "runs"
WEBHOOK_URLS, RECONCILIATIONS, ALERTS = "webhook_urls", "reconciliations", "alerts"
SLOW_DELIVERIES, BANK_STATES = "slow_deliveries", "bank_states"
OF_QUEUE = (DELIVERIES, SLOW_DELIVERIES)
"""Kinds whose key is a queue of deliveries; a queue is worked at as one of them at a time."""
FREE = ""
"""The owner of what nobody works at."""


class Claim(NamedTuple):
    """A piece of work that its owner has claimed."""

    kind: str
    key: str
    """A credential's id, a delivery queue's, a run's or a workspace's."""
    owner: str
    version: int
    claims: int


def schedule(connection: Connection, kind: str, key: str, now: datetime) -> None:
    """Say, in the caller's transaction, that there is news for a key: it is due now, or again when it is finished."""
    connection.execute(_scheduling(connection.dialect.name), {"kind": kind, "key": key, "at": now})


@cache
def _scheduling(dialect: str) -> Executable:
    fresh = insert_into(due_work, dialect).values(
        kind=bindparam("kind"), key=bindparam("key"), at=bindparam("at"), told=1, owner=FREE, claims=0
    )
    later = or_(due_work.c.at.is_(None), due_work.c.at > fresh.excluded.at)
    at = case((and_(due_work.c.owner == FREE, later), fresh.excluded.at), else_=due_work.c.at)
    newest = {"told": due_work.c.told + 1, "at": at}
    return fresh.on_conflict_do_update(index_elements=["kind", "key"], set_=newest)


def schedule_each(connection: Connection, kind: str, keys: Iterable[str], now: datetime) -> None:
    """Say that there is news for each of the keys, in an order that is the same on all hosts."""
    for key in sorted(set(keys)):
        schedule(connection, kind, key, now)


def schedule_polls(connection: Connection, fingerprint: str, now: datetime) -> None:
    """Say that cursors of an API key are due; one that is not kept here has none that could be polled."""
    ids = select(credentials.c.id).where(credentials.c.fingerprint == fingerprint)
    schedule_each(connection, POLLS, connection.execute(ids).scalars().all(), now)


def is_due(connection: Connection, kind: str, now: datetime) -> bool:
    """Whether any key is due."""
    due = exists().where(due_work.c.kind == kind, due_work.c.at <= now)
    return bool(connection.execute(select(due)).scalar_one())


def claim(
    connection: Connection, kind: str, owner: str, most: int, now: datetime, until: datetime, key: str | None = None
) -> list[Claim]:
    """Claim up to `most` due keys, the longest overdue first, or only this one; until then nobody else claims them."""
    query = select(due_work.c.key).where(_due(kind, now)).order_by(due_work.c.at).limit(most)
    if key is not None:
        query = query.where(due_work.c.key == key)
    keys = list(connection.execute(query.with_for_update(skip_locked=True)).scalars())
    if not keys:
        return []
    mine = and_(due_work.c.kind == kind, due_work.c.key.in_(keys))
    taken = update(due_work).where(mine).values(owner=owner, claims=due_work.c.claims + 1, at=until)
    rows = connection.execute(taken.returning(due_work.c.key, due_work.c.told, due_work.c.claims)).all()
    by_key = {row.key: Claim(kind, row.key, owner, row.told, row.claims) for row in rows}
    return [by_key[key] for key in keys]


def keep(connection: Connection, claims: Sequence[Claim], until: datetime) -> None:
    """Keep claims for longer. One that was lost is noticed when it is finished."""
    names = ("kind", "key", "owner", "claims")
    mine = and_(*(due_work.c[name] == bindparam(f"of_{name}") for name in names))
    rows = [{f"of_{name}": getattr(claim, name) for name in names} for claim in sorted(claims)]
    connection.execute(update(due_work).where(mine).values(at=until), rows)


def finish(connection: Connection, done: Claim, next_at: datetime | None, now: datetime) -> bool:
    """Plan the next time: `next_at`, or now if there was news meanwhile. False when the claim was lost."""
    mine = and_(_is(done.kind, done.key), due_work.c.owner == done.owner, due_work.c.claims == done.claims)
    at = case((due_work.c.told > done.version, now), else_=next_at)
    return connection.execute(update(due_work).where(mine).values(owner=FREE, at=at)).rowcount == 1


def forget(connection: Connection, kind: str, key: str) -> None:
    """Delete a key for which there is nothing to do any more."""
    connection.execute(delete(due_work).where(_is(kind, key)))


def pull_back(connection: Connection, planned: Mapping[str, datetime], held: datetime, now: datetime) -> int:
    """Make due what a clock that ran ahead has planned, and the claims of hosts with such a clock.

    `planned` is how far ahead each kind can be, `held` how far claims can be; other kinds have times of their own.
    """
    ahead = [and_(due_work.c.kind == kind, due_work.c.at > latest) for kind, latest in planned.items()]
    claimed = and_(due_work.c.owner != FREE, due_work.c.at > held)
    return sum(
        connection.execute(update(due_work).where(_not_locked(condition)).values(at=now)).rowcount
        for condition in (*ahead, claimed)
    )


def delete_sent(connection: Connection) -> int:
    """Delete the runs that were sent."""
    sent = and_(due_work.c.kind == RUNS, due_work.c.at.is_(None))
    return connection.execute(delete(due_work).where(_not_locked(sent))).rowcount


def planned(connection: Connection, kind: str, key: str) -> datetime | None:
    """Return when a key is next due, or when its claim ends."""
    return as_utc(connection.execute(select(due_work.c.at).where(_is(kind, key))).scalar_one_or_none())


def counts(connection: Connection, now: datetime) -> dict[str, int]:
    """Return how many keys of each kind are due."""
    query = select(due_work.c.kind, func.count()).where(due_work.c.at <= now).group_by(due_work.c.kind)
    return {kind: int(count) for kind, count in connection.execute(query)}


def most_overdue(connection: Connection, kind: str, before: datetime) -> str | None:
    """Return the key that has been due for longest, if it was due before then."""
    query = select(due_work.c.key).where(_due(kind, before)).order_by(due_work.c.at).limit(1)
    return connection.execute(query).scalar_one_or_none()


def longest_waiting(connection: Connection, kind: str, keys: Select[tuple[str]], before: datetime) -> datetime | None:
    """Return since when the longest overdue of these keys waits, if nobody took it though it was due before then."""
    waiting = and_(_due(kind, before), due_work.c.owner == FREE, due_work.c.key.in_(keys))
    earliest: datetime | None = as_utc(connection.execute(select(func.min(due_work.c.at)).where(waiting)).scalar_one())
    return earliest


def _due(kind: str, now: datetime) -> ColumnElement[bool]:
    return and_(due_work.c.kind == kind, due_work.c.at <= now)


def _not_locked(wanted: ColumnElement[bool]) -> ColumnElement[bool]:
    """Those rows that nobody else is changing; the others are found the next time."""
    free = select(due_work.c.kind, due_work.c.key).where(wanted).with_for_update(skip_locked=True)
    return tuple_(due_work.c.kind, due_work.c.key).in_(free)


def _is(kind: str, key: str) -> ColumnElement[bool]:
    return and_(due_work.c.kind == kind, due_work.c.key == key)
