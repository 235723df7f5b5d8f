"""Sessions: run actions, lookups and polls under one credential, blocking or asynchronous."""

from __future__ import annotations

import asyncio
import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from connector.client import AsyncClient, Call, Client, KeyState, Reply
from connector.client.exchange import exchange
from connector.client.steps import Steps, drive, drive_async
from connector.core.callers import Actor, Intent, Invoker
from connector.core.errors import KontorError
from connector.core.manifest.model import ActionId
from connector.core.service.credential import Credential
from connector.core.timing import Clock
from connector.runtime.lookups import page_of
from connector.runtime.poll import START, Polled
from connector.runtime.procedures import ALONE, KONTOR, NO_INPUTS, Procedures
from connector.runtime.records.shared_state import SharedState
from connector.runtime.result import Options, Result

if TYPE_CHECKING:
    import httpx

    from connector.core.manifest import handlers
    from connector.runtime.typed import AsyncWatch, Watch
    from connector.runtime.typed_calls import AsyncCalls, Calls
    from connector.runtime.writes.held_back import Waiting
    from connector.store import Database
    from connector.store.runs.runs import Run
else:
    Calls = AsyncCalls = object

__all__ = ["ALONE", "KONTOR", "AsyncSession", "Session"]
T = TypeVar("T")
Output = TypeVar("Output")


class _Session(ABC):
    """What both kinds of session say alike."""

    client: Client | AsyncClient

    def __init__(self, shared: SharedState, client: Client | AsyncClient, flow: str, workspace: str | None) -> None:
        self._shared, self.flow = shared, flow
        self.sender = client.sender
        self.credential, self.clock = client.credential, client.clock
        self._procedures = Procedures(shared, client.sender, flow, workspace, self._refresh)

    @property
    def state(self) -> KeyState:
        """The rate limiter and credit ledger of this key."""
        return self.sender.state

    def id_for(self, role: str) -> ActionId:
        """Return the id of the action or lookup that has this role."""
        return ActionId(self._shared.catalog.roles[role])

    def _database(self) -> Database:
        return self._shared.database

    def _interval(self, trigger: handlers.Trigger[Any]) -> float:
        return self.clock.real(self._shared.catalog.trigger(trigger.manifest_id).usual_interval)

    @abstractmethod
    def _refresh(self, steps: Steps[Options]) -> None:
        """Carry out a procedure in the background."""

    if not TYPE_CHECKING:  # checkers know both by `typed_calls`, and whether they are awaited

        def invoke(
            self,
            action: str,
            inputs: Mapping[str, Any] = NO_INPUTS,
            key: str | None = None,
            dry_run: bool = False,
            again: bool = False,
            invoker: Invoker = ALONE,
            *,
            guarded: bool = False,
            agent: bool = False,
        ) -> Any:
            """Run an action; with a `key`, at most once however often it is called.

            Without a key, or `guarded`, a write that equals one of the last ten minutes is held back, unless it is
            meant `again`. An `agent` needs a person's word for a write, unless the policy lets agents run it. With an
            actor as `invoker`, only what its role allows.
            """
            return self.perform(action, inputs, Intent(key, again, guarded, agent), dry_run, invoker)

        def run(
            self,
            action: handlers.Action[Output],
            key: str | None = None,
            dry_run: bool = False,
            again: bool = False,
            *,
            guarded: bool = False,
            agent: bool = False,
        ) -> Any:
            """Run an action by its handler, as `invoke` does; the output has the handler's type."""
            return self.carry_out(self._procedures.run(action, Intent(key, again, guarded, agent), dry_run))


