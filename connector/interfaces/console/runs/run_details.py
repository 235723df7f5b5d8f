"""Loads what is stored of one run: its row, approval, entries in the audit log, and last known payment status."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from connector.core.errors import KontorError, NotFound
from connector.core.manifest.model import Action
from connector.core.messages import say
from connector.interfaces.console.console_context import ConsoleContext, NoCredential
from connector.runtime.requests import rights
from connector.runtime.writes.approval import refusal_of
from connector.runtime.writes.held_back import Waiting, waiting_for
from connector.store.runs import approvals, payment_records, reads, runs, search
from connector.store.runs.approvals import Approval
from connector.store.runs.runs import Run
from connector.store.runs.search import Happening

if TYPE_CHECKING:
    from sqlalchemy import Connection

PAYMENT_ROLE = "payment"
"""Of the action that reads one payment: what has the same resource is followed until it is final."""


@dataclass(frozen=True, slots=True)
class RunDetails:
    """What is known of a run."""

    run: Run
    action: Action | None
    """None where the manifests no longer declare it."""
    approval: Approval | None
    history: tuple[Happening, ...]
    payment_status: str | None = None
    """The status that events or polls told last, where it is a payment."""
    unresolved: bool = False
    """Whether nobody knows what became of it, or whoever sent it is gone: a person may settle it."""
    waiting: Waiting | None = None
    """The equal writes that wait for it."""
    refusal: str | None = None
    """Where it waits for approval, the message that says why the visitor is no second person."""

    @property
    def output(self) -> Any:
        """What came back, where that is kept."""
        return self.run.outcome.get("output") if isinstance(self.run.outcome, dict) else None

    @property
    def payment_id(self) -> str | None:
        """The id of the payment that it made."""
        id = self.output.get("id") if isinstance(self.output, dict) else None
        return str(id) if id and self.run.state == "done" and self.run.kind == "write" else None


async def load(console: ConsoleContext, id: str) -> RunDetails:
    """Return what is stored of a run of the visitor's workspace; raise `NotFound` when there is none."""
    workspace = await console.workspace()
    try:
        credential_id: str | None = await console.credential_id()
    except NoCredential:
        credential_id = None

    def read(connection: Connection) -> RunDetails | None:
        found = runs.find(connection, workspace, id) or reads.find(connection, workspace, id)
        if found is None:
            return None
        run = rights.visible_run(console.actor, found, console.connector.actions, console.connector.moving_paths)
        approval = approvals.find(connection, run.id) if run.kind == "write" else None
        history = tuple(search.history_of(connection, run)) if run.kind == "write" else ()
        details = RunDetails(
            run,
            action_of(console, run),
            approval,
            history,
            unresolved=run.is_unresolved(console.state.context.now()),
            waiting=waiting_for(connection, run, console.connector.actions),
            refusal=None if approval is None else refusal_of(connection, approval, console.actor),
        )
        if details.payment_id is None or credential_id is None or not is_payment(console, details.action):
            return details
        status = payment_records.status_of(connection, credential_id, details.payment_id)
        return replace(details, payment_status=status)

    found = await console.read(read)
    if found is None:
        raise NotFound(say("run_not_found", id=id[:64]), remedy=say("console_run_not_found_remedy"), outcome="not_sent")
    return found


def action_of(console: ConsoleContext, run: Run) -> Action | None:
    """Return the action of a run; None where the manifests no longer declare it."""
    try:
        return console.connector.action(run.action)
    except KontorError:
        return None


def may_settle(console: ConsoleContext, run: Run) -> bool:
    """Whether the visitor may say what became of a run."""
    try:
        rights.check_settling(console.actor, run, console.connector.actions, console.connector.moving_paths)
    except KontorError:
        return False
    return True


def is_payment(console: ConsoleContext, action: Action | None) -> bool:
    """Whether an action makes a payment, which goes on after it was accepted."""
    if action is None or not action.writes or PAYMENT_ROLE not in console.connector.roles:
        return False
    return action.resource == console.connector.action_for(PAYMENT_ROLE).resource
