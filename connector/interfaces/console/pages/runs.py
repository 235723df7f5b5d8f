"""The pages of runs: search, filters and a table of all, and one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from nicegui import ui
from nicegui.element import Element

from connector.core.data.fields import Field
from connector.core.errors import KontorError
from connector.core.messages import Text as Label
from connector.core.messages import say
from connector.interfaces.console.figures.labels import FigureLabel
from connector.interfaces.console.forms.day_input import DayInput
from connector.interfaces.console.forms.form_parts import FieldText
from connector.interfaces.console.frame.page_frame import Page, current_console, page_at, page_frame
from connector.interfaces.console.frame.widgets import TextWidget, box, button, empty_note, flex_row, pill, show_error
from connector.interfaces.console.pages.not_found import not_found_page
from connector.interfaces.console.runs import run_details
from connector.interfaces.console.runs.run_list import EXPORT_SIZE, PAGE_SIZE, Filters, RunLine, as_csv, find_runs
from connector.interfaces.console.runs.run_view import RunView
from connector.store.runs.runs import KINDS, STATES

ANY = ""


@page_at("/runs")
async def runs_page() -> None:
    """Show the newest runs, and the filters that the address names."""
    filters = Filters.of(dict(ui.context.client.request.query_params))
    with page_frame("runs") as page:
        view = RunsView(page, filters)
        await view.refresh()


class RunsView:
    """Filters above, runs below."""

    def __init__(self, page: Page, filters: Filters) -> None:
        self._page, self._filters = page, filters
        self._build_filters()
        self._count = TextWidget("p", "", "quiet").props('role="status" aria-live="polite"')
        self._list: Element = box("run-list", "ul")
        with flex_row("run-pages"):
            self._first = button(page.localize("runs_first"), lambda: self._change(before=""), "small")
            self._older = button(page.localize("runs_older"), self._go_older, "small")
            self._csv = button(page.localize("runs_csv"), self._download, "small")
        self._last_id = ""

    def _build_filters(self) -> None:
        localize, filters = self._page.localize, self._filters
        library, actions = self._page.console.connector.library, self._page.console.connector.actions
        states = {ANY: localize("runs_any")} | {
            state: library.words["run_state"][state][localize.lang] for state in STATES
        }
        titles = sorted(
            ((localize.of(one.title), id) for id, one in actions.items()), key=lambda one: one[0].casefold()
        )
        kinds = {kind: localize(f"runs_kind_{kind}") for kind in KINDS} | {"all": localize("runs_kind_all")}
        with box("run-filters").props('role="search"'):
            text = ui.input(localize("runs_search"), value=filters.text)
            text.on("keydown.enter", lambda: self._change(text=str(text.value or ""), before=""))
            text.on("blur", lambda: self._change(text=str(text.value or ""), before=""))
            self._choice("state", states)
            self._choice("action", {ANY: localize("runs_any")} | {id: title for title, id in titles})
            self._choice("kind", kinds)
            text.props("outlined dense stack-label").classes("input")
            self._day("since", say("runs_since"))
            self._day("until", say("runs_until"))

    def _day(self, name: str, label: Label) -> None:
        """Build a filter by day; what cannot be read is told at it, and changes nothing."""
        page = self._page
        declared = Field(name, "date", label, label)

        def is_read() -> bool:
            problem = field.tidy()
            text.set_error(page.localize.of(problem) if problem is not None else None)
            return problem is None

        async def on_done() -> None:
            if is_read():
                await self._change(before="", **{name: str(field.read() or "")})

        with box("field"):
            field = DayInput(page, declared, page.localize.of(label), getattr(self._filters, name), on_done=on_done)
            field.props("outlined dense stack-label").classes("input").on("keydown.enter", on_done)
            text = FieldText(field, page.localize, page.localize.of(label), required=False)
            is_read()

    def _choice(self, name: str, options: dict[str, str]) -> None:
        value = getattr(self._filters, name)
        field = ui.select(options, label=self._page.localize(f"runs_{name}"), value=value if value in options else None)
        field.props("outlined dense stack-label options-dense").classes("input")

        async def changed(event: Any) -> None:
            await self._change(before="", **{name: str(event.value or "")})

        field.on_value_change(changed)

    async def _change(self, **changed: str) -> None:
        filters = replace(self._filters, **changed)
        if filters != self._filters:
            self._filters = filters
            query = urlencode(filters.as_query())
            self._page.move_to(f"runs?{query}" if query else "runs")
            await self.refresh()

    async def _go_older(self) -> None:
        await self._change(before=self._last_id)

    async def refresh(self) -> None:
        """Find the runs and show them."""
        localize = self._page.localize
        self._list.clear()
        self._csv.set_visibility(False)
        if not self._filters.readable:
            self._count.text = ""
            return
        try:
            lines = await find_runs(self._page.console, self._filters, localize, PAGE_SIZE + 1)
        except KontorError as error:
            with self._list:
                show_error(error, localize)
            return
        shown, self._last_id = lines[:PAGE_SIZE], lines[PAGE_SIZE - 1].run.id if len(lines) > PAGE_SIZE else ""
        self._csv.set_visibility(bool(shown))
        self._older.set_visibility(bool(self._last_id))
        self._first.set_visibility(bool(self._filters.before))
        self._count.text = localize("runs_count", count=len(shown)) if shown else ""
        with self._list:
            for line in shown:
                self._show(line)
            if not shown:
                with box("run-line", "li"):
                    empty_note(localize("runs_none_found"))

    def _show(self, line: RunLine) -> None:
        localize, run = self._page.localize, line.run
        with box("run-line", "li"), ui.element("a").classes("run-link") as link:
            link.props["href"] = self._page.url(f"runs/{run.id}")
            TextWidget("time", localize.moment(run.made_at), "event-time").props["datetime"] = run.made_at.isoformat()
            with box("run-about"):
                TextWidget("span", line.title, "card-title")
                TextWidget("span", line.summary, "quiet")
            pill(line.standing.word, line.standing.tone)
            TextWidget("span", run.person or run.actor or localize("approval_owner"), "quiet run-by")

    async def _download(self) -> None:
        localize = self._page.localize
        try:
            lines = await find_runs(self._page.console, replace(self._filters, before=""), localize, EXPORT_SIZE)
        except KontorError as error:
            ui.notify(localize.of(error.message), type="negative")
            return
        label = self._label()
        file = as_csv(lines, localize, label.head(localize("place_runs")))
        ui.download.content(file, f"{label.file_name('kontor-runs')}.csv", "text/csv")

    def _label(self) -> FigureLabel:
        """Which runs are shown, for the name and the head of a file; all writes need no label."""
        localize, filters, plain = self._page.localize, self._filters, Filters()
        library, actions = self._page.console.connector.library, self._page.console.connector.actions
        words, action = library.words["run_state"], actions.get(filters.action)
        shown = {
            "search": filters.text,
            "state": words[filters.state][localize.lang] if filters.state in words else "",
            "action": localize.of(action.title) if action is not None else filters.action,
            "kind": localize(f"runs_kind_{filters.kind}") if filters.kind in {*KINDS, "all"} - {plain.kind} else "",
            "since": localize.format_value(filters.since) if filters.since else "",
            "until": localize.format_value(filters.until) if filters.until else "",
        }
        facts = tuple((localize(f"runs_{name}"), value) for name, value in shown.items() if value)
        now = self._page.console.state.context.now()
        read = (localize("figures_read"), localize.date_time(now)) if facts else ("", "")
        return FigureLabel(facts, read=read, name=f"{filters.since} {filters.until}".strip())


@page_at("/runs/{id}")
async def run_page(id: str) -> None:
    """Show a run of the visitor's workspace."""
    try:
        details = await run_details.load(current_console(), id)
    except KontorError as error:
        not_found_page(error, "runs")
        return
    title = details.action.title if details.action is not None else None
    with page_frame("runs", title) as page:
        RunView(page, details)
