"""Shows the attention items with a button for each remedy."""

from __future__ import annotations

from urllib.parse import quote

from nicegui import ui
from nicegui.element import Element

from connector.core.callers import ROLE_TO_MOVE, current_source
from connector.core.errors import KontorError
from connector.core.messages import Text as Sentence
from connector.durable import subscriptions
from connector.durable.inbox import registration
from connector.interfaces.console.console_context import NoCredential
from connector.interfaces.console.forms.option_names import option_names
from connector.interfaces.console.frame.input_facts import input_facts
from connector.interfaces.console.frame.page_calls import MAX_CALLS, PageCalls
from connector.interfaces.console.frame.page_frame import Page
from connector.interfaces.console.frame.widgets import (
    TextWidget,
    box,
    button,
    flex_row,
    link,
    paragraph,
    show_error,
    show_facts,
)
from connector.interfaces.console.home.attention_items import AttentionItem, attention_items
from connector.interfaces.console.runs.run_actions import SettlePanel
from connector.interfaces.console.runs.run_details import action_of, may_settle
from connector.store.runs.runs import Run


class AttentionList:
    """Shows the list in `container`."""

    def __init__(self, page: Page, container: Element) -> None:
        self._page, self._container = page, container
        self._names: dict[str, dict[str, str]] = {}

    async def refresh(self) -> None:
        """Load and show the items."""
        localize, calls = self._page.localize, PageCalls(self._page.console)
        self._container.clear()
        with self._container:
            paragraph(localize("running"), "quiet")
        try:
            items = await attention_items(self._page.console, calls)
            await self._name_options(items, calls)
        except NoCredential:
            self._container.clear()
            with self._container:
                paragraph(localize("no_credential"), "quiet")
            return
        except KontorError as error:
            self._container.clear()
            with self._container:
                show_error(error, localize)
            return
        self._container.clear()
        with self._container:
            if not items:
                paragraph(localize("needs_none"), "all-well")
            for item in items:
                self._show(item)
            if calls.left_out:
                paragraph(localize("needs_left_out", most=MAX_CALLS), "quiet")

    def _show(self, item: AttentionItem) -> None:
        localize = self._page.localize
        texts = {
            name: localize.of(value) if isinstance(value, Sentence) else localize.format_value(value)
            for name, value in item.values.items()
        }
        with box("need"):
            with box("need-text"):
                TextWidget("strong", localize(item.message, **texts))
                advice = localize.of(item.advice) if item.advice else localize(f"{item.message}_advice")
                paragraph(f"→ {advice}", "quiet")
                if item.run is not None:
                    self._show_run(item.run)
            with flex_row("need-remedy"):
                self._build_remedy(item)

    async def _name_options(self, items: list[AttentionItem], calls: PageCalls) -> None:
        """Find what the chosen options of runs are called, at no credit."""
        for item in items:
            run = item.run
            action = action_of(self._page.console, run) if run is not None else None
            if run is not None and action is not None and run.id not in self._names and isinstance(run.inputs, dict):
                self._names[run.id] = await option_names(self._page, action, run.inputs, calls)

    def _show_run(self, run: Run) -> None:
        """Say in the form's own words what the run is about, with a link to its page."""
        action = action_of(self._page.console, run)
        facts = input_facts(action.inputs if action else (), run.inputs, self._page.localize, self._names.get(run.id))
        show_facts(facts)
        at = self._page.localize.moment(run.made_at)
        link(self._page.localize("need_open_run", at=at), self._page.url(f"runs/{run.id}"))

    def _build_remedy(self, item: AttentionItem) -> None:
        localize, page = self._page.localize, self._page
        match item.remedy:
            case "settle":
                if item.run is not None and may_settle(page.console, item.run):
                    SettlePanel(page, item.subject, self._on_settled, item.waiting)
            case "run":
                link(localize("need_decide"), page.url(f"runs/{item.subject}"), "button")
            case "credits":
                link(localize("place_runs"), page.url("runs"), "button")
            case "replay":
                button(localize("replay"), lambda: self._replay(int(item.subject)), "primary small")
            case "webhook":
                button(localize("take_over"), self._take_over, "primary small")
            case "connect":
                target = f"actions/{page.console.connector.roles['bank_connect']}?provider_code={quote(item.subject)}"
                link(localize("renew"), page.url(target), "button")
            case "link":
                link(localize("reconnect"), item.subject, "button")
            case "doctor":
                link(localize("place_doctor"), page.url("doctor"), "button")
            case "subscription":
                link(localize("open_subscription"), page.url(f"subscriptions/{item.subject}"), "button")
            case "trigger":
                link(localize("open_trigger"), page.url(f"triggers/{item.subject}"), "button")

    async def _on_settled(self, happened: bool) -> None:
        await self.refresh()

    async def _replay(self, delivery_id: int) -> None:
        context = self._page.console.state.context
        now, workspace, by = context.now(), await self._page.console.workspace(), current_source()
        try:
            await self._page.console.write(
                lambda connection: subscriptions.replay(connection, by, workspace, delivery_id, now)
            )
        except KontorError as error:
            with self._container:
                show_error(error, self._page.localize)
            return
        context.wake()
        await self.refresh()

    async def _take_over(self) -> None:
        console = self._page.console
        try:
            console.check(ROLE_TO_MOVE["webhook_url"])
            await registration.ensure(console.state.context, await console.credential_id(), takeover=True)
        except KontorError as error:
            ui.notify(self._page.localize.of(error.message), type="negative")
        await self.refresh()
