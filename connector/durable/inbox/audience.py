"""Who hears of an event: the credential's event subscriptions whose filters it passes."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from connector.core.errors import InputError
from connector.core.manifest.model import Trigger
from connector.core.values import json
from connector.runtime.connector import Connector
from connector.store import deliveries, subscriptions
from connector.store.subscriptions import Subscription


class Audience:
    """The event subscriptions of one credential, read once for a transaction."""

    def __init__(self, connection: Connection, connector: Connector, credential_id: str) -> None:
        self._connection = connection
        self._listening: list[tuple[Subscription, Trigger]] = []
        for subscription in subscriptions.active(connection, credential_id):
            try:
                trigger = connector.trigger(subscription.trigger)
            except InputError:  # a trigger of an older version of Kontor hears nothing more
                continue
            if trigger.source == "event":
                self._listening.append((subscription, trigger))

    def tell(self, event: str, data: dict[str, Any], item_id: str, now: datetime) -> int:
        """Owes the event to everybody whom it concerns; returns how many that are."""
        told = 0
        for subscription, trigger in self._listening:
            if trigger.event is None or not trigger.event.fires(event, data, subscription.inputs):
                continue
            item = {**data, "_id": item_id}
            if not trigger.events:
                item["_event"] = event
            body = json.encode(item).decode()
            told += deliveries.enqueue(self._connection, subscription.id, item_id, body, now)
        return told
