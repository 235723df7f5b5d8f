"""Approvals: what waits for another person's yes, and what was said.

| state | meaning |
|---|---|
| open | nobody has decided yet |
| approved | a host is to send it, once |
| used | it was sent, or a host was about to when it died |
| rejected | a person said no |
| expired | nobody decided in time, or the approval lapsed before it was sent |

Every change is a compare-and-set, so that of two at the same moment only one decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal, cast

from sqlalchemy import ColumnElement, Connection, Row, and_, bindparam, exists, or_, select, update

from connector.core.callers import Actor
from connector.store.runs.runs import ENDED, IN_PROGRESS
from connector.store.schema import approvals, deliveries, due_work, runs, subscriptions
from connector.store.triggers.due_work import FREE, RUNS
from connector.store.trust import rights_register
from connector.store.trust.granting_rows import APPROVALS
from connector.store.trust.rights_register import Unverified

State = Literal["open", "approved", "used", "rejected", "expired"]
NOTHING_TOLD = ""
UNENDED = (NOTHING_TOLD, "awaiting_approval", "unknown")
"""What was told of runs that may have more to tell."""
_UNTOLD = and_(
    runs.c.id == approvals.c.run,
    # By the index: those that have ended and were told of are many, and never change again.
    approvals.c.told.in_(UNENDED),
    approvals.c.told != runs.c.state,
    runs.c.state.not_in(IN_PROGRESS),
)
_OVERDUE = and_(approvals.c.state == "open", approvals.c.expires_at <= bindparam("now"))
_ANY_NEWS = select(or_(exists().where(_OVERDUE), exists().where(_UNTOLD)))
_ANY_APPROVED = select(exists().where(approvals.c.state == "approved"))


@dataclass(frozen=True, slots=True)
class Approval:
    """A row of the table."""

    run: str
    workspace: str
    digest: str
    state: State
    reasons: tuple[str, ...]
    asked_by: str | None
    asked_person: str | None
    asked_at: datetime
    expires_at: datetime
    decided_by: str | None
    decided_person: str | None
    decided_at: datetime | None
    why: str | None
    callback: str | None
    told: str
    asked_id: str = ""
    """The person whose token asked; empty: a machine's, the host's own, or the owner of the machine."""
    asked_maker: str = ""
    """The people who may have made that token, by ids with commas between."""
    decided_id: str = ""

    @property
    def hands(self) -> frozenset[str]:
        """The people who may have asked."""
        return frozenset({self.asked_id, *self.asked_maker.split(",")} - {""})

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON for the public interfaces."""
        return {
            "state": self.state,
            "reasons": list(self.reasons),
            "asked_by": self.asked_by,
            "asked_person": self.asked_person,
            "asked_at": self.asked_at,
            "expires_at": self.expires_at,
            "decided_by": self.decided_by,
            "decided_person": self.decided_person,
            "decided_at": self.decided_at,
            "why": self.why,
        }


def ask(connection: Connection, asked: Approval) -> None:
    """Record that a run waits for approval. An approval that was given and not used yet stays as it is."""
    values = {
        "run": asked.run,
        "workspace": asked.workspace,
        "digest": asked.digest,
        "state": "open",
        "reasons": ",".join(asked.reasons),
        "asked_by": asked.asked_by,
        "asked_person": asked.asked_person,
        "asked_at": asked.asked_at.timestamp(),
        "expires_at": asked.expires_at.timestamp(),
        "decided_by": None,
        "decided_person": None,
        "decided_at": None,
        "why": None,
        "callback": asked.callback,
        "told": NOTHING_TOLD,
        "asked_id": asked.asked_id,
        "asked_maker": asked.asked_maker,
        "decided_id": "",
    }
    earlier = find(connection, asked.run)
    if earlier is None:
        rights_register.add(connection, APPROVALS, values)
    elif earlier.state != "approved" or earlier.digest != asked.digest:
        rights_register.change(connection, APPROVALS, (asked.run,), values)


def find(connection: Connection, run: str) -> Approval | None:
    """Return the approval of a run; one that is not as Kontor has left it counts as expired."""
    try:
        row = rights_register.find(connection, APPROVALS, (run,))
    except Unverified:
        row = connection.execute(select(approvals).where(approvals.c.run == run)).one_or_none()
        return None if row is None else replace(_approval(row), state="expired")
    return None if row is None else _approval(row)


