"""The page of all subscriptions."""

from __future__ import annotations

from connector.interfaces.console.page_frame import page_at, page_frame
from connector.interfaces.console.subscription_list import SubscriptionList
from connector.interfaces.console.widgets import link, panel


@page_at("/subscriptions")
def subscriptions_page() -> None:
    """List all subscriptions, those that fail first."""
    with page_frame("subscriptions") as page:
        with panel(page.localize("subscriptions_title"), "wide"):
            SubscriptionList(page)
        link(page.localize("subscriptions_begin"), page.url("triggers"))
