"""Sessions: run actions, lookups and polls under one credential, blocking or asynchronous."""

from __future__ import annotations

import asyncio
import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from connector.core.answers import items_in
from connector.core.client import AsyncClient, Call, Client, KeyState, Reply
from connector.core.clock import Clock
from connector.core.credential import Credential
from connector.core.errors import (
    InputError,
    KontorError,
    NotFound,
    ReconnectNeeded,
    Refused,
    RightMissing,
    ServiceNotBooked,
)
from connector.core.manifest.model import Action, Lookup, Trigger
from connector.core.messages import say
from connector.core.roles import Actor
from connector.runtime import budget, checks, rights
from connector.runtime.context import ActionContext
from connector.runtime.invoke import invoke
from connector.runtime.look import NEWEST_FIRST
from connector.runtime.lookups import Key, LookupCache, fetch, search_in, wait
from connector.runtime.picks import PickedRows
from connector.runtime.poll import START, Polled, check_start, poll
from connector.runtime.request import build_call
from connector.runtime.result import Credits, Options, Result
from connector.runtime.row_counts import rows_counted, rows_in
from connector.runtime.shared_state import SharedState
from connector.runtime.steps import ReadStep, SendStep, Steps, WriteStep, drive, drive_async

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from connector.store import Database
    from connector.store.runs import Run

NO_INPUTS: Mapping[str, Any] = {}


