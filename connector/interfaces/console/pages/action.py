"""The page of one action: form, dry run, run, result and code."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from functools import partial
from typing import Any

from nicegui import ui

from connector.core.errors import KontorError
from connector.core.manifest.model import Action
from connector.interfaces.console.ask_back import AskBack
from connector.interfaces.console.code_panel import CodePanel
from connector.interfaces.console.console_context import NoCredential
from connector.interfaces.console.form import Form
from connector.interfaces.console.form_run import FormRun
from connector.interfaces.console.page_frame import Page, current_console, page_frame
from connector.interfaces.console.pages.not_found import not_found_page
from connector.interfaces.console.result_view import show_result, show_warnings
from connector.interfaces.console.settle_panel import SettlePanel
from connector.interfaces.console.snippets import pretty
from connector.interfaces.console.widgets import (
    Text,
    box,
    button,
    code_block,
    empty_note,
    flex_row,
    live_region,
    panel,
    pill,
    show_error,
    unknown_run,
)
from connector.runtime.result import Result


@ui.page("/actions/{id}")
def action_page(id: str) -> None:
    """Show an action; query parameters prefill the form."""
    given = dict(ui.context.client.request.query_params)
    try:
        action = current_console().connector.action(id)
    except KontorError as error:
        not_found_page(error, "actions")
        return
    with page_frame("actions", action.title) as page:
        ActionView(page, action, given)


class ActionView:
    """The form, the result and the code panel."""

    def __init__(self, page: Page, action: Action, given: dict[str, str]) -> None:
        self._page, self._action = page, action
        self._form_run = FormRun(page.console, action)
        self._busy = False
        localize = page.localize
        with box("pills"):
            pill(localize(f"effect_{action.effect}"), "accent" if action.writes else "")
            pill(localize.cost(action.cost), "" if action.cost.credits else "good")
            Text("code", action.id, "id")
        Text("p", localize.of(action.description), "intro")
        if action.cost.note:
            Text("p", localize.of(action.cost.note), "quiet")
        with box("split"):
            with panel(localize("inputs_title")):
                self._form = Form(page, action.inputs, given, self._on_change)
                with flex_row("form-actions"):
                    self._run_button = button(localize("run"), self._run, "primary")
                    button(localize("dry_run"), self._dry_run)
                if action.writes:
                    Text("p", localize("key_note"), "quiet")
            with box("split-side"):
                with panel(localize("result_title")):
                    self._result = live_region("results")
                    with self._result:
                        empty_note(localize("result_none"))
                with panel(localize("code_title")):
                    CodePanel(page, action, lambda: self._form.inputs, lambda: self._form_run.key)

    def _on_change(self) -> None:
        self._form_run.fill(self._form.inputs)

    async def _dry_run(self) -> None:
        result = await self._show_progress(self._invoke_dry())
        if result is None:
            return
        request, localize = result.output, self._page.localize
        with self._result:
            Text("p", localize("console_dry_run_done", cost=localize.credits(result.credits.cost)), "notice good")
            show_warnings(self._page, result)
            headers = "\n".join(f"{name}: {value}" for name, value in request["headers"].items())
            body = "" if request["body"] is None else f"\n\n{pretty(request['body'])}"
            code_block(f"{request['method']} {request['url']}\n{headers}{body}", localize)

    async def _run(self, *, again: bool = False) -> None:
        result = await self._show_progress(self._form_run.send(self._form.inputs, again=again))
        if result is not None:
            with self._result:
                show_result(self._page, self._action, result, self._offer_repeat)

    def _offer_repeat(self) -> None:
        """Below the result of an earlier run, offer to do the same once more, and ask back."""
        localize, place = self._page.localize, box("again")

        def offer() -> None:
            place.clear()
            with place:
                button(localize("run_again"), ask)

        def ask() -> None:
            question = localize("run_again_question", title=localize.of(self._action.title))
            yes = localize("run_again_confirm")
            AskBack(place, localize).show(question, yes, lambda: self._run(again=True), offer, self._form.summary())

        offer()

    async def _invoke_dry(self) -> Result:
        session = await self._page.console.session()
        return await session.invoke(self._action.id, self._form.inputs, key=self._form_run.key, dry_run=True)

    async def _show_progress(self, running: Coroutine[Any, Any, Result]) -> Result | None:
        """Show that the action is under way, then its error, or return its result. One at a time."""
        if self._busy:
            running.close()  # the button was pressed again before the browser knew
            return None
        self._busy = True
        localize = self._page.localize
        self._run_button.disable()
        self._result.clear()
        with self._result:
            waiting = Text("p", localize("running"), "quiet")
            spinner = ui.linear_progress(show_value=False).props("indeterminate").classes("progress")
            spinner.props["aria-label"] = localize("running")
        progress = asyncio.create_task(self._show_elapsed(waiting))
        try:
            result = await running
        except KontorError as error:
            self._result.clear()
            with self._result:
                show_error(error, localize, partial(self._offer_settling, error))
            self._form.show_field_error(error)
            return None
        except NoCredential:
            self._result.clear()
            with self._result:
                Text("p", localize("no_credential"), "notice bad")
            return None
        finally:
            progress.cancel()
            self._run_button.enable()
            self._busy = False
        self._result.clear()
        return result

    def _offer_settling(self, error: KontorError) -> None:
        """Below an unknown outcome, let the person say what happened."""
        run = unknown_run(error)
        if run is not None:
            SettlePanel(self._page, run, self._on_settled)

    async def _on_settled(self, happened: bool) -> None:
        self._result.clear()
        with self._result:
            Text("p", self._page.localize(f"settle_{'yes' if happened else 'no'}_done"), "notice good")

    async def _show_elapsed(self, waiting: Text) -> None:
        """Show the elapsed and the typical duration."""
        started = time.monotonic()
        while True:
            await asyncio.sleep(1)
            seconds = int(time.monotonic() - started)
            waiting.text = self._page.localize("running_for", seconds=seconds, typical=round(self._action.typical))
