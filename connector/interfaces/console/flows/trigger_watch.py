"""Watches a trigger live without a subscription, and shows what it finds.

Events are read from the store, and the API is asked what it shows of the confirmed ones. A poll trigger is polled as
by `kontor watch`: a paid list is requested only after a free call shows a change.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from nicegui import ui

from connector.core.callers import ROLE_TO_MOVE
from connector.core.errors import KontorError
from connector.core.manifest.model import Trigger
from connector.durable.inbox import registration
from connector.durable.inbox.confirmed_data import ConfirmedData, confirmed_data
from connector.durable.inbox.envelope import Envelope, read_envelope
from connector.durable.inbox.registration import WebhookUrlTaken
from connector.durable.poller.one_shot import PollRequest, acknowledge, poll_once, poll_request
from connector.durable.poller.schedule import cursor_name
from connector.interfaces.console.console_context import ConsoleContext, NoCredential
from connector.interfaces.console.forms.form import Form
from connector.interfaces.console.frame.input_facts import input_facts
from connector.interfaces.console.frame.page_frame import Page
from connector.interfaces.console.frame.role_note import offered
from connector.interfaces.console.frame.snippets import pretty
from connector.interfaces.console.frame.widgets import (
    TextWidget,
    box,
    button,
    empty_note,
    flex_row,
    live_region,
    show_error,
)
from connector.runtime.requests import checks
from connector.store.triggers import events
from connector.store.triggers.events import Event

MAX_EVENTS = 200
EVENT_SECONDS = 1.0
POLL_SECONDS = 15.0
"""Poll interval: uses at most a third of the rate limit."""
REGISTER_AGAIN_SECONDS = 300.0
"""How often the webhook registration is renewed; the engine releases unused ones."""


@dataclass(frozen=True, slots=True)
class WatchedItem:
    """An item that a watched trigger produced."""

    at: datetime
    id: str
    item: dict[str, Any]


class TriggerWatch:
    """Watches one trigger for one page."""

    def __init__(self, console: ConsoleContext, trigger: Trigger, inputs: dict[str, Any]) -> None:
        self._console, self._trigger, self._given_inputs = console, trigger, inputs
        self._inputs: dict[str, Any] = {}
        self._last_id = 0
        self._waiting_ids: set[int] = set()
        """Events that are not decided yet, or that the API could not be asked for."""
        self._told_ids: set[str] = set()
        self._poll: PollRequest | None = None
        self._registered_at = float("-inf")
        """By the monotonic clock."""

    @property
    def seconds(self) -> float:
        """Seconds between two fetches."""
        return EVENT_SECONDS if self._trigger.source == "event" else POLL_SECONDS

    async def start(self, *, takeover: bool = False) -> None:
        """Check the inputs, and start the poll cursor or register the webhook."""
        if self._trigger.source == "poll":
            work = await self._console.poll_work()
            poll = poll_request(work, self._trigger.id, self._given_inputs, "now", None)
            # A cursor name of its own, so that watching moves no flow's cursor.
            own_name = f"console {poll.name.partition(':')[2]}"
            fingerprint = work.session.credential.fingerprint
            name = cursor_name(fingerprint, self._trigger.id, poll.inputs, own_name)
            self._poll = PollRequest(poll.trigger, poll.inputs, poll.start, name)
            await acknowledge(work, self._poll, await poll_once(work, self._poll, only_on_change=True))
            return
        self._inputs = self._console.connector.inputs(self._trigger).clean(self._given_inputs)
        checks.check(self._trigger, self._inputs)
        await self._register_webhook(takeover=takeover)
        latest = await self._latest_events()
        self._last_id = max((event.id for event in latest), default=0)

    async def fetch_new(self) -> list[WatchedItem]:
        """Return new items since the last call, oldest first."""
        now = self._console.state.context.now()
        if self._poll is not None:
            work = await self._console.poll_work()
            outcome = await poll_once(work, self._poll, only_on_change=True)
            await acknowledge(work, self._poll, outcome)  # it is shown at once, by the page that asks
            items = outcome.polled.items if outcome.polled else ()
            return [WatchedItem(now, str(item.get("_id")), item) for item in items]
        if self._console.state.context.clock.monotonic() - self._registered_at > REGISTER_AGAIN_SECONDS:
            await self._register_webhook(takeover=False)
        decided = []
        for event in reversed(await self._latest_events()):
            if event.id <= self._last_id and event.id not in self._waiting_ids:
                continue
            self._last_id = max(self._last_id, event.id)
            self._waiting_ids.discard(event.id)
            if event.state == "new":
                self._waiting_ids.add(event.id)
            elif event.state in {"fired", "unknown"}:
                decided.append(event)
        return await self._items(decided)

    async def _items(self, decided: list[Event]) -> list[WatchedItem]:
        """Return what a subscription would be told of these events: what the API shows, and nothing else as fact."""
        envelopes = {event.id: read_envelope(event.body) for event in decided}
        fired = {event.id: envelopes[event.id] for event in decided if event.state == "fired"}
        shown = {id: self._asked_for(one) for id, one in envelopes.items() if id not in fired}
        self._waiting_ids |= fired.keys()
        if fired:
            shown |= await confirmed_data(self._console.state.context, await self._console.credential_id(), fired)
        self._waiting_ids -= shown.keys()
        items = []
        for event in decided:
            told = shown.get(event.id)
            if told is not None and told.item_id not in self._told_ids:
                items += self._matching(event, told)
        return items

    def _asked_for(self, envelope: Envelope) -> ConfirmedData | None:
        """An event that the API cannot confirm is shown, and marked so, only to who has named it."""
        filter = self._trigger.event
        if filter is None or not filter.names_event(envelope.event, self._inputs):
            return None
        return ConfirmedData(envelope.event, envelope.data, envelope.content_id)

    def _matching(self, event: Event, told: ConfirmedData) -> list[WatchedItem]:
        if self._trigger.event is None or not self._trigger.event.fires(told.event, told.data, self._inputs):
            return []
        self._told_ids.add(told.item_id)
        time, confirmed = read_envelope(event.body).received_at, event.state == "fired"
        item = self._trigger.event.item(
            told.event, told.data, told.item_id, time, event.arrived_at, confirmed=confirmed
        )
        return [WatchedItem(event.arrived_at, told.item_id, {**item, "_event": told.event})]

    async def _register_webhook(self, *, takeover: bool) -> None:
        context = self._console.state.context
        self._console.check(ROLE_TO_MOVE["webhook_url"] if takeover else "operator")
        await registration.ensure(context, await self._console.credential_id(), takeover=takeover)
        self._registered_at = context.clock.monotonic()

    async def _latest_events(self) -> list[Event]:
        credential_id = await self._console.credential_id()
        return list(await self._console.read(lambda connection: events.listed(connection, credential_id, MAX_EVENTS)))


MAX_ITEMS = 100


class LiveWatchPanel:
    """Builds itself into the current panel."""

    def __init__(self, page: Page, trigger: Trigger, form: Form) -> None:
        self._page, self._trigger, self._form = page, trigger, form
        self._watch: TriggerWatch | None = None
        self._count = 0
        self._fetching = False
        self._watched = ""
        """The filters with which the watch began; the form may hold others by now."""
        localize = page.localize
        with flex_row():
            self._start_button = button(localize("watch"), self._start, "primary")
            self._stop_button = button(localize("watch_stop"), self._stop)
            self._fetch_button = button(localize("look_now"), self._fetch)
        self._state = TextWidget("p", localize("watch_idle"), "quiet").props('role="status" aria-live="polite"')
        self._error = box("trouble")
        self._list = live_region("events")
        self._timer = ui.timer(1.0, self._fetch, active=False)
        self._show_state()

    async def _start(self, *, takeover: bool = False) -> None:
        localize = self._page.localize
        self._error.clear()
        inputs = self._form.inputs
        watch = TriggerWatch(self._page.console, self._trigger, inputs)
        try:
            await watch.start(takeover=takeover)
        except WebhookUrlTaken as error:
            with self._error:
                show_error(error, localize, lambda: self._offer_takeover())
            return
        except KontorError as error:
            with self._error:
                show_error(error, localize)
            self._form.show_field_error(error)
            return
        except NoCredential:
            with self._error:
                empty_note(localize("no_credential"))
            return
        self._watch = watch
        facts = input_facts(self._trigger.inputs, inputs, localize, self._form.names())
        self._watched = " · ".join(f"{label}: {value}" for label, value in facts.as_rows())
        self._timer.interval = watch.seconds
        self._timer.activate()
        self._show_state()

    def _offer_takeover(self) -> None:
        async def take_over() -> None:
            await self._start(takeover=True)

        if offered(self._page, ROLE_TO_MOVE["webhook_url"]):
            button(self._page.localize("take_over"), take_over, "danger small")

    def _stop(self) -> None:
        self._timer.deactivate()
        self._watch = None
        self._show_state()

    async def _fetch(self) -> None:
        if self._watch is None or self._fetching:
            return
        self._fetching = True
        try:
            new_items = await self._watch.fetch_new()
        except KontorError as error:
            self._error.clear()
            with self._error:
                show_error(error, self._page.localize)
            return
        finally:
            self._fetching = False
        self._error.clear()
        for one in new_items:
            self._show(one)
        if new_items:
            self._show_state()

    def _show(self, one: WatchedItem) -> None:
        localize = self._page.localize
        self._count += 1
        with self._list, box("event") as row:
            TextWidget("time", localize.clock_time(one.at), "event-time")
            with box("event-body"):
                columns = self._trigger.raw["output"].get("columns", ())
                text = localize.result(self._page.console.connector.library, self._trigger)
                TextWidget("div", text.line(one.item, columns) or one.id, "event-line")
                with ui.expansion(localize("as_json")).props("dense"):
                    TextWidget("pre", pretty(one.item), "code")
        row.move(target_index=0)
        children = list(self._list)
        if len(children) > MAX_ITEMS:
            children[-1].delete()

    def _show_state(self) -> None:
        localize, running = self._page.localize, self._watch is not None
        self._start_button.set_visibility(not running)
        self._stop_button.set_visibility(running)
        self._fetch_button.set_visibility(running and self._trigger.source == "poll")
        words = localize("watch_running", count=self._count) if running else localize("watch_idle")
        self._state.text = f"{words} · {self._watched}" if running and self._watched else words
        self._state.classes(replace="watching" if running else "quiet")
