"""The workflow of one credential: waits until something of its key is due, and lets activities do it.

It carries ids only. What is due stands in the database, which an activity reads; a signal is only a hint to look. A
change of its shape needs a new type (`KeyV2`) beside this one for a release, since histories are replayed.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import timedelta

from temporalio import workflow
from temporalio.common import RetryPolicy
from temporalio.exceptions import ActivityError

TYPE = "KeyV1"
TOLD = "told"
LOOK, DO = "look", "do"
LOOK_SECONDS, DO_MINUTES, HEARTBEAT_SECONDS = 30, 30, 30
FAILED_SECONDS = 5
RETRY = RetryPolicy(initial_interval=timedelta(seconds=1), maximum_interval=timedelta(minutes=1))
ONCE = RetryPolicy(maximum_attempts=1)
"""What failed is planned again in the database, and found by the next look."""


@dataclass(frozen=True)
class Line:
    """A line of work: a kind and a key."""

    kind: str
    key: str


@dataclass(frozen=True)
class Plan:
    """What a look has found."""

    due: list[Line]
    seconds: float | None
    """Until the next of the other lines is due; None: nothing is planned."""


@workflow.defn(name=TYPE)
class KeyWorkflow:
    """One credential's work, as long as anything is planned."""

    def __init__(self) -> None:
        self._news = 0
        self._running: set[Line] = set()

    @workflow.signal(name=TOLD)
    def told(self) -> None:
        """Look again: there may be news."""
        self._news += 1

    @workflow.run
    async def run(self, credential_id: str) -> None:
        """Work until nothing is planned; a later hint starts it again."""
        while not workflow.info().is_continue_as_new_suggested():
            seen = self._news
            plan = await workflow.execute_activity(
                LOOK,
                credential_id,
                result_type=Plan,
                start_to_close_timeout=timedelta(seconds=LOOK_SECONDS),
                retry_policy=RETRY,
            )
            for line in plan.due:
                if line not in self._running:
                    self._running.add(line)
                    asyncio.create_task(self._do(line))  # noqa: RUF006 - the event loop of a workflow keeps its tasks
            if plan.seconds is None and not self._running and self._news == seen:
                return
            await self._wait(seen, plan.seconds)
        await workflow.wait_condition(lambda: not self._running)
        workflow.continue_as_new(credential_id)

    async def _wait(self, seen: int, seconds: float | None) -> None:
        """Wait for news, for a line that ends, or for the next time that is planned."""
        timeout = None if seconds is None else timedelta(seconds=max(1.0, seconds))
        try:
            await workflow.wait_condition(lambda: self._news != seen, timeout=timeout)
        except TimeoutError:
            return

    async def _do(self, line: Line) -> None:
        try:
            await workflow.execute_activity(
                DO,
                line,
                start_to_close_timeout=timedelta(minutes=DO_MINUTES),
                heartbeat_timeout=timedelta(seconds=HEARTBEAT_SECONDS),
                retry_policy=ONCE,
            )
        except ActivityError:
            await workflow.sleep(timedelta(seconds=FAILED_SECONDS))  # its worker has logged it, or died
        finally:
            self._running.discard(line)
            self._news += 1