class _Session(ABC):
    """The procedures of both kinds of session, as steps."""

    client: Client | AsyncClient

    def __init__(self, connector: SharedState, credential: Credential, flow: str, workspace: str | None) -> None:
        self._connector = connector
        self._given_workspace = workspace
        self.credential = credential
        self.flow = flow
        self._cache: LookupCache = connector.lookup_cache(credential)
        self._picks = PickedRows(connector, self._cache)
        self._budget = budget.CachedBudget()

    @property
    def state(self) -> KeyState:
        """The rate limiter and credit ledger of this key."""
        return self.client.state

    @property
    def clock(self) -> Clock:
        """The session's clock."""
        return self.client.clock

    def id_for(self, role: str) -> str:
        """Return the id of the action or lookup that has this role."""
        return self._connector.roles[role]

    def _database(self) -> Database:
        return self._connector.database

    def _invoke_steps(
        self,
        action_id: str,
        inputs: Mapping[str, Any],
        key: str | None,
        dry_run: bool,
        again: bool = False,
        actor: Actor | None = None,
    ) -> Steps[Result]:
        action = self._connector.action(action_id)
        result = yield from invoke(self._action_context(action, actor), inputs, key, dry_run, again)
        if not dry_run:
            self._record_usage(action, result)
        return result

    def _action_context(self, action: Action, actor: Actor | None = None) -> ActionContext:
        inputs = self._connector.inputs(action)
        return ActionContext(
            action,
            inputs,
            self.credential,
            self.clock,
            self._connector.heartbeat,
            self._connector.action,
            self._check_budget,
            self.workspace_steps,
            self._connector.moving_paths,
            self._picks,
            actor,
        )

    def workspace_steps(self) -> Steps[str]:
        """Return the workspace of this session's writes, attaching the API key to it when it is new."""
        if self._given_workspace is not None:
            return self._given_workspace
        known = self._connector.workspaces_by_key
        if self.credential.fingerprint not in known:
            known[self.credential.fingerprint] = yield from self._find_workspace_steps()
        return known[self.credential.fingerprint]

    def _find_workspace_steps(self) -> Steps[str]:
        from connector.store import workspaces

        fingerprint = self.credential.fingerprint
        found: str | None = yield ReadStep(lambda connection: workspaces.of_key(connection, fingerprint))
        if found is None:
            # Where customers share a host, a key must not get round the workspace of its organisation.
            shown = (yield from self._organizations_steps()) if self._connector.separate_keys else ()
            found = yield WriteStep(lambda connection: self._attach(connection, shown), durable=False)
        return found

    def _attach(self, connection: Connection, organizations: tuple[str, ...]) -> str:
        from connector.store import workspaces

        fingerprint = self.credential.fingerprint
        wanted = os.environ.get("KONTOR_WORKSPACE", "").strip()
        if not wanted:
            separate = self._connector.separate_keys
            wanted = workspaces.own_workspace(connection, fingerprint) if separate else workspaces.DEFAULT
        if organizations:
            workspaces.check_organization(connection, organizations, wanted)
        found = workspaces.attach(connection, fingerprint, wanted, self.clock.utcnow())
        if len(organizations) == 1:
            workspaces.set_organization(connection, fingerprint, organizations[0])
        return found

    def _organizations_steps(self) -> Steps[tuple[str, ...]]:
        """Return whom the newest payments name as their organisation, which is free; empty when none are shown."""
        call = build_call(self._connector.action_for("payment_list"), NEWEST_FIRST, self.credential.wire)
        try:
            reply: Reply = yield SendStep(replace(call, serves_write=True))
            rows = [row for row in items_in(reply.value) if isinstance(row, Mapping)]
        except (RightMissing, ServiceNotBooked, ReconnectNeeded, NotFound, Refused, ValueError):
            return ()
        named = {row.get("organization_id") for row in rows}
        return tuple(sorted(one for one in named if isinstance(one, str) and one))

    def _check_budget(self, call: Call) -> Steps[None]:
        yield from budget.check(
            call, self.credential.fingerprint, self.flow, self.state, self.clock, self._budget, self._connector.tally
        )

    def _record_usage(self, action: Action, result: Result) -> None:
        """Count the credits, and invalidate cached lookups that a write changed."""
        if action.writes and not result.replayed:
            self._cache.invalidate(action.refreshes)
        self._count(action.id, result.credits)

    def _count(self, label: str, credits: Credits) -> None:
        if credits.cost:
            self._connector.tally.count(self.credential.fingerprint, self.flow, label, credits, self.clock)

    def _poll_steps(self, trigger_id: str, inputs: Mapping[str, Any], cursor: str | None, start: str) -> Steps[Polled]:
        trigger = self._connector.trigger(trigger_id)
        if trigger.source != "poll":
            remedy = say("event_trigger_polled_remedy")
            raise InputError(say("event_trigger_polled", id=trigger_id), remedy=remedy, field="trigger")
        clean = self._connector.inputs(trigger).clean(inputs)
        checks.check(trigger, clean)
        known = {"balance": self.state.credits.balance, "available": self.state.credits.available}
        counted = self._rows_counted_steps(trigger, clean)
        wire, now = self.credential.wire, self.clock.utcnow()
        listed = self._listed_steps(trigger)
        polled = yield from poll(trigger, clean, cursor, check_start(start), now, wire, known, counted, listed)
        self._count(trigger_id, polled.credits)
        return polled

    def _listed_steps(self, trigger: Trigger) -> Steps[list[str]]:
        """Return the ids of all that a trigger may watch, as the lookup of its input lists them."""
        if trigger.each is None:
            return []
        lookup, clean, key = self._lookup_request(trigger.each.lookup, NO_INPUTS)
        options = self._cache.fresh(lookup.id, NO_INPUTS) or (yield from self._options_steps(clean, key, lookup))
        return [option.value for option in options]

    def _rows_counted_steps(self, trigger: Trigger, inputs: Mapping[str, Any]) -> Steps[int | None]:
        """Return the number of rows of a shared list for these inputs, from the free accounts list; None if unknown."""
        if trigger.shared is None:
            return None
        group = trigger.shared.group
        scope = {group: inputs[group]} if group in inputs else {}
        try:
            found = yield from self._invoke_steps(self._connector.roles["account_list"], scope, None, False)
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
        return fetch(lookup, inputs, self._cache, key, self.credential.wire, self.clock.berlin_today())

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
        reply: Reply = yield SendStep(Call(probe["method"], probe["path"], label="test"))
        return {"ok": True, "accounts": len(items_in(reply.value)), "quelle": self.credential.quelle}

    def _runs_steps(self, filters: Mapping[str, Any]) -> Steps[list[Run]]:
        from connector.store import runs

        workspace, now = (yield from self.workspace_steps()), self.clock.utcnow()
        found = yield ReadStep(lambda connection: runs.listed(connection, workspace, now, **filters))
        return list(found)

    def _run_steps(self, id: str) -> Steps[Run]:
        """Return the run with this id or key."""
        from connector.store import runs

        workspace = yield from self.workspace_steps()
        found = yield ReadStep(
            lambda connection: runs.find(connection, workspace, id) or runs.find_by_key(connection, workspace, id)
        )
        if found is None:
            raise NotFound(say("run_not_found", id=id), remedy=say("run_not_found_remedy"), outcome="not_sent")
        return found  # type: ignore[no-any-return]

    def _settle_steps(self, id: str, happened: bool, note: str, actor: Actor | None = None) -> Steps[Run]:
        from connector.runtime.writes import observe
        from connector.store import runs

        named = yield from self._run_steps(id)
        rights.check_settling(actor, named, self._connector.actions, self._connector.moving_paths)
        found = yield from observe((yield from self.workspace_steps()), named)
        now = self.clock.utcnow()
        if not (yield WriteStep(lambda connection: runs.settle(connection, found, happened, note, now))):
            raise InputError(say("not_unknown", id=id), remedy=say("not_unknown_remedy"), field="id")
        return (yield from self._run_steps(found.id))

    def _look_again_steps(self) -> Steps[int]:
        from connector.runtime.unknown_runs import look_again

        workspace = yield from self.workspace_steps()
        observer = self._connector.beat_observer(workspace)
        return (yield from look_again(workspace, observer, self._connector.action, self.credential, self.clock))


