"""Shows the attention items with a button for each remedy."""

from __future__ import annotations

from urllib.parse import quote

from nicegui import ui
from nicegui.element import Element

from connector.core.call_source import current_source
from connector.core.errors import KontorError
from connector.core.messages import Text as Sentence
from connector.core.roles import ROLE_TO_MOVE
from connector.durable import subscription_changes
from connector.durable.inbox import registration
from connector.interfaces.console.attention_items import AttentionItem, attention_items
from connector.interfaces.console.console_context import NoCredential
from connector.interfaces.console.page_frame import Page
from connector.interfaces.console.settle_panel import SettlePanel
from connector.interfaces.console.snippets import pretty
from connector.interfaces.console.widgets import Text, box, button, flex_row, link, paragraph, show_error


class AttentionList:
    """Shows the list in `container`."""

    def __init__(self, page: Page, container: Element) -> None:
        self._page, self._container = page, container

    async def refresh(self) -> None:
        """Load and show the items."""
        localize = self._page.localize
        self._container.clear()
        with self._container:
            paragraph(localize("running"), "quiet")
        try:
            items = await attention_items(self._page.console)
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

    def _show(self, item: AttentionItem) -> None:
        localize = self._page.localize
        texts = {
            name: localize.of(value) if isinstance(value, Sentence) else localize.format_value(value)
            for name, value in item.values.items()
        }
        with box("need"):
            with box("need-text"):
                Text("strong", localize(item.message, **texts))
                advice = localize.of(item.advice) if item.advice else localize(f"{item.message}_advice")
                paragraph(f"→ {advice}", "quiet")
                if item.run is not None:
                    with ui.expansion(localize("need_inputs")).props("dense"):
                        Text("pre", pretty(item.run.inputs), "code")
            with flex_row("need-remedy"):
                self._build_remedy(item)

    def _build_remedy(self, item: AttentionItem) -> None:
        localize, page = self._page.localize, self._page
        match item.remedy:
            case "settle":
                SettlePanel(page, item.subject, self._on_settled)
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
            case "trigger":
                link(localize("open_trigger"), page.url(f"triggers/{item.subject}"), "button")

    async def _on_settled(self, happened: bool) -> None:
        await self.refresh()

    async def _replay(self, delivery_id: int) -> None:
        context = self._page.console.state.context
        now, workspace, by = context.now(), await self._page.console.workspace(), current_source()
        await self._page.console.write(
            lambda connection: subscription_changes.replay(connection, by, workspace, delivery_id, now)
        )
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