class Session(_Session, Calls):
    """A blocking session. May be used from many threads."""

    def __init__(
        self,
        shared: SharedState,
        credential: Credential,
        flow: str,
        clock: Clock | None,
        workspace: str | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        state = shared.key_state(credential)
        self.client: Client = Client(credential, clock=clock, state=state, transport=transport)
        super().__init__(shared, self.client, flow, workspace)

    def watch(self, trigger: handlers.Trigger[Output], cursor: str | None = None, start: str = START) -> Watch[Output]:
        """Return the items of a poll trigger as they come, at its usual interval; `poll` says what `start` means."""
        from connector.runtime.typed import Watch

        return Watch(self, trigger, self._interval(trigger), cursor, start)

    def perform(
        self, action: str, inputs: Mapping[str, Any], intent: Intent, dry_run: bool = False, invoker: Invoker = ALONE
    ) -> Result:
        """Run an action as it is meant."""
        return self.carry_out(self._procedures.invoke(action, inputs, intent, dry_run, invoker))

    def carry_out(self, steps: Steps[T]) -> T:
        """Carry out a procedure."""
        return drive(steps, self.client, self._database)

    def options(
        self,
        lookup: str,
        inputs: Mapping[str, Any] = NO_INPUTS,
        search: str | None = None,
        lang: str = "en",
        limit: int | None = None,
        after: str | None = None,
    ) -> Options:
        """Return the options of a dropdown, in English or German.

        Only those that contain every word of `search`; at most `limit`, behind the value `after`. `next` of the result
        says behind which value further ones follow.
        """
        options = self._procedures.cache.fresh(lookup, inputs)
        if options is None:
            options = self.carry_out(self._procedures.options(*self._procedures.lookup_request(lookup, inputs)))
        return page_of(options.in_(lang), search, limit, after)

    def poll(
        self, trigger: str, inputs: Mapping[str, Any] = NO_INPUTS, cursor: str | None = None, start: str = START
    ) -> Polled:
        """Poll once for items after `cursor`; without one, `start` says where to begin: now, all, since:ID."""
        return self.carry_out(self._procedures.poll(trigger, inputs, cursor, start))

    def test(self) -> dict[str, Any]:
        """Test the credential; raise the error that says why it does not work."""
        return self.carry_out(self._procedures.test())

    def runs(self, **filters: Any) -> list[Run]:
        """Return the writes of the workspace, or with `kind="read"` its reads.

        Filtered by `state`, `action`, `key`, `after`, `limit`.
        """
        found = self.carry_out(self._procedures.runs.listed(filters))
        return [self._procedures.runs.visible(run) for run in found]

    def find_run(self, id: str) -> Run:
        """Return one run, by its id or key."""
        return self._procedures.runs.visible(self.carry_out(self._procedures.runs.find(id)))

    def waiting(self, run: Run) -> Waiting | None:
        """Return the equal writes that wait for a run of unknown outcome; None when there are none."""
        return self.carry_out(self._procedures.runs.waiting(run))

    def settle(
        self, id: str, happened: bool, note: str = "", *, release: bool | None = None, waiting: int | None = None
    ) -> Run:
        """Settle an unknown run, by its id or key: whether it happened.

        `release` says whether the equal writes that wait for it are sent now or never; `waiting`, how many of them the
        person has seen.
        """
        steps = self._procedures.runs.settle(id, happened, note, release, waiting)
        return self._procedures.runs.visible(self.carry_out(steps))

    def close(self) -> None:
        """Store the counted usage, and close the pooled connections."""
        self._shared.usage.flush()
        self.state.governor.flush(self.clock.monotonic(), self.clock.speed)
        self.client.close()

    def _refresh(self, steps: Steps[Options]) -> None:
        def refresh() -> None:
            with suppress(KontorError):  # the stale options stay, and the next request tries again
                self.carry_out(steps)

        threading.Thread(target=refresh, name="kontor-refresh", daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class AsyncSession(_Session, AsyncCalls):
    """A session in an event loop."""

    def __init__(
        self,
        shared: SharedState,
        credential: Credential,
        flow: str,
        clock: Clock | None,
        workspace: str | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        state = shared.key_state(credential)
        self.client: AsyncClient = AsyncClient(credential, clock=clock, state=state, transport=transport)
        super().__init__(shared, self.client, flow, workspace)
        self.in_progress = 0
        """Procedures that are under way."""
        self._background_tasks: set[asyncio.Task[None]] = set()

    def watch(
        self, trigger: handlers.Trigger[Output], cursor: str | None = None, start: str = START
    ) -> AsyncWatch[Output]:
        """Return the items of a poll trigger as they come, at its usual interval; `poll` says what `start` means."""
        from connector.runtime.typed import AsyncWatch

        return AsyncWatch(self, trigger, self._interval(trigger), cursor, start)

    async def perform(
        self, action: str, inputs: Mapping[str, Any], intent: Intent, dry_run: bool = False, invoker: Invoker = ALONE
    ) -> Result:
        """Run an action as it is meant."""
        return await self.carry_out(self._procedures.invoke(action, inputs, intent, dry_run, invoker))

    async def carry_out(self, steps: Steps[T]) -> T:
        """Carry out a procedure."""
        self.in_progress += 1
        try:
            return await drive_async(steps, self.client, self._database)
        finally:
            self.in_progress -= 1

    async def send(self, call: Call) -> Reply:
        """Send a call as it is."""
        return await self.carry_out(exchange(call, self.sender))

    async def options(
        self,
        lookup: str,
        inputs: Mapping[str, Any] = NO_INPUTS,
        search: str | None = None,
        lang: str = "en",
        limit: int | None = None,
        after: str | None = None,
    ) -> Options:
        """Return the options of a dropdown, in English or German.

        Only those that contain every word of `search`; at most `limit`, behind the value `after`. `next` of the result
        says behind which value further ones follow.
        """
        options = self._procedures.cache.fresh(lookup, inputs)
        if options is None:
            options = await self.carry_out(self._procedures.options(*self._procedures.lookup_request(lookup, inputs)))
        return page_of(options.in_(lang), search, limit, after)

    async def poll(
        self, trigger: str, inputs: Mapping[str, Any] = NO_INPUTS, cursor: str | None = None, start: str = START
    ) -> Polled:
        """Poll once for items after `cursor`; without one, `start` says where to begin: now, all, since:ID."""
        return await self.carry_out(self._procedures.poll(trigger, inputs, cursor, start))

    async def test(self) -> dict[str, Any]:
        """Test the credential; raise the error that says why it does not work."""
        return await self.carry_out(self._procedures.test())

    async def workspace(self) -> str:
        """Return the workspace of this session, attaching the API key to it when it is new."""
        return await self.carry_out(self._procedures.workspace.steps())

    async def organizations(self) -> tuple[str, ...]:
        """Return whom the newest payments of this key name as their organisation."""
        return await self.carry_out(self._procedures.workspace.organizations_steps())

    async def runs(self, **filters: Any) -> list[Run]:
        """Return the writes of the workspace, or with `kind="read"` its reads.

        Filtered by `state`, `action`, `key`, `after`, `limit`.
        """
        found = await self.carry_out(self._procedures.runs.listed(filters))
        return [self._procedures.runs.visible(run) for run in found]

    async def find_run(self, id: str) -> Run:
        """Return one run, by its id or key."""
        return self._procedures.runs.visible(await self.carry_out(self._procedures.runs.find(id)))

    async def waiting(self, run: Run) -> Waiting | None:
        """Return the equal writes that wait for a run of unknown outcome; None when there are none."""
        return await self.carry_out(self._procedures.runs.waiting(run))

    async def settle(
        self,
        id: str,
        happened: bool,
        note: str = "",
        actor: Actor | None = None,
        *,
        release: bool | None = None,
        waiting: int | None = None,
    ) -> Run:
        """Settle an unknown run, as the blocking session does."""
        steps = self._procedures.runs.settle(id, happened, note, release, waiting, actor)
        return self._procedures.runs.visible(await self.carry_out(steps))

    async def send_approved(self, found: Run) -> Result:
        """Send a run that another person has approved, at most once."""
        return await self.carry_out(self._procedures.send_approved(found))

    async def check_budget(self, call: Call, flow: str) -> None:
        """Raise `BudgetHeld` when a call of this flow would exceed the budget as it is now."""
        await self.carry_out(self._procedures.spending.check_for(flow, call))

    async def look_again(self) -> int:
        """Look at the service for all writes whose outcome is unknown; return how many were found."""
        return await self.carry_out(self._procedures.runs.look_again())

    async def aclose(self) -> None:
        """Cancel background tasks, store the counted usage, and close the pooled connections."""
        for task in self._background_tasks:
            task.cancel()
        await asyncio.gather(*self._background_tasks, return_exceptions=True)
        self._shared.usage.flush()
        self.state.governor.flush(self.clock.monotonic(), self.clock.speed)
        await self.client.aclose()

    def _refresh(self, steps: Steps[Options]) -> None:
        async def refresh() -> None:
            with suppress(KontorError):
                await self.carry_out(steps)

        task = asyncio.create_task(refresh())
        self._background_tasks.add(task)
        task.add_done_callback(self._background_tasks.discard)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
