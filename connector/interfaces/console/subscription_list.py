"""Lists subscriptions with how they fare; each leads to its own page."""

from __future__ import annotations

from urllib.parse import urlsplit

from nicegui import ui
from sqlalchemy import Connection

from connector.durable.subscription_health import Health, health_of
from connector.interfaces.console.page_frame import Page
from connector.interfaces.console.widgets import Text, box, empty_note, flex_row, link, pill
from connector.store import subscriptions, trial_inbox
from connector.store.subscriptions import Subscription

MAX_ITEMS = 100
REFRESH_SECONDS = 2.0
TONES = {"active": "good", "failing": "bad", "paused": "warn", "ended": ""}


class SubscriptionList:
    """The subscriptions of one trigger, or of all; those that fail come first, ended ones last."""

    def __init__(self, page: Page, trigger: str | None = None) -> None:
        self._page, self._trigger = page, trigger
        self._container = box("panel-body subscriptions")
        self._shown: object = None
        ui.timer(0.1, self.refresh, once=True)
        ui.timer(REFRESH_SECONDS, self.refresh)

    async def refresh(self) -> None:
        """Load the subscriptions, and show them if something changed."""
        workspace = await self._page.console.workspace()

        def read(connection: Connection) -> list[tuple[Subscription, Health]]:
            found = [one for one in subscriptions.listed(connection, workspace) if self._trigger in (None, one.trigger)]
            found.sort(key=lambda one: (one.state == subscriptions.ACTIVE, one.created_at), reverse=True)
            triggers = self._page.console.connector.triggers
            return [(one, health_of(connection, triggers, one)) for one in found[:MAX_ITEMS]]

        rows = await self._page.console.read(read)
        version = [(one, health.state, health.reason, health.waiting) for one, health in rows]
        if version == self._shown:
            return
        self._shown = version
        self._container.clear()
        with self._container:
            if not rows:
                empty_note(self._page.localize("console_subscriptions_none"))
            for one, health in sorted(rows, key=lambda row: row[1].state != "failing"):
                self._show(one, health)

    def _show(self, one: Subscription, health: Health) -> None:
        localize = self._page.localize
        title = localize.of(self._page.console.trigger_title(one.trigger))
        with box("need"):
            with box("need-text"):
                link(title, self._page.url(f"subscriptions/{one.id}")).props["aria-label"] = localize(
                    "subscription_open", name=title
                )
                Text("span", target_name(self._page, one.target_url), "wrap quiet")
                if health.reason is not None and health.state != "ended":
                    Text("span", localize.of(health.reason), "bad-text wrap")
            with flex_row("need-remedy"):
                if health.waiting:
                    Text("span", waiting_text(self._page, health.waiting), "quiet")
                pill(localize(f"subscription_is_{health.state}"), TONES[health.state])


def target_name(page: Page, url: str) -> str:
    """Return whom a subscription sends to: the host's name, since the rest of a URL often holds a secret."""
    return page.localize("inbox_target") if url == trial_inbox.ADDRESS else urlsplit(url).hostname or ""


def waiting_text(page: Page, count: int) -> str:
    """Say how many deliveries wait."""
    one = count == 1
    return page.localize("subscription_waiting_one") if one else page.localize("subscription_waiting_many", count=count)
