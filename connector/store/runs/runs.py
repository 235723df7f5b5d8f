"""Runs: every write is recorded before it is sent, so that it is sent at most once.

| state | meaning | when the same key is used again |
|---|---|---|
| claimed | nothing was sent yet | wait for it; if its owner is dead, take it over |
| sending | it may have been sent | wait for it; if its owner is dead, look it up, never send it |
| done | the service confirmed it | return the first result |
| refused | the service said no, or it was certainly not sent | try again; if that is only assumed, say no again |
| unknown | it is unknown whether the service acted | look it up where possible, never send it |
| settled | a person has decided the outcome | return that decision, or try again if it did not happen |
| awaiting_approval | another person must approve it first | return that it waits |
| rejected, expired | nobody approved it | say so; a new key asks anew |

`claimed → sending` is one compare-and-set on the owner, so a host that was stopped in between cannot send what another
has taken over. Each `sending` is one request; only the sender itself takes it back, when nothing left or the rate
limiter turned it away, and at most three requests of a run ever reach the service. No clock decides who is dead: an
owner increments `beat` while it works, and observers watch it.

Cancels a run that was not sent yet.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, get_args

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    and_,
    bindparam,
    delete,
    literal_column,
    or_,
    select,
    update,
)

from connector.core.callers import CallSource
from connector.core.values import json
from connector.core.writes.marks import without_marks
from connector.store.database.statements import insert_if_absent
from connector.store.runs import payment_records
from connector.store.schema import LOOKED_FOR, OPEN, UNRESOLVED, held_back, repeat_guard, runs
from connector.store.trust import audit, workspaces
from connector.store.trust.sealing import BodyAltered, is_bound, opened, seal

State = Literal[
    "awaiting_approval", "rejected", "expired", "claimed", "sending", "done", "refused", "unknown", "settled"
]
STATES: tuple[State, ...] = get_args(State)
Kind = Literal["write", "read"]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""Writes are kept here, reads in `read_runs`."""
SHOWN = (
    *("id", "workspace", "key", "action", "state", "inputs", "digest", "outcome", "made_at", "changed_at"),
    *("actor", "person", "face", "origin", "kind"),
)
IN_PROGRESS = ("claimed", "sending")
ENDED = ("done", "refused", "settled", "rejected", "expired")
PROCESS_CHARACTERS = 32
"""How many first characters of an owner name its process."""
MAX_SENDINGS = 3
"""How many requests of a run may ever reach the service; all but the last were turned away by its rate limiter."""
ABANDONED_AFTER = 30.0
"""Seconds without a heartbeat after which a list shows a run that is being sent among the unknown ones."""


def new_id(now: datetime) -> str:
    """Return an id for a run; ids sort by time."""
    return f"{int(now.timestamp() * 1000):012x}{secrets.token_hex(10)}"


