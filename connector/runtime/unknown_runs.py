"""Looks again for writes whose outcome is unknown, and marks those whose owner died while sending as unknown."""

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
from connector.runtime.look import look_for, mark_of
from connector.runtime.steps import ReadStep, Steps, WriteStep


def look_again(
    workspace: str,
    observer: BeatObserver,
    find_action: Callable[[str], Action],
    credential: Credential,
    clock: Clock,
) -> Steps[int]:
    """Read the service's list once for all unknown runs; return how many were found."""
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
    found = 0
    for action_id in {run.action for run in unknown if run.credential == credential.fingerprint}:
        action = find_action(action_id)
        look = look_for(action, "", find_action, credential)
        if look is None:
            continue
        by_mark = {mark_of(look.how, row): row for row in (yield from look.all_rows())}
        for run in unknown:
            made = by_mark.get(run.key or run.id) if run.action == action_id else None
            if made is not None:
                outcome = {"output": made, "cost": action.cost.credits}
                change = partial(run_audit.resolve, found=run, state="done", outcome=outcome, now=clock.utcnow())
                found += yield WriteStep(change)
    return found
