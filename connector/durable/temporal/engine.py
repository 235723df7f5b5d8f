"""A worker of Temporal: does the lines of work that workflows hand out, and hints at what is due.

Work that belongs to no key (the clock, approvals, housekeeping, sealing) goes on in the process, as in the embedded
driver. Hints go out when somebody wakes the engine, at most once a second, and every 30 seconds for what was lost.
"""

from __future__ import annotations

import asyncio
import contextlib
from datetime import timedelta
from typing import Any

from temporalio import activity
from temporalio.client import Client
from temporalio.service import RPCError
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from connector.core.call_source import CallSource, set_source
from connector.durable.loop import Engine, log, logged
from connector.durable.temporal.key_workflow import DO, LOOK, TOLD, TYPE, KeyWorkflow, Line, Plan
from connector.durable.work import KeyedWork, Work
from connector.store import lines_of_work
from connector.store.due_work import DELIVERIES

QUEUE = "kontor"
HEARTBEAT_SECONDS = 10.0
HINT_SECONDS, SWEEP_SECONDS = 1.0, 30.0
MAX_HINTS = 1000
MAX_ACTIVITIES = 100
GRACEFUL = timedelta(seconds=20)


class TemporalEngine(Engine):
    """An engine whose lines of work are handed out by Temporal. Any number of them may share a server."""

    def __init__(self, address: str, *given: Any, **settings: Any) -> None:
        """`address` is `host:port` of the server's frontend; the rest as for `Engine`."""
        super().__init__(*given, **settings)
        self._address = address
        self._worker: Worker | None = None
        self._lines: dict[str, KeyedWork] = {}

    async def run(self) -> None:
        """Run until `stop` is called. Without a server, wait for one."""
        set_source(CallSource("host"))
        client = await self._connect()
        self._worker = Worker(
            client,
            task_queue=QUEUE,
            workflows=[KeyWorkflow],
            activities=[self._look, self._do_line],
            workflow_runner=UnsandboxedWorkflowRunner(),  # its code is checked by replaying histories
            max_concurrent_activities=MAX_ACTIVITIES,
            graceful_shutdown_timeout=GRACEFUL,
            identity=self.context.owner,
        )
        working, hinting = asyncio.create_task(self._worker.run()), asyncio.create_task(self._hint(client))
        try:
            await super().run()
        finally:
            hinting.cancel()
            await asyncio.gather(working, hinting, return_exceptions=True)

    def own_kinds(self) -> tuple[Work, ...]:
        """Return the kinds that this process finds itself; the others are done line by line."""
        everything = super().own_kinds()
        by_line = {*lines_of_work.OF_CREDENTIAL, DELIVERIES}
        self._lines = {work.name: work for work in everything if isinstance(work, KeyedWork) and work.name in by_line}
        return tuple(work for work in everything if work.name not in by_line)

    async def _shut_down(self) -> None:
        if self._worker is not None:
            await self._worker.shutdown()  # activities use the context, which is closed afterwards
        await super()._shut_down()

    async def _connect(self) -> Client:
        while not self._stopping:
            with contextlib.suppress(RuntimeError):  # the server is not there yet
                return await Client.connect(self._address, identity=self.context.owner)
            await asyncio.sleep(HINT_SECONDS)
        raise asyncio.CancelledError

    @activity.defn(name=LOOK)
    async def _look(self, credential_id: str) -> Plan:
        """Return what is due for a credential, and how long the rest may wait."""
        now = self.context.now()
        lines = await self.context.read(lambda connection: lines_of_work.of_credential(connection, credential_id))
        later = min((line.at for line in lines if line.at > now), default=None)
        due = [Line(line.kind, line.key) for line in lines if line.at <= now]
        seconds = None if later is None else self.context.clock.real((later - now).total_seconds())
        return Plan(due, seconds if not due or later is not None else SWEEP_SECONDS)

    @activity.defn(name=DO)
    async def _do_line(self, line: Line) -> int:
        """Claim a line and do it; 0 if it is not due any more, or another process is at it."""
        work = self._lines[line.kind]
        pieces = await work.claim_due(self.context.owner, 1, line.key)
        if not pieces:
            return 0
        beating = asyncio.create_task(_beat())
        try:
            outcome = await work.do(pieces[0])
        finally:
            beating.cancel()
        self.done[work.name] += outcome.done
        if outcome.done:
            self.context.wake()
        return outcome.done

    async def _hint(self, client: Client) -> None:
        """Tell the workflows of credentials with work that is due, and start those that do not run."""
        swept, seen = float("-inf"), -1
        while True:
            moment = asyncio.get_running_loop().time()
            if self.context.wake_count != seen or moment - swept >= SWEEP_SECONDS:
                woken = self.context.wake_count
                with logged("hints"):
                    if await self._hint_at_due(client):
                        swept, seen = moment, woken
            await asyncio.sleep(HINT_SECONDS)

    async def _hint_at_due(self, client: Client) -> bool:
        """Signal the workflows; False when the server is not there, so that it is tried again."""
        now = self.context.now()
        found = await self.context.read(lambda connection: lines_of_work.credentials_due(connection, now, MAX_HINTS))
        try:
            for id in found:
                await client.start_workflow(TYPE, id, id=f"kontor-key-{id}", task_queue=QUEUE, start_signal=TOLD)
        except RPCError as error:
            log.warning("the server of Temporal does not answer: %s", error.status.name)
            return False
        return True


async def _beat() -> None:
    while True:
        activity.heartbeat()
        await asyncio.sleep(HEARTBEAT_SECONDS)