@dataclass(frozen=True, slots=True)
class NewRun:
    """A write that is about to be sent."""

    id: str
    workspace: str
    key: str | None
    credential: str
    action: str
    digest: str
    inputs: bytes
    owner: str
    actor: str | None = None
    person: str | None = None
    face: str | None = None
    origin: str | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """A row of the runs."""

    id: str
    workspace: str
    key: str | None
    credential: str
    action: str
    digest: str
    inputs: Any
    state: State
    owner: str
    beat: int
    outcome: Any
    made_at: datetime
    changed_at: datetime
    actor: str | None = None
    person: str | None = None
    face: str | None = None
    origin: str | None = None
    kind: Kind = "write"
    is_bound: bool = True
    """Whether the inputs were encrypted for this run; those of older versions were not."""
    is_altered: bool = False
    """Whether the inputs were changed, or taken from another run, by somebody without the data key."""

    @property
    def pulse(self) -> tuple[str, str, int]:
        """What changes as long as somebody works on the run."""
        return self.state, self.owner, self.beat

    @property
    def is_known_not_made(self) -> bool:
        """Whether the service has refused it, or a person has said that it did not happen."""
        return self.state == "settled" or (self.state == "refused" and (self.outcome or {}).get("outcome") == "refused")

    @property
    def happened(self) -> bool | None:
        """Whether it happened, where that is known."""
        outcome = self.outcome if isinstance(self.outcome, dict) else {}
        return {"done": True, "settled": bool(outcome.get("happened", True)), "refused": False}.get(self.state)

    def is_unresolved(self, now: datetime) -> bool:
        """Whether a person may have to say what became of it; `listed` finds the same ones as unknown."""
        age = abs((now - self.changed_at).total_seconds())
        return self.state == "unknown" or (self.state == "sending" and age > ABANDONED_AFTER)

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON for the public interfaces."""
        return {name: getattr(self, name) for name in SHOWN}


class ClaimLost(Exception):
    """Another owner has taken the run over, or a person has settled it: it must not be sent."""


class EqualInFlight(Exception):
    """An equal run is being sent, or was when its owner died. Nothing was recorded of this one."""

    def __init__(self, run_id: str) -> None:
        super().__init__(run_id)
        self.run_id = run_id


_PROCESS: ColumnElement[str] = literal_column(f"substr(runs.owner, 1, {PROCESS_CHARACTERS})")
_MINE = and_(runs.c.id == bindparam("of_id"), runs.c.owner == bindparam("of_owner"))
_START_SENDING = (
    update(runs)
    .where(_MINE, runs.c.state == "claimed", runs.c.sendings < MAX_SENDINGS)
    .values(state="sending", changed_at=bindparam("at"), sendings=runs.c.sendings + 1)
)
_FINISH = (
    update(runs)
    .where(_MINE, runs.c.state.in_(("claimed", "sending", "unknown")))
    .values(state=bindparam("to_state"), outcome=bindparam("with_outcome"), changed_at=bindparam("at"))
)
_EQUAL = (
    select(runs.c.state, runs.c.id)
    .where(
        runs.c.workspace == bindparam("of_workspace"),
        runs.c.digest == bindparam("of_digest"),
        UNRESOLVED,
        or_(runs.c.state == "unknown", bindparam("of_process") != _PROCESS),
        runs.c.id != bindparam("of_id"),
    )
    .order_by(runs.c.state.desc())  # unknown ones before those being sent
)


def row_of(run: NewRun, state: State, now: datetime) -> dict[str, Any]:
    """Return the row of a new run."""
    return {
        "id": run.id,
        "workspace": run.workspace,
        "key": run.key,
        "credential": run.credential,
        "action": run.action,
        "digest": run.digest,
        "inputs": run.inputs.decode(),
        "state": state,
        "owner": run.owner,
        "beat": 0,
        "outcome": None,
        "made_at": now.timestamp(),
        "changed_at": now.timestamp(),
        "actor": run.actor,
        "person": run.person,
        "face": run.face,
        "origin": run.origin,
        "sendings": int(state == "sending"),
        "find_until": None,
    }


def insert(connection: Connection, run: NewRun, state: State, now: datetime) -> bool:
    """Record a new run; False when its key is taken."""
    row = row_of(run, state, now)
    return insert_if_absent(connection, runs, {**row, "inputs": seal(connection, row["inputs"], run.id)})


def claim(connection: Connection, run: NewRun, now: datetime) -> Run | None:
    """Record a run under its key and return None; if the key was used before, return the earlier run instead."""
    assert run.key is not None
    return None if insert(connection, run, "claimed", now) else find_by_key(connection, run.workspace, run.key)


def take_over(connection: Connection, found: Run, run: NewRun, now: datetime) -> bool:
    """Claim an earlier run of the key in order to send it; False when it has changed since it was found."""
    unchanged = and_(
        runs.c.id == found.id,
        runs.c.owner == found.owner,
        runs.c.state == found.state,
        runs.c.beat == found.beat,
    )
    values = {
        "state": "claimed",
        "owner": run.owner,
        "beat": 0,
        "outcome": None,
        "credential": run.credential,
        "digest": run.digest,
        "inputs": seal(connection, run.inputs.decode(), found.id),
        "changed_at": now.timestamp(),
        "find_until": None,
    }
    if found.is_known_not_made:
        values["sendings"] = 0
    return connection.execute(update(runs).where(unchanged).values(values)).rowcount == 1


def await_approval(connection: Connection, run: NewRun, now: datetime) -> None:
    """Let a claimed run wait for approval, with all its inputs; raise `ClaimLost` when another has taken it over."""
    mine = and_(runs.c.id == run.id, runs.c.owner == run.owner, runs.c.state == "claimed")
    inputs = seal(connection, run.inputs.decode(), run.id)
    values = {"state": "awaiting_approval", "inputs": inputs, "changed_at": now.timestamp()}
    if connection.execute(update(runs).where(mine).values(values)).rowcount != 1:
        raise ClaimLost


def end_waiting(connection: Connection, run_id: str, state: State, outcome: Any, now: datetime) -> bool:
    """Record that a run is not sent, because nobody approved it; False when it does not wait any more."""
    waiting = and_(runs.c.id == run_id, runs.c.state == "awaiting_approval")
    text = seal(connection, json.encode_clean(outcome).decode())
    values = {"state": state, "outcome": text, "changed_at": now.timestamp()}
    return connection.execute(update(runs).where(waiting).values(values)).rowcount == 1


def change_state(connection: Connection, found: Run, state: State, outcome: Any, now: datetime) -> bool:
    """Let a run that nobody works on go on or end; False when it has changed since it was found."""
    same = and_(runs.c.id == found.id, runs.c.owner == found.owner, runs.c.state == found.state)
    text = None if outcome is None else seal(connection, json.encode_clean(outcome).decode())
    values = {"state": state, "outcome": text, "changed_at": now.timestamp()}
    return connection.execute(update(runs).where(same).values(values)).rowcount == 1


def keep_inputs(connection: Connection, found: Run, inputs: bytes) -> None:
    """Keep the inputs of a run whole, files included, so that it can be sent later."""
    connection.execute(
        update(runs).where(runs.c.id == found.id).values(inputs=seal(connection, inputs.decode(), found.id))
    )


def start_sending(connection: Connection, run_id: str, owner: str, now: datetime) -> None:
    """Record that the run is being sent; raise `ClaimLost` when it is no longer the owner's."""
    mine = {"of_id": run_id, "of_owner": owner, "at": now.timestamp()}
    if connection.execute(_START_SENDING, mine).rowcount != 1:
        raise ClaimLost


