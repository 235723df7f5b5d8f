"""Sessions: run actions, lookups and polls under one credential, blocking or asynchronous."""

from __future__ import annotations

import asyncio
import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import date, timedelta
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from cachetools import LRUCache

from connector.client import AsyncClient, Call, Client, KeyState, Reply, Sender
from connector.client.exchange import exchange
from connector.client.key_states import Charge
from connector.client.steps import Await, Query, Steps, drive, drive_async
from connector.core.callers import Actor, Intent, Invoker
from connector.core.data.answers import items_in
from connector.core.data.fields import LookupUse
from connector.core.errors import (
    BudgetHeld,
    InputError,
    KontorError,
    RightMissing,
)
from connector.core.manifest.model import Action, ActionId, Lookup, Trigger
from connector.core.messages import say
from connector.core.service.credential import Credential
from connector.core.service_facts import credits_state
from connector.core.timing import Clock
from connector.core.writes.marks import without_marks
from connector.core.writes.policy import Policy
from connector.runtime.context import ActionContext
from connector.runtime.invoke import invoke, invoke_approved
from connector.runtime.lookups import LOOKUP_LABEL, Key, LookupCache, PickedRows, fetch, lookup_inputs, page_of, wait
from connector.runtime.poll import START, Polled, RowTotals, check_start, poll, rows_counted, rows_in
from connector.runtime.records import usage
from connector.runtime.requests import checks
from connector.runtime.result import Credits, Options, Result
from connector.runtime.shared_state import SharedState
from connector.runtime.workspace import KeyWorkspace, WorkspaceRuns

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

T = TypeVar("T")
Output = TypeVar("Output")
NO_INPUTS: Mapping[str, Any] = {}
MAX_TOTALS = 1000
ALONE = Invoker()
"""Whoever uses Kontor alone, from Python."""
KONTOR = Invoker("host")
"""Kontor itself."""


