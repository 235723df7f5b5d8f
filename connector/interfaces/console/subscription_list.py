"""The subscriptions: where they go, what was delivered, replaying it, and ending them."""

from __future__ import annotations

from collections.abc import Sequence

from nicegui import ui
from sqlalchemy import Connection

from connector.interfaces.console.desk import NoCredential
from connector.interfaces.console.frame import Visit
from connector.interfaces.console.pieces import Text, abreast, box, button, empty, pill
from connector.store import deliveries, subscriptions
from connector.store.deliveries import Delivery
from connector.store.subscriptions import Subscription

MOST = 20
TONES = {"done": "good", "waiting": "", "dead": "bad", "ended": ""}


class SubscriptionList:
    """Of one trigger, or of all."""

    def __init__(self, visit: Visit, trigger: str | None = None) -> None:
        self._visit, self._trigger = visit, trigger
        self._place = box("panel-body")
        ui.timer(0.1, self.fill, once=True)

    async def fill(self) -> None:
        """Looks again."""
        try:
            credential_id = await self._visit.desk.credential_id()
        except NoCredential:
            return
        found = await self._visit.desk.read(lambda connection: subscriptions.listed(connection))
        mine = [one for one in found if one.credential_id == credential_id and self._trigger in (None, one.trigger)]
        self._place.clear()
        with self._place:
            if not mine:
                empty(self._visit.localize("console_subscriptions_none"))
            for one in reversed(mine[-MOST:]):
                self._show(one)

    def _show(self, one: Subscription) -> None:
        localize = self._visit.localize
        with box("need"):
            with box("need-text"):
                Text("strong", one.trigger)
                Text("span", one.target_url, "wrap")
                Text("span", localize("subscribed_at", at=localize.moment(one.created_at)), "quiet")
            with abreast("need-remedy"):
                pill(localize(f"subscription_is_{one.state}"), "good" if one.state == "active" else "")
                place = box("deliveries")
                button(localize("deliveries"), lambda: self._deliveries(one, place), "small")
                if one.state == "active":
                    button(localize("end"), lambda: self._end(one), "small")
        place.move(self._place)

    async def _deliveries(self, one: Subscription, place: ui.element) -> None:
        found = await self._visit.desk.read(lambda connection: deliveries.listed(connection, one.id, MOST))
        place.clear()
        with place:
            self._table(one, found, place)

    def _table(self, one: Subscription, found: Sequence[Delivery], place: ui.element) -> None:
        localize = self._visit.localize
        if not found:
            empty(localize("deliveries_none"))
            return
        with box("table-frame").props('tabindex="0"'), box("grid", "table"):
            with ui.element("thead"), ui.element("tr"):
                for name in ("head_at", "head_item", "head_state", "head_attempts", "head_answer"):
                    Text("th", localize(name)).props('scope="col"')
                Text("th", "")
            with ui.element("tbody"):
                for delivery in found:
                    with ui.element("tr"):
                        Text("td", localize.moment(delivery.made_at))
                        Text("td", delivery.item_id)
                        with ui.element("td"):
                            pill(localize(f"delivery_{delivery.state}"), TONES[delivery.state])
                        Text("td", str(delivery.attempts))
                        Text("td", str(delivery.last_status or delivery.last_error or ""))
                        with ui.element("td"):
                            button(localize("replay"), lambda _, d=delivery: self._replay(one, d, place), "small")

    async def _replay(self, one: Subscription, delivery: Delivery, place: ui.element) -> None:
        context = self._visit.desk.state.context
        now = context.now()
        await self._visit.desk.write(lambda connection: deliveries.replay(connection, delivery.id, now))
        context.wake()
        await self._deliveries(one, place)

    async def _end(self, one: Subscription) -> None:
        now = self._visit.desk.state.context.now()

        def end(connection: Connection) -> None:
            subscriptions.end(connection, one.id, "console", now)
            deliveries.end_waiting(connection, one.id)

        await self._visit.desk.write(end)
        await self.fill()