class Session(_Session):
    """A blocking session. May be used from many threads."""

    def __init__(
        self,
        connector: SharedState,
        credential: Credential,
        flow: str,
        clock: Clock | None,
        workspace: str | None = None,
    ) -> None:
        super().__init__(connector, credential, flow, workspace)
        self.client: Client = Client(credential, clock=clock, state=connector.key_state(credential))

    def invoke(
        self,
        action: str,
        inputs: Mapping[str, Any] = NO_INPUTS,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
    ) -> Result:
        """Run an action; with a `key`, at most once however often it is called.

        Without a key, a write that equals one of the last ten minutes is held back, unless it is meant `again`.
        """
        return drive(self._invoke_steps(action, inputs, key, dry_run, again), self.client, self._database)

    def options(self, lookup: str, inputs: Mapping[str, Any] = NO_INPUTS, search: str | None = None) -> Options:
        """Return the options of a dropdown."""
        options = self._cache.fresh(lookup, inputs)
        if options is None:
            found, clean, key = self._lookup_request(lookup, inputs)
            options = drive(self._options_steps(clean, key, found), self.client, self._database)
        return search_in(options, search) if search else options

    def poll(
        self, trigger: str, inputs: Mapping[str, Any] = NO_INPUTS, cursor: str | None = None, start: str = START
    ) -> Polled:
        """Poll once for items after `cursor`; without one, `start` says where to begin: now, all, since:ID."""
        return drive(self._poll_steps(trigger, inputs, cursor, start), self.client, self._database)

    def test(self) -> dict[str, Any]:
        """Test the credential; raise the error that says why it does not work."""
        return drive(self._test_steps(), self.client, self._database)

    def runs(self, **filters: Any) -> list[Run]:
        """Return the runs of the workspace, filtered by `state`, `action`, `key`, `after`, `limit`."""
        return drive(self._runs_steps(filters), self.client, self._database)

    def run(self, id: str) -> Run:
        """Return one run, by its id or key."""
        return drive(self._run_steps(id), self.client, self._database)

    def settle(self, id: str, happened: bool, note: str = "") -> Run:
        """Settle an unknown run, by its id or key: whether it happened."""
        return drive(self._settle_steps(id, happened, note), self.client, self._database)

    def close(self) -> None:
        """Store the counted usage, and close the pooled connections."""
        self._connector.tally.flush()
        self.state.governor.flush(self.clock.monotonic(), self.clock.speed)
        self.client.close()

    def _refresh(self, steps: Steps[Options]) -> None:
        def refresh() -> None:
            with suppress(KontorError):  # the stale options stay, and the next request tries again
                drive(steps, self.client, self._database)

        threading.Thread(target=refresh, name="kontor-refresh", daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class AsyncSession(_Session):
    """A session in an event loop."""

    def __init__(
        self,
        connector: SharedState,
        credential: Credential,
        flow: str,
        clock: Clock | None,
        workspace: str | None = None,
    ) -> None:
        super().__init__(connector, credential, flow, workspace)
        self.client: AsyncClient = AsyncClient(credential, clock=clock, state=connector.key_state(credential))
        self._background_tasks: set[asyncio.Task[None]] = set()

    async def invoke(
        self,
        action: str,
        inputs: Mapping[str, Any] = NO_INPUTS,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        actor: Actor | None = None,
    ) -> Result:
        """Run an action; with a `key`, at most once however often it is called.

        Without a key, a write that equals one of the last ten minutes is held back, unless it is meant `again`.
        With an `actor`, only what its role allows.
        """
        steps = self._invoke_steps(action, inputs, key, dry_run, again, actor)
        return await drive_async(steps, self.client, self._database)

    async def options(self, lookup: str, inputs: Mapping[str, Any] = NO_INPUTS, search: str | None = None) -> Options:
        """Return the options of a dropdown."""
        options = self._cache.fresh(lookup, inputs)
        if options is None:
            found, clean, key = self._lookup_request(lookup, inputs)
            options = await drive_async(self._options_steps(clean, key, found), self.client, self._database)
        return search_in(options, search) if search else options

    async def poll(
        self, trigger: str, inputs: Mapping[str, Any] = NO_INPUTS, cursor: str | None = None, start: str = START
    ) -> Polled:
        """Poll once for items after `cursor`; without one, `start` says where to begin: now, all, since:ID."""
        return await drive_async(self._poll_steps(trigger, inputs, cursor, start), self.client, self._database)

    async def test(self) -> dict[str, Any]:
        """Test the credential; raise the error that says why it does not work."""
        return await drive_async(self._test_steps(), self.client, self._database)

    async def workspace(self) -> str:
        """Return the workspace of this session, attaching the API key to it when it is new."""
        return await drive_async(self.workspace_steps(), self.client, self._database)

    async def organizations(self) -> tuple[str, ...]:
        """Return whom the newest payments of this key name as their organisation."""
        return await drive_async(self._organizations_steps(), self.client, self._database)

    async def runs(self, **filters: Any) -> list[Run]:
        """Return the runs of the workspace, filtered by `state`, `action`, `key`, `after`, `limit`."""
        return await drive_async(self._runs_steps(filters), self.client, self._database)

    async def run(self, id: str) -> Run:
        """Return one run, by its id or key."""
        return await drive_async(self._run_steps(id), self.client, self._database)

    async def settle(self, id: str, happened: bool, note: str = "", actor: Actor | None = None) -> Run:
        """Settle an unknown run, by its id or key: whether it happened."""
        return await drive_async(self._settle_steps(id, happened, note, actor), self.client, self._database)

    async def look_again(self) -> int:
        """Look at the service for all writes whose outcome is unknown; return how many were found."""
        return await drive_async(self._look_again_steps(), self.client, self._database)

    async def aclose(self) -> None:
        """Cancel background tasks, store the counted usage, and close the pooled connections."""
        for task in self._background_tasks:
            task.cancel()
        await asyncio.gather(*self._background_tasks, return_exceptions=True)
        self._connector.tally.flush()
        self.state.governor.flush(self.clock.monotonic(), self.clock.speed)
        await self.client.aclose()

    def _refresh(self, steps: Steps[Options]) -> None:
        async def refresh() -> None:
            with suppress(KontorError):
                await drive_async(steps, self.client, self._database)

        task = asyncio.create_task(refresh())
        self._background_tasks.add(task)
        task.add_done_callback(self._background_tasks.discard)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