def take_back(connection: Connection, run: NewRun, *, counted: bool, now: datetime) -> bool:
    """Return a run that was not accepted to its claim; False when it was sent as often as may be, or is not ours.

    `counted`: its request reached the service, whose rate limiter turned it away.
    """
    mine = and_(runs.c.id == run.id, runs.c.owner == run.owner, runs.c.state == "sending")
    sendings = runs.c.sendings if counted else runs.c.sendings - 1
    change = update(runs).where(mine, sendings < MAX_SENDINGS)
    values = {"state": "claimed", "sendings": sendings, "changed_at": now.timestamp()}
    return connection.execute(change.values(values)).rowcount == 1


def look_for(connection: Connection, run_id: str, until: datetime) -> None:
    """Let a refused run be looked for until then: its refusal is only assumed to mean that nothing was done."""
    connection.execute(update(runs).where(runs.c.id == run_id).values(find_until=until.timestamp()))


def looked_for(connection: Connection, workspace: str, now: datetime) -> Sequence[Run]:
    """Return the refused runs of a workspace that are still looked for."""
    wanted = and_(LOOKED_FOR, runs.c.find_until > now.timestamp(), runs.c.workspace == workspace)
    rows = connection.execute(select(runs).where(wanted, runs.c.state == "refused").order_by(runs.c.id))
    return [read_row(connection, row) for row in rows]


def finish(connection: Connection, run: NewRun, state: State, outcome: Any, now: datetime) -> bool:
    """Record the outcome that the owner of the run learned, unless a person has settled it meanwhile."""
    text = seal(connection, json.encode_clean(outcome).decode())
    mine = {"of_id": run.id, "of_owner": run.owner, "at": now.timestamp()}
    finished = connection.execute(_FINISH, {**mine, "to_state": state, "with_outcome": text}).rowcount == 1
    if finished and state == "refused":
        payment_records.count_again(connection, run.id, made=False)
    return finished


