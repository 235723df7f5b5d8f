"""Looks again for writes whose outcome is unknown, and marks those whose owner died while sending as unknown."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from connector.core.clock import Clock
from connector.core.credential import Credential
from connector.core.errors import OutcomeUnknown
from connector.core.manifest.model import Action
from connector.core.messages import say
from connector.runtime.heartbeat import DEAD_AFTER_SECONDS
from connector.runtime.look import look_for, mark_of
from connector.runtime.steps import ReadStep, Steps, WriteStep

if TYPE_CHECKING:
    from connector.store.runs import Run


@dataclass(slots=True)
class BeatObserver:
    """Remembers since when the beat of a run has not moved, on this process's monotonic clock."""

    _seen: dict[str, tuple[tuple[str, int], float]] = field(default_factory=dict)

    def dead(self, runs: list[Run]) -> list[Run]:
        """Return the runs whose beat has not moved for long enough; runs that are not given are forgotten."""
        now = time.monotonic()
        before, self._seen = self._seen, {}
        for run in runs:
            beat = (run.owner, run.beat)
            kept = before.get(run.id)
            self._seen[run.id] = kept if kept is not None and kept[0] == beat else (beat, now)
        return [run for run in runs if now - self._seen[run.id][1] >= DEAD_AFTER_SECONDS]


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
    for run in observer.dead((yield ReadStep(partial(list_state, state="sending")))):
        why = OutcomeUnknown(say("parked")).as_dict()
        yield WriteStep(partial(runs.resolve, found=run, state="unknown", outcome=why, now=clock.utcnow()))
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
                change = partial(runs.resolve, found=run, state="done", outcome=outcome, now=clock.utcnow())
                found += yield WriteStep(change)
    return found
