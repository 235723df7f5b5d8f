"""Looks again for writes whose outcome is not proven, and marks those whose owner died while sending as unknown."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

from connector.core.clock import Clock
from connector.core.credential import Credential
from connector.core.errors import OutcomeUnknown
from connector.core.heartbeat import BeatObserver
from connector.core.manifest.model import Action
from connector.core.messages import say
from connector.runtime import run_audit
from connector.runtime.find_payment import finder_for
from connector.runtime.steps import ReadStep, Steps, WriteStep


def look_again(
    workspace: str,
    observer: BeatObserver,
    find_action: Callable[[str], Action],
    credential: Credential,
    clock: Clock,
) -> Steps[int]:
    """Search the list once for all runs that are unknown or were refused without proof; return how many were found."""
    from connector.store import runs

    list_state: Callable[..., Any] = partial(runs.listed, workspace=workspace, now=clock.utcnow())
    now = time.monotonic()
    for run in (yield ReadStep(partial(list_state, state="sending"))):
        if not observer.is_dead(run.id, run.pulse, now):
            continue
        observer.forget(run.id)
        why = OutcomeUnknown(say("parked")).as_dict()
        yield WriteStep(partial(run_audit.resolve, found=run, state="unknown", outcome=why, now=clock.utcnow()))
    unknown = yield ReadStep(partial(list_state, state="unknown"))
    refused = yield ReadStep(partial(runs.looked_for, workspace=workspace, now=clock.utcnow()))
    wanted = [run for run in (*unknown, *refused) if run.credential == credential.fingerprint]
    count = 0
    for action_id in {run.action for run in wanted}:
        action = find_action(action_id)
        finder = finder_for(action, find_action, credential, workspace, clock)
        if finder is None:
            continue
        runs_by_mark = {run.key or run.id: run for run in wanted if run.action == action_id}
        found = yield from finder.find_all(runs_by_mark)
        for mark, payment in found.items():
            run, outcome = runs_by_mark[mark], {"output": payment, "cost": action.cost.credits}
            change = partial(run_audit.resolve, found=run, state="done", outcome=outcome, now=clock.utcnow())
            count += yield WriteStep(change)
    return count
