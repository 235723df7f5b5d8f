"""Lists subscriptions with their deliveries; can replay deliveries and end subscriptions."""

from __future__ import annotations

from collections.abc import Sequence

from nicegui import ui

from connector.core.call_source import current_source
from connector.durable import subscription_changes
from connector.interfaces.console.page_frame import Page
from connector.interfaces.console.widgets import Text, box, button, empty_note, flex_row, pill
from connector.store import deliveries, subscriptions
from connector.store.deliveries import Delivery
from connector.store.subscriptions import Subscription

MAX_ITEMS = 20
TONES = {"done": "good", "waiting": "", "dead": "bad", "ended": ""}


class SubscriptionList:
    """The subscriptions of one trigger, or of all."""

    def __init__(self, page: Page, trigger: str | None = None) -> None:
        self._page, self._trigger = page, trigger
        self._container = box("panel-body")
        ui.timer(0.1, self.refresh, once=True)

    async def refresh(self) -> None:
        """Load and show the subscriptions."""
        workspace = await self._page.console.workspace()
        found = await self._page.console.read(lambda connection: subscriptions.listed(connection, workspace))
        mine = [one for one in found if self._trigger in (None, one.trigger)]
        self._container.clear()
        with self._container:
            if not mine:
                empty_note(self._page.localize("console_subscriptions_none"))
            for one in reversed(mine[-MAX_ITEMS:]):
                self._show(one)

    def _show(self, one: Subscription) -> None:
        localize = self._page.localize
        with box("need"):
            with box("need-text"):
                Text("strong", one.trigger)
                Text("span", one.target_url, "wrap")
                Text("span", localize("subscribed_at", at=localize.date_time(one.created_at)), "quiet")
            with flex_row("need-remedy"):
                pill(localize(f"subscription_is_{one.state}"), "good" if one.state == "active" else "")
                container = box("deliveries")
                button(localize("deliveries"), lambda: self._deliveries(one, container), "small")
                if one.state == "active":
                    button(localize("end"), lambda: self._end(one), "small")
        container.move(self._container)

    async def _deliveries(self, one: Subscription, container: ui.element) -> None:
        console = self._page.console
        workspace = await console.workspace()
        found = await console.read(lambda connection: deliveries.listed(connection, workspace, one.id, MAX_ITEMS))
        container.clear()
        with container:
            self._table(one, found, container)

    def _table(self, one: Subscription, found: Sequence[Delivery], container: ui.element) -> None:
        localize = self._page.localize
        if not found:
            empty_note(localize("deliveries_none"))
            return
        with box("table-frame").props('tabindex="0"'), box("grid", "table"):
            with ui.element("thead"), ui.element("tr"):
                for name in ("head_at", "head_item", "head_state", "head_attempts", "head_answer"):
                    Text("th", localize(name)).props('scope="col"')
                Text("th", "")
            with ui.element("tbody"):
                for delivery in found:
                    with ui.element("tr"):
                        Text("td", localize.date_time(delivery.made_at))
                        Text("td", delivery.item_id)
                        with ui.element("td"):
                            pill(localize(f"delivery_{delivery.state}"), TONES[delivery.state])
                        Text("td", str(delivery.attempts))
                        Text("td", str(delivery.last_status or delivery.last_error or ""))
                        with ui.element("td"):
                            button(localize("replay"), lambda _, d=delivery: self._replay(one, d, container), "small")

    async def _replay(self, one: Subscription, delivery: Delivery, container: ui.element) -> None:
        context = self._page.console.state.context
        now, workspace, by = context.now(), await self._page.console.workspace(), current_source()
        await self._page.console.write(
            lambda connection: subscription_changes.replay(connection, by, workspace, delivery.id, now)
        )
        context.wake()
        await self._deliveries(one, container)

    async def _end(self, one: Subscription) -> None:
        now, by = self._page.console.state.context.now(), current_source()
        await self._page.console.write(
            lambda connection: subscription_changes.end(connection, by, one.id, "console", now)
        )
        await self.refresh()
