"""What the audit log tells of runs: that a write was sent, and that it ended refused or unknown.

Each entry is written in the transaction of the change that it tells of; that a write without a key was sent, in the
one that records its outcome: until then its run says so, and whoever finds that run abandoned records it as unknown.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from connector.core.call_source import CallSource
from connector.runtime.gate import money_of
from connector.runtime.one_write import Write

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from connector.store.audit import NewRow
    from connector.store.runs import Run, State


def sent(one: Write, now: datetime) -> NewRow:
    """Return the entry of a write that is about to be sent."""
    from connector.store import audit

    money, details = money_of(one.context, one.planned), _described(one)
    if money is not None:
        details |= {"amount": str(money.amount), "currency": money.currency}
    details["approved"] = one.approved
    run = one.run
    return audit.new_row(
        source=_source(one),
        workspace=run.workspace,
        what="run.sent",
        subject=run.id,
        details=details,
        now=now,
        id=run.id if one.is_audited_at_its_end else None,  # sent once: the entry stays one, however often it is written
    )


def ended(connection: Connection, one: Write, state: State, outcome: Any, now: datetime) -> None:
    """Record that a write was not made, or that nobody knows; what was done is in its run."""
    from connector.store import audit

    run, details = one.run, {**_described(one), **_reason(outcome)}
    audit.record_by(
        connection, _source(one), workspace=run.workspace, what=f"run.{state}", subject=run.id, details=details, now=now
    )


def resolve(connection: Connection, found: Run, state: State, outcome: Any, now: datetime) -> bool:
    """Record what an observer found out about a run, in its row and in the audit log.

    A run that was told as refused and was made after all raises an alarm.
    """
    from connector.store import audit, runs, write_alarms

    resolved = runs.resolve(connection, found, state, outcome, now)
    if resolved:
        if found.state == "refused":
            told = {"action": found.action, "key": found.key}
            write_alarms.raise_alarm(connection, found.workspace, "done_after_refusal", found.id, told, now)
        details = {"action": found.action, **_reason(outcome)}
        audit.record(
            connection, workspace=found.workspace, what=f"run.{state}", subject=found.id, details=details, now=now
        )
    return resolved


def _described(one: Write) -> dict[str, Any]:
    """Name the action, and of a free call also where it goes."""
    called = one.planned
    where = {} if one.context.action.declared is None else {"request": f"{called.method} {called.path}"[:200]}
    return {"action": one.run.action, **where}


def _reason(outcome: Any) -> dict[str, Any]:
    """Return of an error what holds no personal data."""
    told = outcome if isinstance(outcome, Mapping) else {}
    return {name: told[name] for name in ("kind", "outcome") if told.get(name)}


def _source(one: Write) -> CallSource:
    return CallSource("host") if one.approved else one.context.invoker
