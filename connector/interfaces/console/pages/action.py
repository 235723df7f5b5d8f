"""The page of one action: form, dry run, run, result and code."""

from __future__ import annotations

import asyncio
import time
from uuid import uuid4

from nicegui import ui

from connector.core.errors import KontorError
from connector.core.manifest.model import Action
from connector.interfaces.console.code_panel import CodePanel
from connector.interfaces.console.console_context import NoCredential
from connector.interfaces.console.form import Form
from connector.interfaces.console.page_frame import Page, current_console, page_frame
from connector.interfaces.console.pages.not_found import not_found_page
from connector.interfaces.console.result_view import show_result
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
        self._key = _new_key()
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
                self._form = Form(page, action.inputs, given)
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
                    CodePanel(page, action, lambda: self._form.inputs, lambda: self._key if action.writes else None)

    async def _dry_run(self) -> None:
        result = await self._invoke(dry_run=True)
        if result is None:
            return
        request, localize = result.output, self._page.localize
        with self._result:
            Text("p", localize("console_dry_run_done", cost=localize.credits(result.credits.cost)), "notice good")
            headers = "\n".join(f"{name}: {value}" for name, value in request["headers"].items())
            body = "" if request["body"] is None else f"\n\n{pretty(request['body'])}"
            code_block(f"{request['method']} {request['url']}\n{headers}{body}", localize)

    async def _run(self) -> None:
        result = await self._invoke(dry_run=False)
        if result is None:
            return
        self._key = _new_key()  # the next run is a new write
        with self._result:
            show_result(self._page, self._action, result)

    async def _invoke(self, *, dry_run: bool) -> Result | None:
        localize = self._page.localize
        self._run_button.disable()
        self._result.clear()
        with self._result:
            waiting = Text("p", localize("running"), "quiet")
            spinner = ui.linear_progress(show_value=False).props("indeterminate").classes("progress")
            spinner.props["aria-label"] = localize("running")
        progress = asyncio.create_task(self._show_elapsed(waiting))
        try:
            session = await self._page.console.session()
            result = await session.invoke(
                self._action.id, self._form.inputs, key=self._key if self._action.writes else None, dry_run=dry_run
            )
        except KontorError as error:
            self._result.clear()
            with self._result:
                show_error(error, localize)
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
        self._result.clear()
        return result

    async def _show_elapsed(self, waiting: Text) -> None:
        """Show the elapsed and the typical duration."""
        started = time.monotonic()
        while True:
            await asyncio.sleep(1)
            seconds = int(time.monotonic() - started)
            waiting.text = self._page.localize("running_for", seconds=seconds, typical=round(self._action.typical))


def _new_key() -> str:
    """Return an idempotency key for one filled form, so that it is booked or paid once."""
    return f"console-{uuid4()}"