def abandon(connection: Connection, owner: str, outcome: Any, now: datetime) -> str | None:
    """End the run that an owner has claimed and not sent, whose caller gave up; return its id, None without one."""
    claimed = and_(OPEN, runs.c.state == "claimed", runs.c.owner == owner)
    run_id: str | None = connection.execute(select(runs.c.id).where(claimed)).scalar_one_or_none()
    if run_id is None:
        return None
    text = seal(connection, json.encode_clean(outcome).decode())
    values = {"state": "refused", "outcome": text, "changed_at": now.timestamp()}
    changed = connection.execute(update(runs).where(runs.c.id == run_id, claimed).values(values)).rowcount == 1
    return run_id if changed else None


def resolve(connection: Connection, found: Run, state: State, outcome: Any, now: datetime) -> bool:
    """Record what an observer found out about a run that is being sent or unknown, or was refused without proof."""
    unresolved: ColumnElement[bool] = runs.c.state.in_(("sending", "unknown"))
    if found.state == "refused":
        unresolved = and_(runs.c.state == "refused", runs.c.find_until.is_not(None))
    same = and_(runs.c.id == found.id, runs.c.owner == found.owner, unresolved)
    text = seal(connection, json.encode_clean(outcome).decode())
    values = {"state": state, "outcome": text, "changed_at": now.timestamp()}
    if connection.execute(update(runs).where(same).values(values)).rowcount != 1:
        return False
    if found.state == "refused" or state == "refused":
        payment_records.count_again(connection, found.id, made=state != "refused")
    return True


def beat(connection: Connection, owners: Collection[str], now: datetime) -> None:
    """Increment the heartbeats of runs that these owners work on."""
    mine = and_(OPEN, runs.c.state.in_(IN_PROGRESS), runs.c.owner.in_(owners))
    connection.execute(update(runs).where(mine).values(beat=runs.c.beat + 1, changed_at=now.timestamp()))


def find(connection: Connection, workspace: str | None, run_id: str) -> Run | None:
    """Return the run with this id; with None of any workspace."""
    own = runs.c.id == run_id if workspace is None else and_(runs.c.id == run_id, runs.c.workspace == workspace)
    return _one(connection, own)


def find_by_key(connection: Connection, workspace: str, key: str) -> Run | None:
    """Return the run of a key."""
    return _one(connection, and_(runs.c.workspace == workspace, runs.c.key == key))


def listed(
    connection: Connection,
    workspace: str,
    now: datetime,
    *,
    state: str | None = None,
    action: str | None = None,
    key: str | None = None,
    after: str | None = None,
    limit: int = 1000,
) -> Sequence[Run]:
    """Return runs of the workspace, the oldest first; those abandoned while being sent count as unknown."""
    wanted = [runs.c.workspace == workspace]
    if state == "unknown":
        wanted.append(_unresolved(now))
    elif state is not None:
        wanted.append(runs.c.state == state)
    wanted += [column == value for column, value in ((runs.c.action, action), (runs.c.key, key)) if value is not None]
    if after is not None:
        wanted.append(runs.c.id > after)
    rows = connection.execute(select(runs).where(and_(*wanted)).order_by(runs.c.id).limit(limit))
    return [read_row(connection, row) for row in rows]


def _unresolved(now: datetime) -> ColumnElement[bool]:
    # A clock that was wrong puts the change into the future; that must not hide the run.
    at = now.timestamp()
    old = or_(runs.c.changed_at < at - ABANDONED_AFTER, runs.c.changed_at > at + ABANDONED_AFTER)
    return and_(OPEN, or_(runs.c.state == "unknown", and_(runs.c.state == "sending", old)))


def settle(connection: Connection, found: Run, happened: bool, note: str, now: datetime) -> bool:
    """Record a person's decision about an unknown run; False when it is not unknown any more."""
    outcome = {"output": None, "settled_by_hand": True, "happened": happened, "note": note}
    settled = resolve(connection, found, "settled", outcome, now)
    if settled and not happened:
        payment_records.count_again(connection, found.id, made=False)
    return settled


