"""Runs that wait for approval: keeps what sending them needs, sends what was approved, and tells what became of it."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeGuard

from sqlalchemy import Connection

from connector.core import service_facts
from connector.core.data.events import written
from connector.core.errors import KontorError
from connector.core.writes import marks
from connector.durable.context import JobContext
from connector.durable.inbox.subscribers import EventSubscribers
from connector.durable.sending.signing import new_secret
from connector.durable.work import KeyedWork, Outcome, Work
from connector.runtime.requests.rights import visible_to_all
from connector.runtime.writes.approval import VOID, expire, lapse
from connector.store.runs import approvals, runs
from connector.store.runs.approvals import Approval
from connector.store.runs.runs import ClaimLost, Run
from connector.store.triggers import due_work, subscriptions
from connector.store.triggers.due_work import Claim
from connector.store.trust import credentials

if TYPE_CHECKING:
    from connector.core.service.credential import Credential
    from connector.store.runs.runs import NewRun

LAPSES_AFTER = timedelta(minutes=15)
"""An approval that is older when a host starts is not used: a restored database must not pay."""
PLANNED_WITHIN = timedelta(minutes=1)
"""A run that is planned for later was planned by a host whose clock was ahead."""
MAX_PLANNED = 100
"""How many are planned, ended or told in one transaction."""
CALLBACK_INPUT = "run"
log = logging.getLogger("kontor.engine")


class WaitingRuns:
    """The host's part: what a write that waits leaves here."""

    def __init__(self, context: JobContext) -> None:
        self._context = context

    def keep_waiting(
        self, connection: Connection, credential: Credential, run: NewRun, callback_url: str | None
    ) -> str | None:
        """Keep the API key, and whom to tell; return the subscription that tells them."""
        context, now = self._context, self._context.now()
        credential_id = credentials.save(connection, context.vault, credential, now, run.workspace)
        if callback_url is None:
            return None
        ended = service_facts.own("ended")
        trigger = next(
            trigger
            for trigger in context.connector.triggers.values()
            if trigger.event is not None and ended in trigger.event.names
        )
        inputs = {CALLBACK_INPUT: run.id}
        subscription = subscriptions.create_once(
            connection,
            digest=marks.digest(trigger.id, {"inputs": inputs, "target_url": callback_url}),
            credential_id=credential_id,
            trigger=trigger.id,
            inputs=inputs,
            target_url=callback_url,
            sealed_secret=context.vault.seal(new_secret()),
            now=now,
        )
        return None if subscription is None else subscription.id


def end_spent_callbacks(connection: Connection, now: datetime) -> int:
    """End the subscriptions of callbacks that have told the end of their run; return how many."""
    spent = approvals.spent_callbacks(connection)
    return sum(subscriptions.end(connection, id, "told", now) for id in spent)


class ApprovedWork(KeyedWork):
    """Approved runs; a key is a run's id. Approvals are rows of their own, by whose state new ones are found."""

    name = due_work.RUNS
    most = 8

    async def claim(self, owner: str, most: int) -> Sequence[Claim]:
        """Claim approved runs, after those were taken back that had become too old before this host started."""
        context, now = self.context, self.context.now()
        if not context.approvals_checked:
            await context.write(lambda connection: _lapse_old(connection, now))
            context.approvals_checked = True
        soon = now + PLANNED_WITHIN

        def look(connection: Connection) -> tuple[Sequence[str], bool]:
            new = approvals.approved_unplanned(connection, MAX_PLANNED, soon)
            return new, bool(new) or due_work.is_due(connection, self.name, now)

        new, any_due = await context.batched_reads.read(look)
        if new:
            await context.write(lambda connection: due_work.schedule_each(connection, self.name, new, now))
        return await self.claim_due(owner, most) if any_due else ()

    async def work(self, key: str) -> int:
        """Send an approved run, unless another host does; return 1 if it was sent."""
        approval = await self.context.read(lambda connection: approvals.find(connection, key))
        return int(approval is not None and approval.state == "approved" and await _send(self.context, approval))

    def next_at(self, connection: Connection, key: str) -> datetime | None:
        """Return now while it is not sent: another host may have died over it."""
        approval = approvals.find(connection, key)
        return self.context.now() if approval is not None and approval.state == "approved" else None


