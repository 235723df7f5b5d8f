"""The pages of actions: all as cards by area, and one with form, review, run and result."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, TypeVar
from urllib.parse import urlencode

from nicegui import ui
from nicegui.element import Element

from connector.core.callers import Invoker
from connector.core.data.fields import Field
from connector.core.errors import KontorError
from connector.core.manifest.files import AREAS
from connector.core.manifest.load import matches
from connector.core.manifest.model import Action, Trigger
from connector.interfaces.console.console_context import NoCredential
from connector.interfaces.console.figures.answer_panel import STALE, age_text
from connector.interfaces.console.figures.labels import FigureLabel, has_figures
from connector.interfaces.console.figures.last_answers import LastAnswers
from connector.interfaces.console.figures.result_view import show_done, show_labelled, show_warnings
from connector.interfaces.console.forms.drafts import DraftKeeper
from connector.interfaces.console.forms.form import Form
from connector.interfaces.console.forms.form_model import Draft, draft_of, draft_of_query, empty_draft, inputs_of
from connector.interfaces.console.forms.form_run import FormRun, Sending
from connector.interfaces.console.frame.page_frame import Page, current_console, page_at, page_frame
from connector.interfaces.console.frame.progress import Progress
from connector.interfaces.console.frame.role_note import offered
from connector.interfaces.console.frame.snippets import CodePanel, pretty
from connector.interfaces.console.frame.widgets import (
    TextWidget,
    box,
    button,
    code_block,
    flex_row,
    heading,
    link,
    live_region,
    panel,
    paragraph,
    pill,
    show_error,
    show_problems,
)
from connector.interfaces.console.pages.not_found import not_found_page
from connector.interfaces.console.runs import run_details
from connector.interfaces.console.runs.review import Review, ReviewPanel, review
from connector.interfaces.console.runs.run_view import RunView
from connector.runtime.requests import checks, rights
from connector.runtime.result import Result
from connector.store.runs.forms import KeptAnswer

TONES = {"read": "", "create": "accent", "update": "accent"}


@page_at("/actions")
def actions() -> None:
    """List all actions."""
    with page_frame("actions") as page:
        found = sorted(page.console.connector.actions.values(), key=lambda one: one.title.in_(page.localize.lang))
        search = ui.input(page.localize("search_list")).props("type=search outlined dense clearable")
        cards: list[tuple[Action, ui.element]] = []
        for area in AREAS:
            mine = [action for action in found if action.area == area]
            if mine:
                heading(2, page.localize(f"area_{area}"))
                with box("cards", "ul"):
                    cards += [(action, card(page, action)) for action in mine]
        search.on_value_change(lambda change: _filter(cards, change.value or ""))
        if any(action.cost.assumed for action in found):
            paragraph(page.localize("cost_assumed"), "quiet")


def _filter(cards: list[tuple[Action, ui.element]], text: str) -> None:
    """Show the cards that the words describe."""
    for action, shown in cards:
        shown.set_visibility(matches(action.raw, text))


def card(page: Page, manifest: Action | Trigger) -> ui.element:
    """Show a manifest as a card that links to its page."""
    localize = page.localize
    section = "actions" if isinstance(manifest, Action) else "triggers"
    with ui.element("li") as line, box("card", "a") as found:
        found.props["href"] = page.url(f"{section}/{manifest.id}")
        with box("card-head"):
            TextWidget("span", localize.of(manifest.title), "card-title")
        TextWidget("span", _first_sentence(localize.of(manifest.description)), "card-text")
        with box("pills"):
            if isinstance(manifest, Action):
                pill(localize(f"effect_{manifest.effect}"), TONES[manifest.effect])
            else:
                pill(localize(f"source_{manifest.source}"), "accent" if manifest.source == "event" else "")
            pill(localize.cost(manifest.cost), "" if manifest.cost.credits else "good")
    return line


def _first_sentence(text: str) -> str:
    head, dot, _ = text.partition(". ")
    return head + "." if dot else text


T = TypeVar("T")
LIKE, NEW = "like", "new"
"""Query parameters: fill the form as a run was filled, and begin with an empty form."""


@page_at("/actions/{id}")
async def action_page(id: str) -> None:
    """Show an action; query parameters prefill the form."""
    given = dict(ui.context.client.request.query_params)
    try:
        action = current_console().connector.action(id)
    except KontorError as error:
        not_found_page(error, "actions")
        return
    with page_frame("actions", action.title) as page:
        with box("intro-place") as intro:
            show_intro(page, action)
        place = box("action-place")
        keeper = DraftKeeper(f"actions/{action.id}")
        kept = await keeper.load()
        if NEW in given:
            kept = None
            keeper.forget()
        with place:
            draft = await first_draft(page, action, given, kept)
            if given:
                keeper.save(draft)  # from now on this draft counts, also after a reload
                page.move_to(f"actions/{action.id}")
            elif kept is not None and differs(action.inputs, draft):
                offer_to_discard(page, action)
            view = ActionView(page, action, draft, keeper, intro)
            if NEW not in given and (given or action.id in page.console.selections):
                await view.show_kept()


def show_intro(page: Page, action: Action) -> None:
    """Say what the action does and costs."""
    localize = page.localize
    with box("pills"):
        pill(localize(f"effect_{action.effect}"), "accent" if action.writes else "")
        pill(localize.cost(action.cost), "" if action.cost.credits else "good")
    # The description speaks of both, with a key and without; a form has one, and says below what that means.
    has_key = action.writes and action.repeat == "duplicates"
    TextWidget("p", localize.of(action.summary if has_key else action.description), "intro")
    if action.cost.note:
        TextWidget("p", localize.of(action.cost.note), "quiet")


async def first_draft(page: Page, action: Action, given: dict[str, str], kept: Draft | None) -> Draft:
    """Return what the form shows first: a run to be done alike, what was typed before, or what the address names."""
    formats = page.console.connector.library.formats
    named = draft_of_query(action.inputs, given, formats, page.localize.lang)
    if LIKE in given:
        try:
            like = await run_details.load(page.console, given[LIKE])
        except (KontorError, NoCredential):
            like = None
        if like is not None and like.run.action == action.id and isinstance(like.run.inputs, dict):
            return draft_of(action.inputs, like.run.inputs, page.localize.lang) | named
    return empty_draft(action.inputs) | (kept or {}) | named


def differs(fields: Iterable[Field], draft: Draft) -> bool:
    """Whether a person has filled in anything."""
    return inputs_of(fields, draft) != inputs_of(fields, empty_draft(fields))


def offer_to_discard(page: Page, action: Action) -> None:
    """Say that the form holds what was typed before, and offer an empty one."""
    with box("notice kept-draft") as notice:
        TextWidget("span", page.localize("draft_kept"))
        link(page.localize("draft_discard"), page.url(f"actions/{action.id}?{NEW}=1"), "button second")
    notice.props["role"] = "status"


class ActionView:
    """The form, then the review of a write, then its run; the result of a read stands below the form."""

    def __init__(self, page: Page, action: Action, draft: Draft, keeper: DraftKeeper, intro: Element) -> None:
        self._page, self._action, self._keeper, self._intro = page, action, keeper, intro
        self._form_run = FormRun(page.console, action)
        self._busy = False
        self._answers = LastAnswers(page, action)
        self._shown: KeptAnswer | None = None
        """What is shown as the result; of a dry run without an output."""
        localize = page.localize
        self._form_place, self._below = box("form-place"), box("below")
        keeper.mark(self._form_place)
        with self._form_place, panel(localize("inputs_title")):
            self._form = Form(page, action.inputs, draft, self._on_change, self._go, action.groups)
            self._problems = live_region("problems")
            if page.console.actor.may("operator"):
                with flex_row("form-actions"):
                    if page.console.actor.may(rights.role_to_run(action)):
                        button(localize("review" if action.writes else "run"), self._go, "primary")
                    button(localize("dry_run"), self._dry_run)
            if offered(page, rights.role_to_run(action)) and action.writes:
                TextWidget("p", localize("key_note"), "quiet")
        with self._below:
            self._progress = Progress(page, action)
            self._of_other = TextWidget("p", localize("result_of_other"), "notice warn").props('role="status"')
            self._result = box("result-place")
            with ui.expansion(localize("code_title")).props("dense").classes("code-panel"):
                CodePanel(page, action, lambda: self._form.inputs, lambda: self._form_run.key)
        self._review = ReviewPanel(page, action, self._result, self._send, self._back)
        self._form_run.fill(self._form.inputs)
        self._mark()

    def _on_change(self) -> None:
        self._form_run.fill(self._form.inputs)
        self._keeper.save(self._form.draft)
        self._mark()

    async def show_kept(self) -> None:
        """Show the figures that were read with what the form holds, if they are kept; nothing is sent."""
        try:
            kept = await self._answers.latest(self._form.inputs)
        except (KontorError, NoCredential):
            return
        if kept is not None:
            label = await self._answers.label(kept)
            self._build_result(kept, label, lambda: TextWidget("p", age_text(self._page, kept), "quiet"))

    def _mark(self) -> None:
        """Grey a result of other inputs than the form holds; the address names those of figures that are not grey."""
        if self._shown is None:
            self._of_other.set_visibility(False)
            return
        belongs = self._answers.digest(self._shown.inputs) == self._answers.digest(self._form.inputs)
        self._of_other.set_visibility(not belongs)
        self._result.classes(remove=STALE) if belongs else self._result.classes(STALE)
        if self._action.writes or self._shown.output is None:
            return
        query = urlencode(self._answers.query(self._shown.inputs)) if belongs else ""
        self._page.move_to(f"actions/{self._action.id}?{query}".removesuffix("?"))

    def _clear_result(self) -> None:
        self._shown = None
        self._result.clear()
        self._result.classes(remove=STALE)
        self._mark()

    async def _go(self) -> None:
        """Run a read, or open the review of a write. One at a time, however often it is pressed."""
        if self._busy or not self._page.console.actor.may(rights.role_to_run(self._action)):
            return
        self._busy = True
        self._clear_result()
        try:
            if self._has_problems():
                return
            if self._action.writes:
                await self._open_review()
            else:
                await self._read()
        finally:
            self._busy = False

    def _has_problems(self) -> bool:
        """Say who may not run it, or mark everything that is wrong with the form at once."""
        try:
            self._page.console.check(rights.role_to_run(self._action))
        except KontorError as error:
            self._problems.clear()
            with self._problems:
                show_error(error, self._page.localize)
            return True
        inputs = self._page.console.connector.inputs(self._action)
        found = checks.problems(self._action, inputs, self._form.inputs)
        self._form.show_errors(found)
        self._problems.clear()
        if found:
            with self._problems:
                show_problems(found, self._action.inputs, self._page.localize, self._form.focus)
        return bool(found)

    async def _open_review(self) -> None:
        found = await self._attempt(review(self._page.console, self._action, self._form.inputs))
        while found is not None and found.raw != self._form.inputs:  # changed while it was looked up
            found = await self._attempt(review(self._page.console, self._action, self._form.inputs))
        if found is not None:
            self._show_form(visible=False)
            self._review.show(found, self._form.names(), self._form_run.key)

    def _back(self) -> None:
        self._result.clear()
        self._show_form(visible=True)

    def _show_form(self, *, visible: bool) -> None:
        self._intro.set_visibility(visible)
        self._form_place.set_visibility(visible)

    async def _send(self, found: Review) -> None:
        """Send what was reviewed; from then on this is the page of its run."""
        sending = await self._attempt(self._form_run.start(dict(found.raw), again_after=found.repeat))
        if sending is None:
            self._show_form(visible=True)
            return
        self._keeper.forget()
        with self._progress.shown(sending.work):
            run = await self._attempt(sending.run_id())
        if run is not None:
            await self._show_run(run, sending)
            return
        result = await self._attempt(_ended(sending))  # it ended without a run: a free call that only read
        self._show_form(visible=True)
        if result is not None:
            await self._show_result(result, dict(found.raw))

    async def _show_run(self, run: str, sending: Sending) -> None:
        page, localize = self._page, self._page.localize
        details = await run_details.load(page.console, run)
        replayed = sending.work.done() and not sending.work.exception() and sending.work.result().replayed
        page.move_to(f"runs/{run}")
        self._below.clear()
        with self._below:
            result = sending.work.result() if sending.work.done() and not sending.work.exception() else None
            notice = localize("console_run_replayed") if replayed else ""
            RunView(page, details, notice=notice, result=result).bring_into_view()

    async def _read(self) -> None:
        inputs = self._form.inputs
        sending = await self._attempt(self._form_run.start(inputs))
        if sending is None:
            return
        with self._progress.shown(sending.work, cancellable=True):
            result = await self._attempt(_ended(sending))
        if result is not None:
            await self._show_result(result, inputs)

    async def _show_result(self, result: Result, inputs: dict[str, Any]) -> None:
        """Show what came back under the inputs with which it was read, and keep figures for a reload."""
        keeps = not self._action.writes and has_figures(
            self._action, result.output, self._page.console.connector.library
        )
        answer = await self._answers.keep(inputs, result.output, kept=keeps)
        label = await self._answers.label(answer)
        if not self._action.writes:
            self._page.console.selections[self._action.id] = self._answers.query(inputs)
        self._progress.bring(self._build_result(answer, label, lambda: show_done(self._page, result)))

    def _build_result(self, answer: KeptAnswer, label: FigureLabel, build_head: Callable[[], object]) -> Element:
        self._result.clear()
        self._shown = answer
        with self._result, panel(self._page.localize("result_title"), "result") as shown:
            shown.props('tabindex="-1"')
            with live_region("results"):
                build_head()
                show_labelled(self._page, self._action, answer.output, label)
        self._mark()
        return shown

    async def _dry_run(self) -> None:
        if self._busy or self._has_problems():
            return
        inputs = self._form.inputs
        result = await self._attempt(self._invoke_dry(inputs))
        if result is None:
            return
        request, localize = result.output, self._page.localize
        self._clear_result()
        with self._result, panel(localize("result_title"), "result") as shown:
            shown.props('tabindex="-1"')
            TextWidget("p", localize("console_dry_run_done", cost=localize.credits(result.credits.cost)), "notice good")
            show_warnings(self._page, result)
            headers = "\n".join(f"{name}: {value}" for name, value in request["headers"].items())
            body = "" if request["body"] is None else f"\n\n{pretty(request['body'])}"
            code_block(f"{request['method']} {request['url']}\n{headers}{body}", localize)
        self._shown = KeptAnswer(inputs, None, self._page.console.state.context.now())
        self._mark()
        self._progress.bring(shown)

    async def _invoke_dry(self, inputs: dict[str, Any]) -> Result:
        session = await self._page.console.session()
        invoker = Invoker("console", self._page.console.source.origin, self._page.console.actor)
        return await session.invoke(self._action.id, inputs, key=self._form_run.key, dry_run=True, invoker=invoker)

    async def _attempt(self, work: Awaitable[T]) -> T | None:
        """Await something; show its error below the form and return None."""
        try:
            return await work
        except KontorError as error:
            self._clear_result()
            with self._result:
                shown = show_error(error, self._page.localize)
            self._form.show_field_error(error)
        except NoCredential:
            self._clear_result()
            with self._result:
                shown = TextWidget("p", self._page.localize("no_credential"), "notice bad")
        self._progress.bring(shown)
        return None


async def _ended(sending: Sending) -> Result | None:
    """Return the result; None when the person cancelled it."""
    await asyncio.wait([sending.work])
    return None if sending.work.cancelled() else sending.work.result()
