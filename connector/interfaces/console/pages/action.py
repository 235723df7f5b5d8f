"""One action: its form, a dry run, the run itself, what came of it, and the same as code."""

from __future__ import annotations

import asyncio
import time
from uuid import uuid4

from nicegui import ui

from connector.core.errors import KontorError
from connector.core.manifest.model import Action
from connector.interfaces.console.code_panel import CodePanel
from connector.interfaces.console.desk import NoCredential
from connector.interfaces.console.form import Form
from connector.interfaces.console.frame import Visit, desk_here, page
from connector.interfaces.console.pages.missing import not_there
from connector.interfaces.console.pieces import (
    Text,
    abreast,
    box,
    button,
    code,
    empty,
    live_region,
    panel,
    pill,
    show_error,
)
from connector.interfaces.console.result_view import show_result
from connector.interfaces.console.snippets import pretty
from connector.runtime.result import Result


@ui.page("/actions/{id}")
def action_page(id: str) -> None:
    """The page of one action. What its address carries as a query is filled in."""
    given = dict(ui.context.client.request.query_params)
    try:
        action = desk_here().connector.action(id)
    except KontorError as error:
        not_there(error, "actions")
        return
    with page("actions", action.title) as visit:
        ActionDesk(visit, action, given)


class ActionDesk:
    """The form with everything around it."""

    def __init__(self, visit: Visit, action: Action, given: dict[str, str]) -> None:
        self._visit, self._action = visit, action
        self._key = _new_key()
        localize = visit.localize
        with box("pills"):
            pill(localize(f"effect_{action.effect}"), "accent" if action.writes else "")
            pill(localize.cost(action.cost), "" if action.cost.credits else "good")
            Text("code", action.id, "id")
        Text("p", localize.of(action.description), "intro")
        if action.cost.note:
            Text("p", localize.of(action.cost.note), "quiet")
        with box("split"):
            with panel(localize("inputs_title")):
                self._form = Form(visit, action.inputs, given)
                with abreast("form-actions"):
                    self._run_button = button(localize("run"), self._run, "primary")
                    button(localize("dry_run"), self._dry_run)
                if action.writes:
                    Text("p", localize("key_note"), "quiet")
            with box("split-side"):
                with panel(localize("result_title")):
                    self._result = live_region("results")
                    with self._result:
                        empty(localize("result_none"))
                with panel(localize("code_title")):
                    CodePanel(visit, action, lambda: self._form.inputs, lambda: self._key if action.writes else None)

    async def _dry_run(self) -> None:
        result = await self._invoke(dry_run=True)
        if result is None:
            return
        shown, localize = result.output, self._visit.localize
        with self._result:
            Text("p", localize("console_dry_run_done", cost=localize.credits(result.credits.cost)), "notice good")
            headers = "\n".join(f"{name}: {value}" for name, value in shown["headers"].items())
            body = "" if shown["body"] is None else f"\n\n{pretty(shown['body'])}"
            code(f"{shown['method']} {shown['url']}\n{headers}{body}", localize)

    async def _run(self) -> None:
        result = await self._invoke(dry_run=False)
        if result is None:
            return
        self._key = _new_key()  # what was done is done: the next run is another one
        with self._result:
            show_result(self._visit, self._action, result)

    async def _invoke(self, *, dry_run: bool) -> Result | None:
        localize = self._visit.localize
        self._run_button.disable()
        self._result.clear()
        with self._result:
            waiting = Text("p", localize("running"), "quiet")
            spinner = ui.linear_progress(show_value=False).props("indeterminate").classes("progress")
            spinner.props["aria-label"] = localize("running")
        progress = asyncio.create_task(self._tell_time(waiting))
        try:
            session = await self._visit.desk.session()
            result = await session.invoke(
                self._action.id, self._form.inputs, key=self._key if self._action.writes else None, dry_run=dry_run
            )
        except KontorError as error:
            self._result.clear()
            with self._result:
                show_error(error, localize)
            self._form.point_at(error)
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

    async def _tell_time(self, waiting: Text) -> None:
        """Says how long it has taken, beside how long it usually takes."""
        began = time.monotonic()
        while True:
            await asyncio.sleep(1)
            seconds = int(time.monotonic() - began)
            waiting.text = self._visit.localize("running_for", seconds=seconds, typical=round(self._action.typical))


def _new_key() -> str:
    """A key for each filled form: whatever happens to the browser or the wire, it is booked or paid once."""
    return f"console-{uuid4()}"
