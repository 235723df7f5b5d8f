"""Shows one run: how it stands, what may be done, what was sent, what came back, and its course. It follows changes."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from nicegui import ui
from nicegui.element import Element

from connector.core.errors import KontorError
from connector.core.manifest.model import Action
from connector.core.service_facts import payment_states
from connector.interfaces.console.console_context import ConsoleContext, NoCredential
from connector.interfaces.console.figures.labels import FigureLabel, label_of
from connector.interfaces.console.figures.result_view import show_output
from connector.interfaces.console.forms.option_names import option_names
from connector.interfaces.console.frame.confirm_dialog import focus
from connector.interfaces.console.frame.input_facts import input_facts
from connector.interfaces.console.frame.page_calls import PageCalls
from connector.interfaces.console.frame.page_frame import Page
from connector.interfaces.console.frame.progress import rate_wait
from connector.interfaces.console.frame.widgets import (
    TextWidget,
    box,
    definition_list,
    empty_note,
    panel,
    pill,
    show_facts,
)
from connector.interfaces.console.runs import run_details
from connector.interfaces.console.runs.run_actions import RunActions
from connector.interfaces.console.runs.run_details import PAYMENT_ROLE, RunDetails
from connector.interfaces.console.runs.run_standing import RunReader, Standing, course, who
from connector.runtime.result import Result

PAUSES = (2.0, 2.0, 3.0, 4.0, 5.0, 8.0, 12.0, 20.0, 30.0)
"""Seconds between looks; the last one is repeated. Together they leave the rate window to others."""
MAX_STATUS_CALLS = 30
"""Looks of one opening, about eleven minutes; later, and for a viewer, what events and polls tell is shown."""


class PaymentWatch:
    """The looks of one page at one payment."""

    def __init__(self, console: ConsoleContext, payment_id: str) -> None:
        self._console, self._id = console, payment_id
        self._calls = PageCalls(console, MAX_STATUS_CALLS)
        self._looks, self._next_at = 0, 0.0
        self.status: str | None = None
        self.changed_at: datetime | None = None

    def is_due(self, now: float) -> bool:
        """Whether to look again, by the monotonic clock."""
        return now >= self._next_at and self.status not in payment_states().final

    def hear(self, status: str | None, now: datetime) -> None:
        """Take note of a status, unless it is older than the known one."""
        if status and payment_states().moves_forward(self.status, status):
            self.status, self.changed_at = status, now

    async def look(self, now: float) -> None:
        """Ask the service; a failure is no news."""
        pause = PAUSES[min(self._looks, len(PAUSES) - 1)]
        self._looks, self._next_at = self._looks + 1, now + pause
        action = self._console.connector.action_for(PAYMENT_ROLE)
        if action.cost.credits:
            return
        try:
            found = await self._calls.output(action.id, {"id": self._id})
        except (KontorError, NoCredential):
            return
        status = found.get("status") if isinstance(found, Mapping) else None
        self.hear(str(status) if status else None, self._console.state.context.now())


REFRESH_SECONDS = 1.0


class RunView:
    """The page of a run, built in the current container; parts are built anew only where something changed."""

    def __init__(self, page: Page, first: RunDetails, *, notice: str = "", result: Result | None = None) -> None:
        self._page, self._one, self._result = page, first, result
        console, localize = page.console, page.localize
        self._is_payment = run_details.is_payment(console, first.action)
        self._reader = RunReader(localize, console.connector.library, payment_states())
        self._watch: PaymentWatch | None = None
        self._names: dict[str, str] = {}
        self._waits = ""
        """What a run that was not sent yet waits for, and until when."""
        self._shown: dict[str, object] = {}
        if notice:
            TextWidget("p", notice, "notice")
        self._standing = box("standing live").props('role="status" aria-live="polite" tabindex="-1"')
        self._actions = RunActions(page, self.refresh)
        with box("split run-parts"):
            with panel(localize("inputs_title")):
                self._sent = box("panel-body")
            with panel(localize("run_came_title")):
                self._came = box("panel-body")
            with panel(localize("run_course_title")):
                self._course = box("panel-body")
            with panel(localize("run_who_title")):
                self._who = box("panel-body")
        self._show()
        self._timer = ui.timer(REFRESH_SECONDS, self.refresh)
        ui.timer(0.1, self._name_options, once=True)

    @property
    def standing(self) -> Standing:
        """How the run stands now."""
        return self._reader.standing(self._one, self._payment_status(), is_payment=self._is_payment)

    def bring_into_view(self) -> None:
        """Scroll to how it stands, and put the focus there."""
        focus(self._standing)

    async def refresh(self) -> None:
        """Load the run again, look how its payment stands, and show what changed."""
        try:
            self._one = await run_details.load(self._page.console, self._one.run.id)
            self._waits = await rate_wait(self._page) if self._one.run.state == "claimed" else ""
            await self._look_at_payment()
        except (KontorError, NoCredential):
            return  # the page stays as it is, and the next round tries again
        self._show()
        if not self.standing.moving:
            self._timer.cancel()

    async def _look_at_payment(self) -> None:
        payment_id = self._one.payment_id if self._is_payment else None
        if payment_id is None:
            return
        now = self._page.console.state.context.now()
        if self._watch is None:
            self._watch = PaymentWatch(self._page.console, payment_id)
            self._watch.hear(self._first_status(), self._one.run.changed_at)
        self._watch.hear(self._one.payment_status, now)
        if self._watch.is_due(time.monotonic()):
            await self._watch.look(time.monotonic())

    def _payment_status(self) -> str | None:
        return self._watch.status if self._watch is not None else self._one.payment_status

    def _first_status(self) -> str | None:
        output = self._one.output
        return str(output["status"]) if isinstance(output, dict) and output.get("status") else None

    def _show(self) -> None:
        standing = self.standing
        waits = self._waits if self._one.run.state == "claimed" else ""
        self._part("standing", self._standing, (standing, waits), lambda: self._build_standing(standing, waits))
        self._actions.show(self._one, standing)
        self._part("sent", self._sent, self._names, self._build_sent)
        self._part("came", self._came, (self._one.run.state, self._payment_status()), self._build_came)
        self._part("course", self._course, (self._one.history, standing, self._one.run.changed_at), self._build_course)
        self._part("who", self._who, self._one.run.id, self._build_who)

    def _part(self, name: str, container: Element, version: object, build: Callable[[], None]) -> None:
        if self._shown.get(name) == (version, True):
            return
        self._shown[name] = (dict(version) if isinstance(version, dict) else version, True)
        container.clear()
        with container:
            build()

    def _build_standing(self, standing: Standing, waits: str) -> None:
        with box(f"notice {standing.tone}"):
            pill(standing.word, standing.tone)
            TextWidget("strong", standing.headline)
            if standing.detail:
                TextWidget("p", standing.detail)
            if waits:
                TextWidget("p", waits)

    def _build_sent(self) -> None:
        localize, action, run = self._page.localize, self._one.action, self._one.run
        facts = input_facts(action.inputs if action else (), run.inputs, localize, self._names)
        show_facts(facts, localize("run_sent_nothing"))

    def _build_came(self) -> None:
        localize, one = self._page.localize, self._one
        output = one.output if one.output is not None else self._result.output if self._result else None
        if output is not None and one.action is not None:
            status = self._payment_status()
            shown = {**output, "status": status} if status and isinstance(output, dict) else output
            show_output(self._page, one.action, shown, self._label(one.action, shown))
        elif one.run.state == "done":
            empty_note(localize("run_came_unkept" if one.run.kind == "write" else "run_came_unkept_read"))
        else:
            empty_note(localize("run_came_nothing"))

    def _label(self, action: Action, output: Any) -> FigureLabel:
        """What the figures belong to; on the page the inputs themselves stand beside them."""
        run, library = self._one.run, self._page.console.connector.library
        inputs = run.inputs if isinstance(run.inputs, dict) else {}
        return label_of(action, inputs, run.made_at, self._page.localize, library, names=self._names, output=output)

    def _build_course(self) -> None:
        localize, status = self._page.localize, self._payment_status()
        seen = self._watch.changed_at if self._watch is not None else None
        payment = (self._reader.payment_state(status), seen) if status and seen else None
        with box("course", "ol"):
            for moment in course(self._one, localize, payment):
                with box("", "li"):
                    TextWidget("time", localize.moment(moment.at), "event-time").props["datetime"] = (
                        moment.at.isoformat()
                    )
                    TextWidget("span", moment.text)

    def _build_who(self) -> None:
        localize, run = self._page.localize, self._one.run
        rows: dict[str, Any] = {
            localize("run_by"): who(self._one, localize),
            localize("run_from"): localize(f"face_{run.face}") if run.face else "",
            localize("run_origin"): run.origin,
            localize("run_key"): run.key,
            localize("run_id"): run.id,
        }
        definition_list({label: value for label, value in rows.items() if value})

    async def _name_options(self) -> None:
        """Fill in what the options of dropdowns are called, where asking is free."""
        one = self._one
        if one.action is not None and isinstance(one.run.inputs, dict):
            self._names = await option_names(self._page, one.action, one.run.inputs, PageCalls(self._page.console))
            self._show()
