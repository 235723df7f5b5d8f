"""What the audit log tells of runs: that a write was sent, and that it ended refused or unknown.

Each entry is written in the transaction of the change that it tells of.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from connector.core.callers import CallSource
from connector.runtime.writes.attempt import Attempt
from connector.runtime.writes.policy_check import Checked, money_of

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from connector.store.runs.runs import Run, State


def sent(connection: Connection, attempt: Attempt, checked: Checked | None, now: datetime) -> None:
    """Record that a write is about to be sent, with what `kontor audit verify` matches to policy and approval."""
    from connector.store.trust import audit

    money, details = money_of(attempt.context, attempt.planned), _described(attempt)
    if money is not None:
        details |= {"amount": str(money.amount), "currency": money.currency}
    run, source = attempt.run, _source(attempt)
    details |= {"approved": attempt.approved, "digest": run.digest}
    if attempt.context.invoker.is_unattended_agent:
        details["agent"] = True
    if checked is not None:
        details |= checked.told
    audit.record_by(
        connection, source, workspace=run.workspace, what="run.sent", subject=run.id, details=details, now=now
    )


def ended(connection: Connection, attempt: Attempt, state: State, outcome: Any, now: datetime) -> None:
    """Record that a write was not made, or that nobody knows; what was done is in its run."""
    from connector.store.trust import audit

    run, details = attempt.run, {**_described(attempt), **_reason(outcome)}
    audit.record_by(
        connection,
        _source(attempt),
        workspace=run.workspace,
        what=f"run.{state}",
        subject=run.id,
        details=details,
        now=now,
    )


def resolve(connection: Connection, found: Run, state: State, outcome: Any, now: datetime) -> bool:
    """Record what an observer found out about a run, in its row and in the audit log.

    A run that was told as refused and was made after all raises an alarm.
    """
    from connector.store.runs import alerts, runs
    from connector.store.trust import audit

    resolved = runs.resolve(connection, found, state, outcome, now)
    if resolved:
        if found.state == "refused":
            told = {"action": found.action, "key": found.key}
            alerts.raise_alarm(connection, found.workspace, "done_after_refusal", found.id, told, now)
        details = {"action": found.action, **_reason(outcome)}
        audit.record(
            connection, workspace=found.workspace, what=f"run.{state}", subject=found.id, details=details, now=now
        )
    return resolved


def _described(attempt: Attempt) -> dict[str, Any]:
    """Name the action, and of a free call also where it goes."""
    called = attempt.planned
    where = {} if attempt.context.action.declared is None else {"request": f"{called.method} {called.path}"[:200]}
    return {"action": attempt.run.action, **where}


def _reason(outcome: Any) -> dict[str, Any]:
    """Return of an error what holds no personal data."""
    told = outcome if isinstance(outcome, Mapping) else {}
    return {name: told[name] for name in ("kind", "outcome") if told.get(name)}


def _source(attempt: Attempt) -> CallSource:
    return CallSource("host") if attempt.approved else attempt.context.invoker
