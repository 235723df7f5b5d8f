"""A worker of Temporal: does the lines of work that workflows hand out, and hints at what is due.

Work that belongs to no key (the clock, approvals, housekeeping, sealing) goes on in the process, as in the embedded
driver, also without a server. Hints go out when somebody wakes the engine, at most once a second, and every 30 seconds.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from typing import Any

from temporalio import activity
from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest
from temporalio.client import Client
from temporalio.exceptions import ApplicationError, ApplicationErrorCategory
from temporalio.service import RPCError
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from connector.core.callers import CallSource, set_source
from connector.durable.loop import Engine, log, logged
from connector.durable.temporal.key_workflow import DO, LOOK, QUEUE, TOLD, TYPE, KeyWorkflow, Line, Plan, queue_of
from connector.durable.work import KeyedWork, Work
from connector.store.triggers import overdue

HINT_SECONDS, HEARTBEAT_SECONDS, SWEEP_SECONDS = 1.0, 10.0, 30.0
MAX_HINTS, MAX_CHECKS, GRACEFUL = 1000, 20, timedelta(seconds=20)


class TemporalEngine(Engine):
    """An engine whose lines of work are handed out by Temporal. Any number of them may share a server."""

    def __init__(self, address: str, *given: Any, **settings: Any) -> None:
        """`address` is `host:port` of the server's frontend; the rest as for `Engine`."""
        super().__init__(*given, **settings)
        self._address = address
        self._lines: dict[str, KeyedWork] = {}
        self._hinted: dict[overdue.DueLine, float] = {}  # when

    async def run(self) -> None:
        """Run until `stop` is called. Without a server, do what needs none, and wait for one."""
        set_source(CallSource("host"))
        self._serving = asyncio.create_task(self._serve())
        await super().run()

    def own_kinds(self) -> tuple[Work, ...]:
        """Return the kinds that this process finds itself; the others are done line by line."""
        kinds = super().own_kinds()
        self._lines = {work.name: work for work in kinds if isinstance(work, KeyedWork) and work.name in overdue.KINDS}
        return tuple(work for work in kinds if work.name not in self._lines)

    async def _shut_down(self) -> None:
        self._serving.cancel()  # drains the workers: activities use the context, which is closed afterwards
        await asyncio.gather(self._serving, return_exceptions=True)
        await super()._shut_down()

    async def _serve(self) -> None:
        """Connect and work; begin again when the server is not there yet, or a worker has failed."""
        wait = HINT_SECONDS
        while True:
            began = time.monotonic()
            try:
                await self._work(await Client.connect(self._address, identity=self.context.owner))
            except Exception as error:
                log.warning("no work from Temporal, tried again in %.0f seconds: %s", wait, type(error).__name__)
            await asyncio.sleep(wait)
            wait = HINT_SECONDS if time.monotonic() - began > 2 * SWEEP_SECONDS else min(2 * wait, SWEEP_SECONDS)

    async def _work(self, client: Client) -> None:
        """Work until cancelled, or one of the workers fails."""
        await client.workflow_service.describe_namespace(DescribeNamespaceRequest(namespace=client.namespace))
        workers = [*self._workers(client)]
        tasks = [asyncio.create_task(job) for job in (self._hint(client), *(worker.run() for worker in workers))]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            tasks[0].cancel()
            await asyncio.gather(*(worker.shutdown() for worker in workers))  # one that is cancelled may go on polling
            await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.gather(*tasks[1:])

    def _workers(self, client: Client) -> Iterator[Worker]:
        """Build one for workflows and looks, and one for each kind, which takes no more than the kind's `most`."""
        build = partial(Worker, client, graceful_shutdown_timeout=GRACEFUL, identity=self.context.owner)
        unchecked: Any = {"workflows": [KeyWorkflow], "workflow_runner": UnsandboxedWorkflowRunner()}  # but replayed
        yield build(task_queue=QUEUE, activities=[self._look], max_concurrent_activities=MAX_CHECKS, **unchecked)
        for kind, work in self._lines.items():
            yield build(task_queue=queue_of(kind), activities=[self._do_line], max_concurrent_activities=work.most)

    @activity.defn(name=LOOK)
    async def _look(self, credential_id: str) -> Plan:
        """Return what is due for a credential, and how long the rest may wait."""
        with _errors_by_type("looks"):
            lines = await self.context.read(lambda connection: overdue.of_credential(connection, credential_id))
        now = self.context.now()
        later = min((line.at for line in lines if line.at > now), default=None)
        due = [Line(line.kind, line.key) for line in lines if line.at <= now]
        seconds = None if later is None else self.context.clock.real((later - now).total_seconds())
        return Plan(due, seconds if not due or later is not None else SWEEP_SECONDS)

    @activity.defn(name=DO)
    async def _do_line(self, line: Line) -> int:
        """Claim a line and do it; 0 if it is not due any more, or another process is at it."""
        beating, done = asyncio.create_task(_beat()), 0
        try:
            with _errors_by_type(line.kind):
                work = self._lines[line.kind]
                for piece in await work.claim_due(self.context.owner, 1, line.key):
                    self._pieces[beating] = work
                    done = (await work.do(piece)).done
        finally:
            self._pieces.pop(beating, None)
            beating.cancel()
        self.done[line.kind] += done
        if done:
            self.context.wake()
        return done

    async def _hint(self, client: Client) -> None:
        """Tell the workflows of credentials with work that is due, and start those that do not run."""
        swept, seen = float("-inf"), -1
        while True:
            moment, woken = time.monotonic(), self.context.wake_count
            if woken != seen or moment - swept >= SWEEP_SECONDS:
                with logged("hints"):
                    if await self._hint_at_due(client, moment):
                        swept, seen = moment, woken
            await asyncio.sleep(HINT_SECONDS)

    async def _hint_at_due(self, client: Client, moment: float) -> bool:
        """Signal where there is news, or the last hint is long ago; False without a server: it is tried again."""
        due = await self.context.read(partial(overdue.all_due, now=self.context.now(), most=MAX_HINTS))
        self._hinted = {line: then for line, then in self._hinted.items() if moment - then < SWEEP_SECONDS}
        news = [line for line in due if line not in self._hinted]
        try:
            for id in dict.fromkeys(line.credential_id for line in news):
                await client.start_workflow(TYPE, id, id=f"kontor-key-{id}", task_queue=QUEUE, start_signal=TOLD)
        except RPCError as error:
            log.warning("the server of Temporal does not answer: %s", error.status.name)
            return False
        self._hinted.update(dict.fromkeys(news, moment))
        return True


@contextlib.contextmanager
def _errors_by_type(name: str) -> Iterator[None]:
    """Log an error, and tell Temporal only its type: its text may hold parameters of queries and personal data."""
    try:
        yield
    except Exception as error:
        with logged(name):
            raise
        raise ApplicationError(type(error).__name__, category=ApplicationErrorCategory.BENIGN) from None


async def _beat() -> None:
    while True:
        activity.heartbeat()
        await asyncio.sleep(HEARTBEAT_SECONDS)