class _Session(ABC):
    """The procedures of both kinds of session, as steps."""

    client: Client | AsyncClient

    def __init__(self, connector: SharedState, sender: Sender, flow: str, workspace: str | None) -> None:
        self._connector, self.sender, self.flow = connector, sender, flow
        self.credential, self.clock = sender.credential, sender.clock
        self._workspace = KeyWorkspace(connector, sender, workspace)
        self._runs = WorkspaceRuns(connector, sender, self._workspace)
        self._cache: LookupCache = connector.lookup_cache(sender.credential)
        self._row_totals: LRUCache[tuple[str, str, str], int] = LRUCache(MAX_TOTALS)
        self._picks = PickedRows(connector, self._cache)
        self._budget = usage.CachedBudget()

    @property
    def state(self) -> KeyState:
        """The rate limiter and credit ledger of this key."""
        return self.sender.state

    def id_for(self, role: str) -> ActionId:
        """Return the id of the action or lookup that has this role."""
        return ActionId(self._connector.roles[role])

    def _database(self) -> Database:
        return self._connector.database

    def _invoke_steps(
        self,
        action_id: str,
        inputs: Mapping[str, Any],
        intent: Intent,
        dry_run: bool,
        invoker: Invoker = ALONE,
    ) -> Steps[Result]:
        action = self._connector.action(action_id)
        if intent.agent and not invoker.agent:
            invoker = replace(invoker, agent=True)
        try:
            result = yield from invoke(self._action_context(action, invoker), inputs, intent, dry_run)
        except RightMissing as error:
            self._runs.audit_refusal(error, invoker, action_id)
            raise
        return result if dry_run else self._record_usage(action, result)

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
            return self.carry_out(self._typed_steps(action, Intent(key, again, guarded, agent), dry_run))

    def _typed_steps(self, action: handlers.Action[Output], intent: Intent, dry_run: bool) -> Steps[Result[Any]]:
        from connector.runtime.typed import typed_result

        result = yield from self._invoke_steps(action.manifest_id, action.given_inputs(), intent, dry_run)
        return typed_result(action, result)

    def _action_context(self, action: Action, invoker: Invoker) -> ActionContext:
        inputs, reads, key = self._connector.inputs(action), self._connector.reads, self.credential.fingerprint
        wanted = reads.is_wanted(invoker)
        return ActionContext(
            action=action,
            inputs=inputs,
            sender=self.sender,
            heartbeat=self._connector.heartbeat,
            find_action=self._connector.action,
            check_budget=self._check_budget,
            workspace=self.workspace_steps,
            policy=self._policy_steps,
            moving_paths=self._connector.moving_paths,
            picks=self._picks,
            listed_values=self._listed_values_steps,
            host=self._connector.host,
            invoker=invoker,
            record_read=partial(reads.record, key, action.id, invoker, self.clock) if wanted else None,
        )

    def workspace_steps(self) -> Steps[str]:
        """Return the workspace of this session's writes, attaching the API key to it when it is new."""
        return self._workspace.steps()

    def _policy_steps(self, workspace: str, now: bool) -> Steps[Policy]:
        cached = None if now else self._connector.policies.get(workspace)
        if cached is None:
            from connector.store.trust import workspaces

            cached = yield Query(lambda connection: workspaces.find_policy(connection, workspace))
            self._connector.policies[workspace] = cached
        return cached

    def _check_budget(self, call: Call) -> Steps[None]:
        yield from self.check_budget(call, self.flow, self._budget)

    def check_budget(self, call: Call, flow: str, known: usage.CachedBudget) -> Steps[None]:
        """Raise `BudgetHeld` when the call would exceed the budget, after looking whether payments gave some back."""
        arguments = (call, self.credential.fingerprint, flow, self.state, self.clock, known, self._connector.usage)
        try:
            yield from usage.check_budget(*arguments)
        except BudgetHeld:
            if not (yield from self._follow_payments()):
                raise
            yield from usage.check_budget(*arguments)

    def _follow_payments(self) -> Steps[bool]:
        """Read, at no cost, what became of the payments for which credits are reserved; False without any."""
        from connector.store.rates import usage

        yield from self._reserved_steps()
        since = yield Query(partial(usage.reserved_since, credential=self.credential.fingerprint))
        found = (one.read_back for one in self._connector.actions.values() if one.cost.settles_later)
        back = next((one for one in found if one is not None), None)
        if since is None or back is None:
            return False
        # A day earlier, since the service's days need not begin when ours do.
        first = date.fromisoformat(since) - timedelta(days=1)
        inputs = {back.since: first.isoformat()} if back.since else NO_INPUTS
        try:
            yield from self._invoke_steps(back.action, inputs, Intent(), False, invoker=KONTOR)
        except KontorError:
            return False
        yield from self._reserved_steps()
        return True

    def _reserved_steps(self) -> Steps[None]:
        """Learn which credits are reserved, by this process or another."""
        from connector.store.rates import usage

        writing = self._connector.usage.flush()
        if writing is not None:
            yield Await(writing)
        reserved = yield Query(partial(usage.reservations, credential=self.credential.fingerprint))
        self.state.credits.reserved = reserved

    def _record_usage(self, action: Action, result: Result) -> Result:
        """Count the credits, invalidate cached lookups that a write changed, and take our marks out of the output."""
        if action.writes and not result.replayed:
            self._cache.invalidate(action.refreshes)
        if action.read_back is not None:  # it may be what the service's list shows, or an earlier run
            result = result.with_output(without_marks(result.output))
        payment = result.output
        if not (action.cost.settles_later and result.credits.cost and isinstance(payment, dict) and payment.get("id")):
            self._count(action.id, result.credits)
            return result
        self._connector.usage.reserve(
            self.credential.fingerprint, self.flow, action.id, result.credits, self.clock, payment
        )
        state = credits_state(str(payment.get("status")))
        return replace(result, credits=replace(result.credits, state=state))

    def _count(self, label: str, credits: Credits) -> None:
        if credits.cost:
            self._connector.usage.count(self.credential.fingerprint, self.flow, label, credits, self.clock)
        elif credits.told and credits.balance is not None:
            self._connector.usage.record_balance(self.credential.fingerprint, credits.balance, self.clock)

    def _count_lookup(self, lookup: Lookup, charge: Charge) -> None:
        self._count(f"{LOOKUP_LABEL}{lookup.id}", Credits(charge.cost, charge.balance, charge.told))

    def _poll_steps(self, trigger_id: str, inputs: Mapping[str, Any], cursor: str | None, start: str) -> Steps[Polled]:
        trigger = self._connector.trigger(trigger_id)
        if trigger.source != "poll":
            remedy = say("event_trigger_polled_remedy")
            raise InputError(say("event_trigger_polled", id=trigger_id), remedy=remedy, field="trigger")
        clean = self._connector.inputs(trigger).clean(inputs)
        checks.check(trigger, clean)
        if trigger.request is None:  # it fires by what is left
            yield from self._reserved_steps()
        known = {"balance": self.state.credits.balance, "available": self.state.credits.available}
        counted = self._rows_counted_steps(trigger, clean)
        now = self.clock.utcnow()
        listed, totals = self._listed_steps(trigger), RowTotals(self._row_totals, trigger.id, clean)
        polled = yield from poll(
            trigger, clean, cursor, check_start(start), now, self.sender, known, counted, listed, totals
        )
        self._count(trigger_id, polled.credits)
        return polled

    def _listed_steps(self, trigger: Trigger) -> Steps[list[str]]:
        """Return the ids of all that a trigger may watch, as the lookup of its input lists them."""
        if trigger.each is None:
            return []
        lookup, clean, key = self._lookup_request(trigger.each.lookup, NO_INPUTS)
        options = self._cache.fresh(lookup.id, NO_INPUTS) or (yield from self._options_steps(clean, key, lookup))
        return [option.value for option in options]

    def _listed_values_steps(self, use: LookupUse, inputs: Mapping[str, Any], now: bool) -> Steps[frozenset[str]]:
        """Return the values that a dropdown offers for the inputs of the form; with `now` it is read anew."""
        if now:
            self._cache.invalidate([use.id])
        lookup, clean, key = self._lookup_request(use.id, lookup_inputs(use, inputs))
        options = yield from self._options_steps(clean, key, lookup)
        return frozenset(option.value for option in options)

    def _rows_counted_steps(self, trigger: Trigger, inputs: Mapping[str, Any]) -> Steps[int | None]:
        """Return the number of rows of a shared list for these inputs, from the free accounts list; None if unknown."""
        if trigger.shared is None:
            return None
        group = trigger.shared.group
        scope = {group: inputs[group]} if group in inputs else {}
        try:
            found = yield from self._invoke_steps(
                self._connector.roles["account_list"], scope, Intent(), False, invoker=KONTOR
            )
        except KontorError:
            return None
        return rows_in(rows_counted(found.output["items"]), inputs.get(trigger.shared.part))

    def _options_steps(self, inputs: Mapping[str, Any], key: Key, lookup: Lookup) -> Steps[Options]:
        while True:
            usable, future, mine = self._cache.begin(key)
            if mine and usable is None:
                return (yield from self._fetch_steps(lookup, inputs, key))
            if usable is not None:
                if mine:
                    self._refresh(self._fetch_steps(lookup, inputs, key))
                return usable
            options = yield from wait(future)
            if options is not None:
                return options

    def _fetch_steps(self, lookup: Lookup, inputs: Mapping[str, Any], key: Key) -> Steps[Options]:
        today = self.clock.berlin_today()
        return fetch(lookup, inputs, self._cache, key, self.sender, today, self._count_lookup)

    @abstractmethod
    def _refresh(self, steps: Steps[Options]) -> None:
        """Execute the steps in the background."""

    def _lookup_request(self, lookup_id: str, inputs: Mapping[str, Any]) -> tuple[Lookup, dict[str, Any], Key]:
        lookup = self._connector.lookup(lookup_id)
        clean = self._connector.inputs(lookup).clean(inputs)
        checks.check(lookup, clean)
        return lookup, clean, (lookup_id, frozenset(inputs.items()))

    def _test_steps(self) -> Steps[dict[str, Any]]:
        probe = self._connector.about["test"]
        reply = yield from exchange(Call(probe["method"], probe["path"], label="test"), self.sender)
        return {"ok": True, "accounts": len(items_in(reply.value)), "quelle": self.credential.quelle}


