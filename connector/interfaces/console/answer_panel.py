"""One read on a page about money: the answer that is kept, with its age, and the button that reads it again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from nicegui import background_tasks, ui

from connector.core.errors import KontorError
from connector.core.manifest.model import Action
from connector.interfaces.console.console_context import NoCredential
from connector.interfaces.console.form import Form
from connector.interfaces.console.last_answers import LastAnswers
from connector.interfaces.console.page_frame import Page
from connector.interfaces.console.widgets import Text, box, button, empty_note, flex_row, link, live_region, show_error
from connector.store.kept_answers import KeptAnswer


def age_text(page: Page, kept: KeptAnswer) -> str:
    """Return of when an answer is."""
    localize, now = page.localize, page.console.state.context.now()
    return localize("answer_age", at=localize.date_time(kept.kept_at), ago=localize.ago(kept.kept_at, now))


class AnswerPanel:
    """Shows what is known; only its button asks the service, and says before what that costs."""

    def __init__(
        self, page: Page, action: Action, show: Callable[[KeptAnswer], None], fixed: Mapping[str, Any] | None = None
    ) -> None:
        self._page, self._action, self._show, self._fixed = page, action, show, fixed
        self._answers = LastAnswers(page.console, action)
        self._inputs: Mapping[str, Any] | None = fixed
        self._form: Form | None = None
        self._busy = False
        with box("answer"):
            self._head = flex_row("answer-head")
            self._choices = box("answer-form")
            self._said = live_region()
            self._body = box("answer-body")

    def start(self) -> None:
        """Show the answer that is kept, while the browser still loads the page; nothing is sent."""
        background_tasks.create(self._load(), name="kept answer")

    async def _load(self) -> None:
        try:
            kept = await self._answers.latest(self._fixed)
        except NoCredential:
            with self._body:
                empty_note(self._page.localize("no_credential"))
                link(self._page.localize("place_overview"), self._page.url(""))
            return
        self._fill(kept)

    def _fill(self, kept: KeptAnswer | None) -> None:
        localize = self._page.localize
        if kept is not None:
            self._inputs = kept.inputs
        for one in (self._head, self._body, self._choices):
            one.clear()
        self._form = None
        needs_choice = self._inputs is None and any(field.required for field in self._action.inputs)
        with self._head:
            Text("span", age_text(self._page, kept) if kept else localize("answer_none"), "quiet").props(
                'role="status"'
            )
            if self._page.console.actor.may("operator"):
                self._build_buttons(kept, needs_choice)
        if needs_choice:
            self._open_form()
        if kept is not None:
            with self._body:
                self._show(kept)

    def _build_buttons(self, kept: KeptAnswer | None, needs_choice: bool) -> None:
        localize = self._page.localize
        cost = localize.credits(self._action.cost.credits)
        name = localize("answer_read_again" if kept else "answer_read", cost=cost)
        self._button = button(name, self._read, "small primary")
        if self._fixed is None and self._action.inputs and not needs_choice:
            button(localize("answer_other"), self._open_form, "small plain")

    def _open_form(self) -> None:
        if self._form is None:
            basic = [field for field in self._action.inputs if field.presence != "advanced"]
            given = {name: str(value) for name, value in (self._inputs or {}).items() if not isinstance(value, bool)}
            with self._choices:
                self._form = Form(self._page, basic, given)

    async def _read(self) -> None:
        if self._busy:
            return
        inputs = self._form.inputs if self._form is not None else dict(self._inputs or {})
        localize, self._busy = self._page.localize, True
        self._button.disable()
        self._said.clear()
        with self._said:
            Text("p", localize("running"), "quiet")
            ui.linear_progress(show_value=False).props(f'indeterminate aria-label="{localize("running")}"')
        try:
            answer = await self._answers.read(inputs)
        except KontorError as error:
            self._said.clear()
            with self._said:
                show_error(error, localize)
            if self._form is not None:
                self._form.show_field_error(error)
        except NoCredential:
            self._said.clear()
            with self._said:
                Text("p", localize("no_credential"), "notice bad")
        else:
            self._said.clear()
            self._fill(answer)
        finally:
            self._busy = False
            self._button.enable()
