"""The live list of a trigger's page: starts and stops a watch, and shows what it sees as it comes."""

from __future__ import annotations

from nicegui import ui

from connector.core.errors import KontorError
from connector.core.manifest.model import Trigger
from connector.durable.inbox.registration import WebhookUrlTaken
from connector.interfaces.cli.cells import at
from connector.interfaces.console.desk import NoCredential
from connector.interfaces.console.form import Form
from connector.interfaces.console.frame import Visit
from connector.interfaces.console.pieces import Text, abreast, box, button, empty, live_region, show_error
from connector.interfaces.console.snippets import pretty
from connector.interfaces.console.watching import Seen, Watch

MOST = 100


class LiveWatch:
    """Builds itself into the panel around it."""

    def __init__(self, visit: Visit, trigger: Trigger, form: Form) -> None:
        self._visit, self._trigger, self._form = visit, trigger, form
        self._watch: Watch | None = None
        self._count = 0
        self._looking = False
        localize = visit.localize
        with abreast():
            self._start_button = button(localize("watch"), self._start, "primary")
            self._stop_button = button(localize("watch_stop"), self._stop)
            self._look_button = button(localize("look_now"), self._look)
        self._state = Text("p", localize("watch_idle"), "quiet").props('role="status" aria-live="polite"')
        self._trouble = box("trouble")
        self._list = live_region("events")
        self._timer = ui.timer(1.0, self._look, active=False)
        self._show_state()

    async def _start(self, *, takeover: bool = False) -> None:
        localize = self._visit.localize
        self._trouble.clear()
        watch = Watch(self._visit.desk, self._trigger, self._form.inputs)
        try:
            await watch.begin(takeover=takeover)
        except WebhookUrlTaken as error:
            with self._trouble:
                show_error(error, localize, lambda: self._offer_takeover())
            return
        except KontorError as error:
            with self._trouble:
                show_error(error, localize)
            self._form.point_at(error)
            return
        except NoCredential:
            with self._trouble:
                empty(localize("no_credential"))
            return
        self._watch = watch
        self._timer.interval = watch.seconds
        self._timer.activate()
        self._show_state()

    def _offer_takeover(self) -> None:
        async def take_over() -> None:
            await self._start(takeover=True)

        button(self._visit.localize("take_over"), take_over, "danger small")

    def _stop(self) -> None:
        self._timer.deactivate()
        self._watch = None
        self._show_state()

    async def _look(self) -> None:
        if self._watch is None or self._looking:
            return
        self._looking = True
        try:
            seen = await self._watch.look()
        except KontorError as error:
            self._trouble.clear()
            with self._trouble:
                show_error(error, self._visit.localize)
            return
        finally:
            self._looking = False
        self._trouble.clear()
        for one in seen:
            self._show(one)
        if seen:
            self._show_state()

    def _show(self, one: Seen) -> None:
        localize = self._visit.localize
        self._count += 1
        with self._list, box("event") as row:
            Text("time", localize.clock_time(one.at), "event-time")
            with box("event-body"):
                columns = self._trigger.raw["output"].get("columns", ())
                told = ((name, at(one.item, name)) for name in columns)
                words = [localize.cell(value, name, one.item) for name, value in told if value not in (None, "", False)]
                Text("div", " · ".join(words) or one.id, "event-line")
                with ui.expansion(localize("as_json")).props("dense"):
                    Text("pre", pretty(one.item), "code")
        row.move(target_index=0)
        children = list(self._list)
        if len(children) > MOST:
            children[-1].delete()

    def _show_state(self) -> None:
        localize, running = self._visit.localize, self._watch is not None
        self._start_button.set_visibility(not running)
        self._stop_button.set_visibility(running)
        self._look_button.set_visibility(running and self._trigger.source == "poll")
        words = localize("watch_running", count=self._count) if running else localize("watch_idle")
        self._state.text = words
        self._state.classes(replace="watching" if running else "quiet")