class Session(_Session, Calls):
    """A blocking session. May be used from many threads."""

    def __init__(
        self,
        connector: SharedState,
        credential: Credential,
        flow: str,
        clock: Clock | None,
        workspace: str | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        state = connector.key_state(credential)
        self.client: Client = Client(credential, clock=clock, state=state, transport=transport)
        super().__init__(connector, self.client.sender, flow, workspace)

    def watch(self, trigger: handlers.Trigger[Output], cursor: str | None = None, start: str = START) -> Watch[Output]:
        """Return the items of a poll trigger as they come, at its usual interval; `poll` says what `start` means."""
        from connector.runtime.typed import Watch

        interval = self.clock.real(self._connector.trigger(trigger.manifest_id).usual_interval)
        return Watch(self, trigger, interval, cursor, start)

    def perform(
        self, action: str, inputs: Mapping[str, Any], intent: Intent, dry_run: bool = False, invoker: Invoker = ALONE
    ) -> Result:
        """Run an action as it is meant."""
        return self.carry_out(self._invoke_steps(action, inputs, intent, dry_run, invoker))

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
        options = self._cache.fresh(lookup, inputs)
        if options is None:
            found, clean, key = self._lookup_request(lookup, inputs)
            options = self.carry_out(self._options_steps(clean, key, found))
        return page_of(options.in_(lang), search, limit, after)

    def poll(
        self, trigger: str, inputs: Mapping[str, Any] = NO_INPUTS, cursor: str | None = None, start: str = START
    ) -> Polled:
        """Poll once for items after `cursor`; without one, `start` says where to begin: now, all, since:ID."""
        return self.carry_out(self._poll_steps(trigger, inputs, cursor, start))

    def test(self) -> dict[str, Any]:
        """Test the credential; raise the error that says why it does not work."""
        return self.carry_out(self._test_steps())

    def runs(self, **filters: Any) -> list[Run]:
        """Return the writes of the workspace, or with `kind="read"` its reads.

        Filtered by `state`, `action`, `key`, `after`, `limit`.
        """
        found = self.carry_out(self._runs.listed(filters))
        return [self._runs.visible(run) for run in found]

    def find_run(self, id: str) -> Run:
        """Return one run, by its id or key."""
        return self._runs.visible(self.carry_out(self._runs.find(id)))

    def waiting(self, run: Run) -> Waiting | None:
        """Return the equal writes that wait for a run of unknown outcome; None when there are none."""
        return self.carry_out(self._runs.waiting(run))

    def settle(
        self, id: str, happened: bool, note: str = "", *, release: bool | None = None, waiting: int | None = None
    ) -> Run:
        """Settle an unknown run, by its id or key: whether it happened.

        `release` says whether the equal writes that wait for it are sent now or never; `waiting`, how many of them the
        person has seen.
        """
        steps = self._runs.settle(id, happened, note, release, waiting)
        return self._runs.visible(self.carry_out(steps))

    def close(self) -> None:
        """Store the counted usage, and close the pooled connections."""
        self._connector.usage.flush()
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
        connector: SharedState,
        credential: Credential,
        flow: str,
        clock: Clock | None,
        workspace: str | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        state = connector.key_state(credential)
        self.client: AsyncClient = AsyncClient(credential, clock=clock, state=state, transport=transport)
        super().__init__(connector, self.client.sender, flow, workspace)
        self.in_progress = 0
        """Procedures that are under way."""
        self._background_tasks: set[asyncio.Task[None]] = set()

    def watch(
        self, trigger: handlers.Trigger[Output], cursor: str | None = None, start: str = START
    ) -> AsyncWatch[Output]:
        """Return the items of a poll trigger as they come, at its usual interval; `poll` says what `start` means."""
        from connector.runtime.typed import AsyncWatch

        interval = self.clock.real(self._connector.trigger(trigger.manifest_id).usual_interval)
        return AsyncWatch(self, trigger, interval, cursor, start)

    async def perform(
        self, action: str, inputs: Mapping[str, Any], intent: Intent, dry_run: bool = False, invoker: Invoker = ALONE
    ) -> Result:
        """Run an action as it is meant."""
        steps = self._invoke_steps(action, inputs, intent, dry_run, invoker)
        return await self.carry_out(steps)

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
        options = self._cache.fresh(lookup, inputs)
        if options is None:
            found, clean, key = self._lookup_request(lookup, inputs)
            options = await self.carry_out(self._options_steps(clean, key, found))
        return page_of(options.in_(lang), search, limit, after)

    async def poll(
        self, trigger: str, inputs: Mapping[str, Any] = NO_INPUTS, cursor: str | None = None, start: str = START
    ) -> Polled:
        """Poll once for items after `cursor`; without one, `start` says where to begin: now, all, since:ID."""
        return await self.carry_out(self._poll_steps(trigger, inputs, cursor, start))

    async def test(self) -> dict[str, Any]:
        """Test the credential; raise the error that says why it does not work."""
        return await self.carry_out(self._test_steps())

    async def workspace(self) -> str:
        """Return the workspace of this session, attaching the API key to it when it is new."""
        return await self.carry_out(self.workspace_steps())

    async def organizations(self) -> tuple[str, ...]:
        """Return whom the newest payments of this key name as their organisation."""
        return await self.carry_out(self._workspace.organizations_steps())

    async def runs(self, **filters: Any) -> list[Run]:
        """Return the writes of the workspace, or with `kind="read"` its reads.

        Filtered by `state`, `action`, `key`, `after`, `limit`.
        """
        found = await self.carry_out(self._runs.listed(filters))
        return [self._runs.visible(run) for run in found]

    async def find_run(self, id: str) -> Run:
        """Return one run, by its id or key."""
        return self._runs.visible(await self.carry_out(self._runs.find(id)))

    async def waiting(self, run: Run) -> Waiting | None:
        """Return the equal writes that wait for a run of unknown outcome; None when there are none."""
        return await self.carry_out(self._runs.waiting(run))

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
        steps = self._runs.settle(id, happened, note, release, waiting, actor)
        return self._runs.visible(await self.carry_out(steps))

    async def send_approved(self, found: Run) -> Result:
        """Send a run that another person has approved, at most once."""
        action = self._connector.action(found.action)
        result = await self.carry_out(invoke_approved(self._action_context(action, Invoker()), found))
        return self._record_usage(action, result)

    async def look_again(self) -> int:
        """Look at the service for all writes whose outcome is unknown; return how many were found."""
        return await self.carry_out(self._runs.look_again())

    async def aclose(self) -> None:
        """Cancel background tasks, store the counted usage, and close the pooled connections."""
        for task in self._background_tasks:
            task.cancel()
        await asyncio.gather(*self._background_tasks, return_exceptions=True)
        self._connector.usage.flush()
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
