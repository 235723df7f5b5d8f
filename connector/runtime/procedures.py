"""What a session does under one credential, as procedures that either driver carries out: no I/O of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from cachetools import LRUCache

from connector.client import Call, Sender
from connector.client.exchange import exchange
from connector.client.key_states import Charge
from connector.client.steps import Query, Steps
from connector.core.callers import Intent, Invoker
from connector.core.data.answers import items_in
from connector.core.data.fields import LookupUse
from connector.core.errors import InputError, KontorError, RightMissing
from connector.core.manifest.model import Action, Lookup, Trigger
from connector.core.messages import say
from connector.core.writes.marks import without_marks
from connector.runtime.context import ActionContext
from connector.runtime.invoke import invoke, invoke_approved
from connector.runtime.lookups import LOOKUP_LABEL, Key, PickedRows, fetch, lookup_inputs, wait
from connector.runtime.poll import Polled, RowTotals, check_start, poll, rows_counted, rows_in
from connector.runtime.records.shared_state import SharedState
from connector.runtime.records.usage import Spending
from connector.runtime.requests import checks
from connector.runtime.result import Credits, Options, Result
from connector.runtime.workspace import KeyWorkspace, WorkspaceRuns

if TYPE_CHECKING:
    from connector.core.manifest import handlers
    from connector.core.writes.policy import Policy
    from connector.store.runs.runs import Run

Output = TypeVar("Output")
NO_INPUTS: Mapping[str, Any] = {}
MAX_TOTALS = 1000
ALONE = Invoker()
"""Whoever uses Kontor alone, from Python."""
KONTOR = Invoker("host")
"""Kontor itself."""


class Procedures:
    """Actions, dropdowns and polls under one credential."""

    def __init__(
        self,
        shared: SharedState,
        sender: Sender,
        flow: str,
        workspace: str | None,
        refresh: Callable[[Steps[Options]], None],
    ) -> None:
        """`refresh` carries out a procedure in the background."""
        self._shared, self._catalog, self._sender = shared, shared.catalog, sender
        self._refresh = refresh
        self.workspace = KeyWorkspace(shared, sender, workspace)
        self.runs = WorkspaceRuns(shared, sender, self.workspace)
        self.spending = Spending(shared.usage, sender, flow, self._read_payments)
        self.cache = shared.lookup_cache(sender.credential)
        self._row_totals: LRUCache[tuple[str, str, str], int] = LRUCache(MAX_TOTALS)
        self._picks = PickedRows(self._catalog, self.cache)

    # Actions

    def invoke(
        self, action_id: str, inputs: Mapping[str, Any], intent: Intent, dry_run: bool, invoker: Invoker = ALONE
    ) -> Steps[Result]:
        """Run an action."""
        action = self._catalog.action(action_id)
        if intent.agent and not invoker.agent:
            invoker = replace(invoker, agent=True)
        try:
            result = yield from invoke(self._context(action, invoker), inputs, intent, dry_run)
        except RightMissing as error:
            self.runs.audit_refusal(error, invoker, action_id)
            raise
        return result if dry_run else self._record(action, result)

    def run(self, action: handlers.Action[Output], intent: Intent, dry_run: bool) -> Steps[Result[Any]]:
        """Run an action by its handler."""
        from connector.runtime.typed import typed_result

        result = yield from self.invoke(action.manifest_id, action.given_inputs(), intent, dry_run)
        return typed_result(action, result)

    def send_approved(self, found: Run) -> Steps[Result]:
        """Send a run that another person has approved."""
        action = self._catalog.action(found.action)
        return self._record(action, (yield from invoke_approved(self._context(action, Invoker()), found)))

    def test(self) -> Steps[dict[str, Any]]:
        """Ask for something that every working credential may see."""
        probe = self._catalog.about["test"]
        reply = yield from exchange(Call(probe["method"], probe["path"], label="test"), self._sender)
        return {"ok": True, "accounts": len(items_in(reply.value)), "quelle": self._sender.credential.quelle}

    def _context(self, action: Action, invoker: Invoker) -> ActionContext:
        shared, sender = self._shared, self._sender
        record = partial(shared.reads.record, sender.credential.fingerprint, action.id, invoker, sender.clock)
        return ActionContext(
            action=action,
            inputs=self._catalog.inputs(action),
            sender=sender,
            heartbeat=shared.heartbeat,
            find_action=self._catalog.action,
            check_budget=self.spending.check,
            workspace=self.workspace.steps,
            policy=self._policy,
            moving_paths=self._catalog.moving_paths,
            picks=self._picks,
            listed_values=self._listed_values,
            host=shared.host,
            invoker=invoker,
            record_read=record if shared.reads.is_wanted(invoker) else None,
        )

    def _policy(self, workspace: str, now: bool) -> Steps[Policy]:
        cached = None if now else self._shared.policies.get(workspace)
        if cached is None:
            from connector.store.trust import workspaces

            cached = yield Query(lambda connection: workspaces.find_policy(connection, workspace))
            self._shared.policies[workspace] = cached
        return cached

    def _record(self, action: Action, result: Result) -> Result:
        """Count the credits, invalidate cached lookups that a write changed, and take our marks out of the output."""
        if action.writes and not result.replayed:
            self.cache.invalidate(action.refreshes)
        if action.read_back is not None:  # it may be what the service's list shows, or an earlier run
            result = result.with_output(without_marks(result.output))
        return self.spending.record(action, result)

    def _read_payments(self, since: date) -> Steps[bool]:
        """Read what became of the payments since a day; False where that is impossible."""
        found = (one.read_back for one in self._catalog.actions.values() if one.cost.settles_later)
        back = next((one for one in found if one is not None), None)
        if back is None:
            return False
        # A day earlier, since the service's days need not begin when ours do.
        inputs = {back.since: (since - timedelta(days=1)).isoformat()} if back.since else NO_INPUTS
        try:
            yield from self.invoke(back.action, inputs, Intent(), False, KONTOR)
        except KontorError:
            return False
        return True

    # Polls

    def poll(self, trigger_id: str, inputs: Mapping[str, Any], cursor: str | None, start: str) -> Steps[Polled]:
        """Poll once."""
        trigger, state = self._catalog.trigger(trigger_id), self._sender.state
        if trigger.source != "poll":
            remedy = say("event_trigger_polled_remedy")
            raise InputError(say("event_trigger_polled", id=trigger_id), remedy=remedy, field="trigger")
        clean = self._catalog.inputs(trigger).clean(inputs)
        checks.check(trigger, clean)
        if trigger.request is None:  # it fires by what is left
            yield from self.spending.learn_reserved()
        known = {"balance": state.credits.balance, "available": state.credits.available}
        counted, listed = self._rows_counted(trigger, clean), self._watched(trigger)
        now, totals = self._sender.clock.utcnow(), RowTotals(self._row_totals, trigger.id, clean)
        polled = yield from poll(
            trigger, clean, cursor, check_start(start), now, self._sender, known, counted, listed, totals
        )
        self.spending.count(trigger_id, polled.credits)
        return polled

    def _watched(self, trigger: Trigger) -> Steps[list[str]]:
        """Return the ids of all that a trigger may watch, as the lookup of its input lists them."""
        if trigger.each is None:
            return []
        lookup, clean, key = self.lookup_request(trigger.each.lookup, NO_INPUTS)
        options = self.cache.fresh(lookup.id, NO_INPUTS) or (yield from self.options(lookup, clean, key))
        return [option.value for option in options]

    def _rows_counted(self, trigger: Trigger, inputs: Mapping[str, Any]) -> Steps[int | None]:
        """Return the number of rows of a shared list for these inputs, from the free accounts list; None if unknown."""
        if trigger.shared is None:
            return None
        group = trigger.shared.group
        scope = {group: inputs[group]} if group in inputs else {}
        try:
            found = yield from self.invoke(self._catalog.roles["account_list"], scope, Intent(), False, KONTOR)
        except KontorError:
            return None
        return rows_in(rows_counted(found.output["items"]), inputs.get(trigger.shared.part))

    # Dropdowns

    def lookup_request(self, lookup_id: str, inputs: Mapping[str, Any]) -> tuple[Lookup, dict[str, Any], Key]:
        """Return a lookup with its inputs checked, and where its options are cached."""
        lookup = self._catalog.lookup(lookup_id)
        clean = self._catalog.inputs(lookup).clean(inputs)
        checks.check(lookup, clean)
        return lookup, clean, (lookup_id, frozenset(inputs.items()))

    def options(self, lookup: Lookup, inputs: Mapping[str, Any], key: Key) -> Steps[Options]:
        """Return the options: cached ones where they are usable, else those that one caller fetches for all."""
        while True:
            usable, future, mine = self.cache.begin(key)
            if mine and usable is None:
                return (yield from self._fetch(lookup, inputs, key))
            if usable is not None:
                if mine:
                    self._refresh(self._fetch(lookup, inputs, key))
                return usable
            options = yield from wait(future)
            if options is not None:
                return options

    def _fetch(self, lookup: Lookup, inputs: Mapping[str, Any], key: Key) -> Steps[Options]:
        today = self._sender.clock.berlin_today()
        return fetch(lookup, inputs, self.cache, key, self._sender, today, self._count_lookup)

    def _count_lookup(self, lookup: Lookup, charge: Charge) -> None:
        self.spending.count(f"{LOOKUP_LABEL}{lookup.id}", Credits(charge.cost, charge.balance, charge.told))

    def _listed_values(self, use: LookupUse, inputs: Mapping[str, Any], now: bool) -> Steps[frozenset[str]]:
        """Return the values that a dropdown offers for the inputs of the form; with `now` it is read anew."""
        if now:
            self.cache.invalidate([use.id])
        lookup, clean, key = self.lookup_request(use.id, lookup_inputs(use, inputs))
        options = yield from self.options(lookup, clean, key)
        return frozenset(option.value for option in options)
