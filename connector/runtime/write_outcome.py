"""Records what became of a write."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any

from connector.runtime import run_audit
from connector.runtime.find_payment import Found
from connector.runtime.one_write import Write, error_as_dict, proof_in, try_write
from connector.runtime.result import Credits, Result
from connector.runtime.steps import Steps

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from connector.store.runs import State

LOOKED_FOR_AFTER_REFUSAL = timedelta(minutes=15)
"""For how long a payment is looked for that was refused without proof."""


def finish_found(one: Write, found: Found, cost: Decimal) -> Steps[Result]:
    """Record that the service shows the write, and return that as its result."""
    yield from record_outcome(one, "done", {"output": found, "cost": cost})
    return Result(one.run.action, found, Credits(cost, None), replayed=True, run=one.run.id)


def release(one: Write, error: Exception) -> Steps[None]:
    """Give up a claim: nothing was sent, so the key may be used again."""
    yield from record_outcome(one, "refused", error_as_dict(error))


def record_outcome(one: Write, state: State, outcome: Any, sent_at: datetime | None = None) -> Steps[None]:
    """Record what is known of the outcome, if the database can."""
    yield from try_write(finishing(one, state, outcome, sent_at))


def finishing(one: Write, state: State, outcome: Any, sent_at: datetime | None = None) -> Callable[[Connection], Any]:
    """Return the change that records the outcome; what went wrong is in the audit log as well.

    With `sent_at` it is the first that is known of a write sent then, which the audit log may not tell yet.
    """
    from connector.store import audit, ended_run, runs

    run, now = one.run, one.context.clock.utcnow()
    look_on = state == "refused" and proof_in(outcome) == "assumed" and one.finder is not None
    entry = partial(run_audit.sent, one, sent_at) if sent_at is not None and one.is_audited_at_its_end else None
    if state == "done":
        return ended_run.ending(run, state, outcome, now, entry)

    def change(connection: Connection) -> None:
        if entry is not None:
            audit.insert_row(connection, entry())
        recorded = runs.finish(connection, run, state, outcome, now)
        # Without a key the run was not written durably, and a crash of the database may have lost it.
        if not recorded and state == "unknown" and runs.find(connection, run.workspace, run.id) is None:
            runs.insert(connection, run, "sending", now)
            recorded = runs.finish(connection, run, state, outcome, now)
        if recorded:
            run_audit.ended(connection, one, state, outcome, now)
        if recorded and look_on:
            runs.look_for(connection, run.id, now + LOOKED_FOR_AFTER_REFUSAL)

    return change
