"""The live panel of a trigger page: starts and stops a watch and shows new items."""

from __future__ import annotations

from nicegui import ui

from connector.core.errors import KontorError
from connector.core.manifest.model import Trigger
from connector.core.templates import at
from connector.durable.inbox.registration import WebhookUrlTaken
from connector.interfaces.console.console_context import NoCredential
from connector.interfaces.console.form import Form
from connector.interfaces.console.input_facts import input_facts
from connector.interfaces.console.page_frame import Page
from connector.interfaces.console.snippets import pretty
from connector.interfaces.console.trigger_watch import TriggerWatch, WatchedItem
from connector.interfaces.console.widgets import Text, box, button, empty_note, flex_row, live_region, show_error

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
        self._state = Text("p", localize("watch_idle"), "quiet").props('role="status" aria-live="polite"')
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
            Text("time", localize.clock_time(one.at), "event-time")
            with box("event-body"):
                columns = self._trigger.raw["output"].get("columns", ())
                cells = ((name, at(one.item, name)) for name in columns)
                text = localize.result(self._page.console.connector.library, self._trigger)
                words = [text.value(value, name, one.item) for name, value in cells if value not in (None, "", False)]
                Text("div", " · ".join(words) or one.id, "event-line")
                with ui.expansion(localize("as_json")).props("dense"):
                    Text("pre", pretty(one.item), "code")
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