def decide(
    connection: Connection, found: Approval, state: State, actor: Actor | None, why: str | None, now: datetime
) -> bool:
    """Record what a person, or time, has decided about an open approval; False when it is not open any more."""
    values = {
        "state": state,
        "decided_by": actor.name if actor else None,
        "decided_person": actor.person or actor.name if actor else None,
        "decided_at": now.timestamp(),
        "why": why,
        "decided_id": actor.person_id if actor and actor.is_own else "",
    }
    return _change(connection, found, "open", values)


def lapse(connection: Connection, found: Approval) -> bool:
    """Take back an approval that was not used in time; False when it is used meanwhile."""
    return _change(connection, found, "approved", {"state": "expired"})


def use(connection: Connection, run: str, digest: str) -> bool:
    """Use the approval of exactly this request, in the transaction right before its first byte; False without one."""
    return _change_if(connection, run, {"state": "used"}, approvals.c.digest == digest, approvals.c.state == "approved")


def in_state(connection: Connection, state: State, workspace: str | None = None) -> Sequence[Approval]:
    """Return the approvals in a state, the oldest first; with None of all workspaces."""
    wanted = [approvals.c.state == state]
    if workspace is not None:
        wanted.append(approvals.c.workspace == workspace)
    query = select(approvals).where(*wanted).order_by(approvals.c.run)
    return [_approval(row) for row in rights_register.find_all(connection, APPROVALS, query)]


def overdue(connection: Connection, now: datetime, most: int) -> Sequence[Approval]:
    """Return open approvals whose time is over."""
    query = select(approvals).where(_OVERDUE).limit(most).params(now=now.timestamp())
    return [_approval(row) for row in rights_register.find_all(connection, APPROVALS, query)]


def approved_unplanned(connection: Connection, most: int, soon: datetime) -> Sequence[str]:
    """Return the runs that were approved and are not planned to be sent before `soon`, the oldest first."""
    if not connection.execute(_ANY_APPROVED).scalar_one():
        return []
    mine = and_(due_work.c.kind == RUNS, due_work.c.key == approvals.c.run)
    planned = exists().where(mine, or_(due_work.c.owner != FREE, due_work.c.at <= soon))
    new = select(approvals).where(approvals.c.state == "approved", ~planned).order_by(approvals.c.run).limit(most)
    return [row.run for row in rights_register.find_all(connection, APPROVALS, new)]


def any_news(connection: Connection, now: datetime) -> bool:
    """Whether there is an open approval whose time is over, or a run whose state was not told yet."""
    return bool(connection.execute(_ANY_NEWS, {"now": now.timestamp()}).scalar_one())


def untold(connection: Connection) -> Sequence[tuple[Approval, str]]:
    """Return the approvals whose run is in a state that was not told yet, each with that state."""
    joined = select(approvals, runs.c.state.label("run_state")).where(_UNTOLD)
    return [(_approval(row), str(row.run_state)) for row in connection.execute(joined.limit(100))]


def spent_callbacks(connection: Connection) -> Sequence[str]:
    """Return the subscriptions that have told a caller the end of its run, and have nothing more to tell."""
    waiting = select(deliveries.c.id).where(
        deliveries.c.subscription_id == approvals.c.callback, deliveries.c.state == "waiting"
    )
    ended = and_(approvals.c.callback.is_not(None), approvals.c.told.in_(ENDED), ~waiting.exists())
    active = and_(subscriptions.c.id == approvals.c.callback, subscriptions.c.state == "active")
    return list(connection.execute(select(approvals.c.callback).join(subscriptions, active).where(ended)).scalars())


def mark_told(connection: Connection, run: str, state: str) -> None:
    """Record that the state of a run was told."""
    connection.execute(update(approvals).where(approvals.c.run == run).values(told=state))


def _change(connection: Connection, found: Approval, state: State, values: dict[str, Any]) -> bool:
    return _change_if(connection, found.run, values, approvals.c.digest == found.digest, approvals.c.state == state)


def _change_if(connection: Connection, run: str, values: dict[str, Any], *where: ColumnElement[bool]) -> bool:
    try:
        return rights_register.change(connection, APPROVALS, (run,), values, *where)
    except Unverified:
        return False


def _approval(row: Row[Any]) -> Approval:
    asked_at, expires_at = (datetime.fromtimestamp(at, UTC) for at in (row.asked_at, row.expires_at))
    return Approval(
        row.run,
        row.workspace,
        row.digest,
        cast("State", row.state),
        tuple(row.reasons.split(",")),
        row.asked_by,
        row.asked_person,
        asked_at,
        expires_at,
        row.decided_by,
        row.decided_person,
        None if row.decided_at is None else datetime.fromtimestamp(row.decided_at, UTC),
        row.why,
        row.callback,
        row.told,
        row.asked_id,
        row.asked_maker,
        row.decided_id,
    )
