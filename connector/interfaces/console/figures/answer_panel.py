"""One read on a page about money: what is chosen, the answer that is kept for it, and the button that reads it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import urlencode

from nicegui import background_tasks, ui

from connector.core.errors import KontorError
from connector.core.manifest.model import Action
from connector.interfaces.console.console_context import NoCredential
from connector.interfaces.console.figures.labels import FigureLabel
from connector.interfaces.console.figures.last_answers import LastAnswers
from connector.interfaces.console.forms.form import Form
from connector.interfaces.console.forms.form_model import draft_of_query
from connector.interfaces.console.frame.page_frame import Page
from connector.interfaces.console.frame.widgets import (
    TextWidget,
    box,
    button,
    empty_note,
    flex_row,
    heading,
    link,
    live_region,
    show_error,
    show_problems,
)
from connector.runtime.requests import checks
from connector.store.runs.forms import KeptAnswer

Load = Callable[[KeptAnswer], Awaitable[Any]]
"""Finds what is known beside an answer; nothing is sent."""
Show = Callable[[KeptAnswer, FigureLabel, Any], None]
"""Builds an answer under its label, with what was found beside it."""
STALE = "stale"
"""The class of figures that belong to something else than what is chosen."""


def age_text(page: Page, kept: KeptAnswer) -> str:
    """Return of when an answer is."""
    localize, now = page.localize, page.console.state.context.now()
    return localize("answer_age", at=localize.date_time(kept.kept_at), ago=localize.ago(kept.kept_at, now))


class AnswerPanel:
    """Shows what is known of what is chosen; only its button asks the service, and says before what that costs.

    What is chosen stands in the address and is remembered for this sign-in alone. Figures stand under the inputs with
    which they were read, and are greyed as soon as something else is chosen.
    """

    def __init__(
        self,
        page: Page,
        action: Action,
        show: Show,
        place: str,
        *,
        load: Load | None = None,
        after_read: Callable[[], Awaitable[None]] | None = None,
        fixed: Mapping[str, Any] | None = None,
        names: Mapping[str, str] | None = None,
    ) -> None:
        """`fixed` are inputs that the page itself names instead of a form, `names` what they are called.

        `after_read` is awaited whenever the service was asked.
        """
        self._page, self._action, self._place, self._fixed = page, action, place, fixed
        self._show, self._load_beside, self._after_read = show, load, after_read
        self._answers = LastAnswers(page, action, names)
        self._shown: KeptAnswer | None = None
        self._busy = False
        self._form: Form | None = None
        chosen = {} if fixed is not None else self._chosen_before()
        with box("answer"):
            self._choices = box("answer-form")
            with flex_row("answer-head"):
                self._status = TextWidget("span", "", "quiet").props('role="status"')
                self._button = button("", self._read, "small primary")
                self._button.set_visibility(page.console.actor.may("operator"))
                if fixed is None and action.inputs and not (chosen or self._needs_choice):
                    button(page.localize("answer_other"), lambda: self._open_form({}), "small plain")
            self._said = live_region()
            self._body = box("answer-body")
        if chosen or (fixed is None and self._needs_choice):
            self._open_form(chosen)
        self._mark()

    @property
    def _needs_choice(self) -> bool:
        return any(field.required for field in self._action.inputs)

    @property
    def _inputs(self) -> dict[str, Any]:
        """What is chosen now."""
        return self._form.inputs if self._form is not None else dict(self._fixed or {})

    def _chosen_before(self) -> Mapping[str, str]:
        """What the address names, or else what this person chose last."""
        names = {field.name for field in self._action.inputs}
        query = ui.context.client.request.query_params
        named = {name: value for name, value in query.items() if name in names and value}
        return named or self._page.console.selections.get(self._action.id, {})

    def _open_form(self, chosen: Mapping[str, str]) -> None:
        if self._form is None:
            formats, lang = self._page.console.connector.library.formats, self._page.localize.lang
            draft = draft_of_query(self._action.inputs, chosen, formats, lang)
            with self._choices:
                self._form = Form(self._page, self._action.inputs, draft, self._on_change, groups=self._action.groups)

    def start(self) -> None:
        """Show the answer that is kept, while the browser still loads the page; nothing is sent."""
        self._remember()
        background_tasks.create(self._load(), name="kept answer")

    def _on_change(self) -> None:
        """Grey what no longer belongs to the choice, then show what is kept for it."""
        self._remember()
        self._mark()
        background_tasks.create(self._load(), name="kept answer")

    def _remember(self) -> None:
        query = self._answers.query(self._inputs)
        self._page.console.selections[self._action.id] = query
        if self._fixed is None:
            self._page.move_to(f"{self._place}?{urlencode(query)}" if query else self._place)

    async def _load(self) -> None:
        wanted = self._inputs
        try:
            kept = await self._answers.latest(wanted)
            offered = [] if wanted or not self._needs_choice else await self._answers.kept()
        except NoCredential:
            with self._body:
                empty_note(self._page.localize("no_credential"))
                link(self._page.localize("place_overview"), self._page.url(""))
            return
        if kept is not None and wanted == self._inputs:  # otherwise something else was chosen meanwhile
            await self._fill(kept)
        elif self._shown is None:
            await self._offer(offered)

    async def _offer(self, offered: list[KeptAnswer]) -> None:
        """Lead to what is kept in the workspace, by its label; nobody gets it unasked."""
        labels = [await self._answers.label(answer) for answer in offered]
        self._body.clear()
        with self._body:
            if offered:
                heading(2, self._page.localize("answer_offered"))
            for answer, label in zip(offered, labels, strict=True):
                query = urlencode(self._answers.query(answer.inputs))
                link(f"{label.title} · {age_text(self._page, answer)}", self._page.url(f"{self._place}?{query}"))

    async def _fill(self, kept: KeptAnswer) -> None:
        """Show an answer under its own label; one for another choice only while there is none for this one."""
        label = await self._answers.label(kept)
        beside = await self._load_beside(kept) if self._load_beside is not None else None
        if self._belongs(self._shown) and not self._belongs(kept):
            return
        self._shown = kept
        self._body.clear()
        with self._body:
            if label.facts:
                heading(2, label.title, "figure-title")
            self._show(kept, label, beside)
        self._mark()

    def _belongs(self, answer: KeptAnswer | None) -> bool:
        return answer is not None and self._answers.digest(answer.inputs) == self._answers.digest(self._inputs)

    def _mark(self) -> None:
        """Say of when the figures are, and whether they belong to what is chosen."""
        localize, belongs = self._page.localize, self._belongs(self._shown)
        cost = localize.credits(self._action.cost.credits)
        self._button.text = localize("answer_read_again" if belongs else "answer_read", cost=cost)
        if self._shown is None:
            self._status.text = localize("answer_none")
        else:
            self._status.text = age_text(self._page, self._shown) if belongs else localize("answer_of_other")
        self._body.classes(remove=STALE) if belongs or self._shown is None else self._body.classes(STALE)

    async def _read(self) -> None:
        if self._busy or self._has_problems():
            return
        localize, self._busy = self._page.localize, True
        self._button.disable()
        self._said.clear()
        with self._said:
            TextWidget("p", localize("running"), "quiet")
            ui.linear_progress(show_value=False).props(f'indeterminate aria-label="{localize("running")}"')
        try:
            answer = await self._answers.read(self._inputs)
            if self._after_read is not None:
                await self._after_read()
        except KontorError as error:
            self._said.clear()
            with self._said:
                show_error(error, localize)
            if self._form is not None:
                self._form.show_field_error(error)
        except NoCredential:
            self._said.clear()
            with self._said:
                TextWidget("p", localize("no_credential"), "notice bad")
        else:
            self._said.clear()
            await self._fill(answer)
        finally:
            self._busy = False
            self._button.enable()

    def _has_problems(self) -> bool:
        """Mark everything that is wrong with the choice; nothing is sent then."""
        inputs = self._page.console.connector.inputs(self._action)
        found = checks.problems(self._action, inputs, self._inputs)
        self._said.clear()
        if self._form is not None:
            self._form.show_errors(found)
        if found:
            with self._said:
                lead = self._form.focus if self._form is not None else None
                show_problems(found, self._action.inputs, self._page.localize, lead)
        return bool(found)
