"""The workflow of one credential: waits until something of its key is due, and lets activities do it.

It carries ids only. What is due stands in the database, which an activity reads; a signal is only a hint to look. A
change of its shape needs a new type (`KeyV2`) beside this one for a release, since histories are replayed.
"""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from temporalio import workflow
from temporalio.common import RetryPolicy
from temporalio.exceptions import ActivityError

TYPE, QUEUE, TOLD, LOOK, DO = "KeyV1", "kontor", "told", "look", "do"
LOOK_TIME, DO_TIME, SILENCE, FAILED_TIME = (timedelta(seconds=seconds) for seconds in (30, 1800, 30, 5))
RETRY = RetryPolicy(initial_interval=timedelta(seconds=1), maximum_interval=timedelta(minutes=1))
ONCE = RetryPolicy(maximum_attempts=1)  # what failed is planned again in the database, and found by the next look


def queue_of(kind: str) -> str:
    """Return the task queue of a kind: each has workers of its own, so that none has to wait for another."""
    return f"{QUEUE}-{kind}"


@dataclass(frozen=True)
class Line:
    """A line of work: a kind and a key."""

    kind: str
    key: str


@dataclass(frozen=True)
class Plan:
    """What a look has found."""

    due: list[Line]
    seconds: float | None  # until the next of the other lines is due; None: nothing is planned


@workflow.defn(name=TYPE)
class KeyWorkflow:
    """One credential's work, as long as anything is planned."""

    def __init__(self) -> None:
        self._news = self._seen = 0
        self._running: set[Line] = set()

    @workflow.signal(name=TOLD)
    def told(self) -> None:
        """Look again: there may be news."""
        self._news += 1

    @workflow.run
    async def run(self, credential_id: str) -> None:
        """Work until nothing is planned; a later hint starts it again."""
        while not workflow.info().is_continue_as_new_suggested():
            self._seen = self._news
            plan = await workflow.execute_activity(
                LOOK, credential_id, result_type=Plan, start_to_close_timeout=LOOK_TIME, retry_policy=RETRY
            )
            for line in plan.due:
                if line not in self._running:
                    self._running.add(line)
                    asyncio.create_task(self._do(line))  # noqa: RUF006 - the event loop of a workflow keeps its tasks
            if plan.seconds is None and not self._running and self._news == self._seen:
                return
            timeout = None if plan.seconds is None else timedelta(seconds=max(1.0, plan.seconds))
            with contextlib.suppress(TimeoutError):  # the next line is due
                await workflow.wait_condition(lambda: self._news != self._seen, timeout=timeout)
        await workflow.wait_condition(lambda: not self._running)
        workflow.continue_as_new(credential_id)

    async def _do(self, line: Line) -> None:
        try:
            times: Any = {"start_to_close_timeout": DO_TIME, "heartbeat_timeout": SILENCE}
            await workflow.execute_activity(DO, line, task_queue=queue_of(line.kind), retry_policy=ONCE, **times)
        except ActivityError:
            await workflow.sleep(FAILED_TIME)  # its worker has logged it, or died
        finally:
            self._running.discard(line)
            self._news += 1
