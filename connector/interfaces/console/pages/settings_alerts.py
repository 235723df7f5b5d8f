"""Where the alerts of a workspace go, as a page of its settings."""

from __future__ import annotations

from nicegui import ui
from sqlalchemy import Connection

from connector.core.errors import KontorError
from connector.core.messages import say
from connector.durable.alerting import set_alert_target
from connector.interfaces.console.console_context import NoCredential
from connector.interfaces.console.page_frame import Page, page_at, page_frame
from connector.interfaces.console.settings_links import settings_links
from connector.interfaces.console.subscription_list import target_name
from connector.interfaces.console.widgets import (
    Text,
    box,
    button,
    code_block,
    flex_row,
    link,
    live_region,
    panel,
    paragraph,
    show_error,
)
from connector.store import alerts, subscriptions, trial_inbox
from connector.store.subscriptions import Subscription


@page_at("/settings/alerts")
async def settings_alerts() -> None:
    """Show where alerts go, and let an admin change it."""
    with page_frame("settings", say("settings_alerts")) as page:
        settings_links(page, "alerts")
        try:
            page.console.check("admin")
        except KontorError as error:
            show_error(error, page.localize)
            return
        with panel(page.localize("settings_alerts"), "wide"):
            paragraph(page.localize("alerts_intro"), "quiet")
            form = AlertForm(page)
        await form.refresh()


class AlertForm:
    """The address of alerts."""

    def __init__(self, page: Page) -> None:
        self._page, localize = page, page.localize
        self._now = box("panel-body")
        self._target = ui.input(localize("subscribe_target"), placeholder="https://…")
        self._target.props("outlined dense stack-label type=url").classes("input")
        with flex_row():
            button(localize("alerts_save"), self._save, "primary")
            button(localize("subscribe_inbox"), self._save_inbox)
            self._stop_button = button(localize("alerts_stop"), self._stop)
        self._said = live_region()

    async def refresh(self) -> None:
        """Show where alerts go now."""
        workspace, localize = await self._page.console.workspace(), self._page.localize

        def read(connection: Connection) -> Subscription | None:
            id = alerts.target_of(connection, workspace)
            return subscriptions.get(connection, id) if id else None

        found = await self._page.console.read(read)
        self._stop_button.set_visibility(found is not None)
        self._now.clear()
        with self._now:
            if found is not None:
                paragraph(localize("alerts_go_to", host=target_name(self._page, found.target_url)))
                link(localize("alerts_show"), self._page.url(f"subscriptions/{found.id}"))

    async def _save_inbox(self) -> None:
        await self._change(trial_inbox.ADDRESS)

    async def _save(self) -> None:
        await self._change(self._target.value or "")

    async def _stop(self) -> None:
        await self._change(None)

    async def _change(self, url: str | None) -> None:
        console, localize = self._page.console, self._page.localize
        self._said.clear()
        try:
            console.check("admin")
            id = await console.credential_id()
            secret = await set_alert_target(console.state.context, console.source, id, url)
        except KontorError as error:
            with self._said:
                show_error(error, localize)
            return
        except NoCredential:
            with self._said:
                Text("p", localize("no_credential"), "notice bad")
            return
        with self._said:
            if secret is None:
                Text("p", localize("alerts_stopped"), "notice good")
            else:
                Text("p", localize("alerts_saved"), "notice good")
                code_block(secret, localize)
        await self.refresh()
