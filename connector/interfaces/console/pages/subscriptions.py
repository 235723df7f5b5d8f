"""The pages of subscriptions: all, and one with how it fares and what happened."""

from __future__ import annotations

from functools import partial

from sqlalchemy import Connection

from connector.core.errors import InputError
from connector.core.messages import say
from connector.durable.subscriptions import Health, health_of
from connector.interfaces.console.flows.deliveries import DeliveryTable, item_name
from connector.interfaces.console.flows.subscriptions import SubscriptionFacts, SubscriptionList, SubscriptionPanel
from connector.interfaces.console.flows.timeline import Line, TimelineView, merged
from connector.interfaces.console.frame.page_frame import Page, current_console, page_at, page_frame
from connector.interfaces.console.frame.widgets import box, keep_current, link, panel
from connector.interfaces.console.home.attention_list import AttentionList
from connector.interfaces.console.pages.not_found import not_found_page
from connector.store.triggers import deliveries, subscriptions, timeline
from connector.store.triggers.deliveries import Delivery
from connector.store.triggers.subscriptions import Subscription


@page_at("/subscriptions")
def subscriptions_page() -> None:
    """List all subscriptions, those that fail first."""
    with page_frame("subscriptions") as page:
        with panel(page.localize("needs_title"), "wide"):
            AttentionList(page, "build")
        with panel(page.localize("subscriptions_title"), "wide"):
            SubscriptionList(page)
        link(page.localize("subscriptions_begin"), page.url("triggers"))


REFRESH_SECONDS = 1.0
MAX_DELIVERIES = 40


@page_at("/subscriptions/{id}")
async def subscription_page(id: str) -> None:
    """Show one subscription of the workspace."""
    console = current_console()
    workspace = await console.workspace()
    found = await console.read(lambda connection: subscriptions.find(connection, workspace, id))
    if found is None:
        not_found_page(InputError(say("subscription_unknown", id=id[:40])), "subscriptions")
        return
    with page_frame("subscriptions", console.trigger_title(found.trigger)) as page:
        link(page.localize("subscription_back"), page.url("subscriptions"))
        SubscriptionView(page, workspace, found)


class SubscriptionView:
    """The panels of the page, brought up to date while it is open."""

    def __init__(self, page: Page, workspace: str, one: Subscription) -> None:
        self._page, self._workspace, self._id = page, workspace, one.id
        self._name_of = partial(item_name, page, page.console.connector.triggers.get(one.trigger))
        localize = page.localize
        with box("panels") as panels:
            with panel(localize("subscription_state_title")):
                self._panel = SubscriptionPanel(page, one, self.refresh)
            with panel(localize("subscription_what_title")):
                self._facts = SubscriptionFacts(page, localize.of(page.console.trigger_title(one.trigger)))
        with panel(localize("subscription_timeline_title"), "wide"):
            self._timeline = TimelineView(localize)
        with panel(localize("subscription_deliveries_title"), "wide"):
            self._deliveries = DeliveryTable(page, workspace, self._name_of, self.refresh)
        keep_current(panels, self.refresh, REFRESH_SECONDS)

    async def refresh(self) -> None:
        """Read the subscription again and show what changed."""

        def read(connection: Connection) -> tuple[Subscription | None, Health | None, list[Line], list[Delivery]]:
            one = subscriptions.find(connection, self._workspace, self._id)
            if one is None:
                return None, None, [], []
            about = [one.id, one.cursor_name] if one.cursor_name else [one.id]
            found = list(deliveries.listed(connection, self._workspace, one.id, MAX_DELIVERIES))
            lines = merged(timeline.listed(connection, about), found, self._name_of)
            return one, health_of(connection, self._page.console.connector.triggers, one), lines, found

        one, health, lines, found = await self._page.console.read(read)
        if one is None or health is None:
            return
        self._panel.show(one, health)
        self._facts.show(one, health)
        self._deliveries.show(one, found)
        self._timeline.show(lines)