def credentials_with_unresolved(connection: Connection, now: datetime) -> set[str]:
    """Return the fingerprints of the API keys that have runs being sent, unknown or looked for."""
    open_ones = select(runs.c.credential).where(OPEN, runs.c.state.in_(("sending", "unknown"))).distinct()
    wanted = select(runs.c.credential).where(LOOKED_FOR, runs.c.find_until > now.timestamp()).distinct()
    return {*connection.execute(open_ones).scalars(), *connection.execute(wanted).scalars()}


def unresolved_equal_to(connection: Connection, run: NewRun) -> tuple[State, str] | None:
    """Return state and id of an equal run of the workspace that is unknown, or being sent by another process."""
    process = run.owner[:PROCESS_CHARACTERS]
    same = {"of_workspace": run.workspace, "of_digest": run.digest, "of_id": run.id, "of_process": process}
    equal = connection.execute(_EQUAL, same).first()
    return None if equal is None else (equal.state, equal.id)


def delete_old(connection: Connection, before: datetime, now: datetime) -> int:
    """Delete ended runs that their workspaces keep no longer, and what guards against repeats from before `before`."""
    connection.execute(delete(repeat_guard).where(repeat_guard.c.made_at < before.timestamp()))
    connection.execute(delete(held_back).where(held_back.c.at < before.timestamp()))
    deleted = 0
    for workspace in list(connection.execute(select(runs.c.workspace).distinct()).scalars()):
        kept_since = now - timedelta(days=workspaces.find_policy(connection, workspace).keep_writes_days)
        old = and_(runs.c.workspace == workspace, runs.c.changed_at < kept_since.timestamp())
        deleted += connection.execute(delete(runs).where(old, runs.c.state.in_(ENDED))).rowcount
    return deleted


def _one(connection: Connection, which: ColumnElement[bool]) -> Run | None:
    row = connection.execute(select(runs).where(which)).one_or_none()
    return None if row is None else read_row(connection, row)


def read_row(connection: Connection, row: Row[Any]) -> Run:
    """Return a row of the table, opened."""
    try:
        inputs, is_altered = json.decode(opened(connection, row.inputs, row.id)), False
    except BodyAltered:
        inputs, is_altered = {}, True
    try:
        outcome = None if row.outcome is None else without_marks(json.decode(opened(connection, row.outcome)))
    except BodyAltered:
        outcome = None
    return Run(
        row.id,
        row.workspace,
        row.key,
        row.credential,
        row.action,
        row.digest,
        inputs,
        row.state,
        row.owner,
        row.beat,
        outcome,
        datetime.fromtimestamp(row.made_at, UTC),
        datetime.fromtimestamp(row.changed_at, UTC),
        row.actor,
        row.person,
        row.face,
        row.origin,
        is_bound=is_bound(row.inputs),
        is_altered=is_altered,
    )


CANCELLED = "cancelled"
"""Marks the outcome of a cancelled run."""
NOBODY = ""


def cancel(connection: Connection, found: Run, outcome: dict[str, Any], by: CallSource, now: datetime) -> bool:
    """End a claimed run before its first byte; False when it is being sent or has ended.

    Whoever was about to send it finds its claim gone.
    """
    text = seal(connection, json.encode_clean({**outcome, CANCELLED: True}).decode())
    values = {"state": "refused", "owner": NOBODY, "outcome": text, "changed_at": now.timestamp()}
    waiting = and_(runs.c.id == found.id, runs.c.workspace == found.workspace, runs.c.state == "claimed")
    if connection.execute(update(runs).where(waiting).values(values)).rowcount != 1:
        return False
    payment_records.count_again(connection, found.id, made=False)  # it may have been turned away before
    details = {"action": found.action}
    audit.record_by(
        connection, by, workspace=found.workspace, what="run.cancelled", subject=found.id, details=details, now=now
    )
    return True


def was_cancelled(run: Run) -> bool:
    """Whether a person has cancelled the run."""
    return run.state == "refused" and isinstance(run.outcome, dict) and bool(run.outcome.get(CANCELLED))
