"""Enqueues events for the matching event subscriptions of a credential."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from connector.core.errors import InputError
from connector.core.manifest.model import Trigger
from connector.core.values import json
from connector.core.writes.marks import without_marks
from connector.runtime.connector import Connector
from connector.store.triggers import deliveries, subscriptions
from connector.store.triggers.subscriptions import Subscription

NOTHING: Mapping[str, Any] = {}


class EventSubscribers:
    """The event subscriptions of one credential, read once per transaction."""

    def __init__(self, connection: Connection, connector: Connector, credential_id: str) -> None:
        self._connection = connection
        self._subscriptions: list[tuple[Subscription, Trigger]] = []
        for subscription in subscriptions.active(connection, credential_id):
            try:
                trigger = connector.trigger(subscription.trigger)
            except InputError:  # the trigger no longer exists
                continue
            if trigger.source == "event":
                self._subscriptions.append((subscription, trigger))

    def enqueue(
        self,
        event: str,
        data: dict[str, Any],
        item_id: str,
        now: datetime,
        *,
        received_at: str | None = None,
        arrived_at: datetime | None = None,
        confirmed: bool = True,
        claimed: Mapping[str, Any] = NOTHING,
    ) -> int:
        """Enqueue the event for every matching subscription; return how many. What no event told arrives now.

        One that the API cannot confirm is marked so, and goes only to those who have named the event. So is one that
        has words of `claimed`, the event's own data, because a filter asks for them and the API does not show them.
        """
        enqueued = 0
        for subscription, trigger in self._subscriptions:
            if trigger.event is None:
                continue
            needed = trigger.event.claims_needed(data, claimed, subscription.inputs)
            with_claims = {**data, **needed}
            if not trigger.event.fires(event, with_claims, subscription.inputs):
                continue
            if not confirmed and not trigger.event.names_event(event, subscription.inputs):
                continue
            sure = confirmed and not needed
            shown = trigger.event.item(event, with_claims, item_id, received_at, arrived_at or now, confirmed=sure)
            item = without_marks(shown)
            body = json.encode(item).decode()
            subject = trigger.subject(item)
            enqueued += deliveries.enqueue(self._connection, subscription.id, item_id, body, now, subject)
        return enqueued