class ApprovalNewsWork(Work):
    """Ends what nobody approved in time, and tells what became of runs. Unique rows keep it from telling twice."""

    name = "approval_news"

    async def claim(self, owner: str, most: int) -> Sequence[Claim]:
        """Claim the only piece, when there is something to end or to tell."""
        now = self.context.now()
        any_news = await self.context.batched_reads.read(lambda connection: approvals.any_news(connection, now))
        return (Claim(self.name, "", owner, 0, 0),) if any_news else ()

    async def do(self, piece: Claim) -> Outcome:
        """End and tell; return how many."""
        context, now = self.context, self.context.now()

        def end_and_notify(connection: Connection) -> int:
            overdue = approvals.overdue(connection, now, MAX_PLANNED)
            for approval in overdue:
                expire(connection, approval, now)
            return len(overdue) + _notify(connection, context, now)

        return Outcome(await context.write(end_and_notify), now)


def _lapse_old(connection: Connection, now: datetime) -> None:
    for approval in approvals.in_state(connection, "approved"):
        if approval.decided_at is None or now - approval.decided_at > LAPSES_AFTER:
            lapse(connection, approval, now)


async def _send(context: JobContext, approval: Approval) -> bool:
    """Send an approved run, unless another host does; whatever becomes of it is in the run."""
    run = await context.read(lambda connection: runs.find(connection, approval.workspace, approval.run))
    if not _may_be_sent(run):
        await context.write(lambda connection: use_up_unless_waiting(connection, approval))
        return False
    if run.state == "claimed" and not _is_abandoned(context, run):
        return False
    credential_id = await context.read(lambda connection: _credential(connection, run))
    try:
        if credential_id is None:
            raise LookupError
        session = await context.session(credential_id)
        await session.send_approved(run)
    except ClaimLost:
        return False
    except LookupError:
        await context.write(lambda connection: lapse(connection, approval, context.now()))
    except KontorError as error:
        if (void := error).reason in VOID:
            await context.write(lambda connection: lapse(connection, approval, context.now(), void))
        log.info("the approved run %s was not done: %s", run.id, error.kind)
    return True


def _may_be_sent(run: Run | None) -> TypeGuard[Run]:
    return run is not None and run.state in {"awaiting_approval", "claimed"}


def use_up_unless_waiting(connection: Connection, approval: Approval) -> None:
    """Use up the approval of a run that is not to be sent, unless it was let wait again meanwhile."""
    if not _may_be_sent(runs.find(connection, approval.workspace, approval.run)):
        approvals.use(connection, approval.run, approval.digest)


def _is_abandoned(context: JobContext, run: Run) -> bool:
    observer = context.connector.shared.beat_observer(run.workspace)
    return observer.is_dead(run.id, run.pulse, context.clock.monotonic())


def _credential(connection: Connection, run: Run) -> str | None:
    """Return the key that the run was asked for with, or the one that has replaced it in the workspace."""
    same = credentials.kept(connection, run.workspace, run.credential)
    chosen = credentials.chosen(connection, run.workspace)
    return same or (chosen.id if chosen is not None else None)


def _notify(connection: Connection, context: JobContext, now: datetime) -> int:
    """Enqueue what is new for those who subscribed to it; return of how many runs."""
    news = approvals.untold(connection)
    for approval, state in news:
        run = runs.find(connection, approval.workspace, approval.run)
        assert run is not None
        run = visible_to_all(run, context.connector.actions, context.connector.moving_paths)
        event = service_facts.own("asked" if state == "awaiting_approval" else "ended")
        item = _item(run, approval, context.public_url)
        for credential in credentials.listed(connection, approval.workspace):
            subscribers = EventSubscribers(connection, context.connector, credential.id)
            subscribers.enqueue(event, item, f"{run.id}:{state}", now, received_at=written(now))
        approvals.mark_told(connection, run.id, state)
    return len(news)


def _item(run: Run, approval: Approval, public_url: str | None) -> dict[str, Any]:
    outcome = run.outcome or {}
    return {
        "run": run.id,
        "state": run.state,
        "action": run.action,
        "key": run.key,
        "inputs": run.inputs,
        "reasons": list(approval.reasons),
        "asked_by": approval.asked_person,
        "asked_at": approval.asked_at,
        "expires_at": approval.expires_at,
        "decided_by": approval.decided_person,
        "decided_at": approval.decided_at,
        "why": approval.why,
        "output": outcome.get("output"),
        "error": outcome if "kind" in outcome else None,
        "url": f"{public_url.rstrip('/')}/console/approvals" if public_url else None,
    }
