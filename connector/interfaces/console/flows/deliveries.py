"""The deliveries of a subscription as a table, each of which can be sent again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

from nicegui import ui

from connector.core.errors import KontorError
from connector.core.manifest.model import Trigger
from connector.core.values import json
from connector.durable import subscriptions
from connector.durable.subscriptions import delivery_failure
from connector.interfaces.console.frame.page_frame import Page
from connector.interfaces.console.frame.widgets import (
    TextWidget,
    box,
    button,
    empty_note,
    live_region,
    pill,
    show_error,
    table_cell,
)
from connector.store.triggers.deliveries import Delivery
from connector.store.triggers.subscriptions import ACTIVE, Subscription

TONES = {"done": "good", "waiting": "", "dead": "bad", "ended": ""}
HEADS = ("head_at", "head_item", "head_state", "head_attempts", "head_answer")


def item_name(page: Page, trigger: Trigger | None, delivery: Delivery) -> str:
    """Say what a delivery is about: the values that its trigger's list shows, else its id."""
    return item_words(page, trigger, json.decode(delivery.body), delivery.item_id)


def item_words(page: Page, trigger: Trigger | None, item: Any, otherwise: str) -> str:
    """Return the values of an item that its trigger's list shows."""
    if trigger is None or not isinstance(item, dict):
        return otherwise
    text = page.localize.result(page.console.connector.library, trigger)
    return text.line(item, trigger.raw["output"].get("columns", ())) or otherwise


class DeliveryTable:
    """Builds itself into the current panel; rebuilt only when a delivery changed."""

    def __init__(
        self,
        page: Page,
        workspace: str,
        name_of: Callable[[Delivery], str],
        changed: Callable[[], Awaitable[None]],
    ) -> None:
        self._page, self._workspace, self._name_of, self._changed = page, workspace, name_of, changed
        self._error = live_region()
        self._body = box("panel-body")
        self._shown: object = None

    def show(self, one: Subscription, found: Sequence[Delivery]) -> None:
        """Show the deliveries."""
        version = (one.state, [(delivery.id, delivery.state, delivery.attempts) for delivery in found])
        if version == self._shown:
            return
        self._shown = version
        self._body.clear()
        with self._body:
            if not found:
                empty_note(self._page.localize("deliveries_none"))
                return
            self._table(one, found)

    def _table(self, one: Subscription, found: Sequence[Delivery]) -> None:
        localize = self._page.localize
        with box("table-frame").props('tabindex="0" role="region"') as frame, box("grid", "table"):
            frame.props["aria-label"] = localize("subscription_deliveries_title")
            with ui.element("thead"), ui.element("tr"):
                for name in HEADS:
                    TextWidget("th", localize(name), "number" if name == "head_attempts" else "").props('scope="col"')
                TextWidget("td", "")
            with ui.element("tbody"):
                for delivery in found:
                    with ui.element("tr"):
                        self._row(one, delivery)

    def _row(self, one: Subscription, delivery: Delivery) -> None:
        localize = self._page.localize
        TextWidget("td", localize.date_time(delivery.made_at))
        TextWidget("td", self._name_of(delivery))
        with ui.element("td"):
            pill(localize(f"delivery_{delivery.state}"), TONES[delivery.state])
        table_cell(str(delivery.attempts), localize("head_attempts"), "number")
        failed = delivery.last_error is not None
        said = localize.of(delivery_failure(delivery.last_status, delivery.last_error or "")) if failed else ""
        TextWidget("td", said or str(delivery.last_status or ""))
        with ui.element("td"):
            may = self._page.console.actor.may("admin" if one.carries_alerts else "operator")
            if may and one.state == ACTIVE and delivery.state != "waiting":
                button(localize("replay"), partial(self._replay, delivery), "small")

    async def _replay(self, delivery: Delivery) -> None:
        console = self._page.console
        now, by = console.state.context.now(), console.source
        self._error.clear()
        try:
            await console.write(
                lambda connection: subscriptions.replay(connection, by, self._workspace, delivery.id, now)
            )
        except KontorError as error:
            with self._error:
                show_error(error, self._page.localize)
            return
        console.state.context.wake()
        await self._changed()
