"""Subscriptions: a flow's address is told of what a trigger finds, signed, until it ends them."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.routing import Route

from connector.core.errors import NotFound
from connector.core.messages import say
from connector.durable.subscribe import SubscriptionRequest
from connector.interfaces.host.answers import Answer, answer
from connector.interfaces.host.bodies import read_object, required
from connector.interfaces.host.endpoint import route
from connector.interfaces.host.parts import HostParts
from connector.interfaces.host.refusals import Conflict
from connector.interfaces.host.stored_shown import shown_delivery, shown_place, shown_subscription
from connector.interfaces.host.subscribing import begin, end
from connector.runtime.poll import START
from connector.store import cursors, deliveries, subscriptions
from connector.store.subscriptions import ACTIVE, Subscription

FIELDS = {
    "trigger": str,
    "inputs": dict,
    "target_url": str,
    "start": str,
    "name": str,
    "takeover": bool,
    "pass_on": bool,
}


class Subscriptions:
    """Begins, shows and ends them; replays what was not taken."""

    def __init__(self, parts: HostParts) -> None:
        self._parts = parts
        self._context = parts.state.context

    def routes(self) -> list[Route]:
        """The routes."""
        return [
            route("/v1/subscriptions", "POST", self.create),
            route("/v1/subscriptions", "GET", self.listed),
            route("/v1/subscriptions/{id}", "GET", self.one),
            route("/v1/subscriptions/{id}", "DELETE", self.end),
            route("/v1/subscriptions/{id}/deliveries", "GET", self.deliveries),
            route("/v1/subscriptions/{id}/deliveries/{delivery}/replay", "POST", self.replay),
        ]

    async def create(self, request: Request) -> Answer:
        """Begins a subscription. Its secret is in this answer and never shown again."""
        caller = self._parts.caller(request)
        body = await read_object(request, FIELDS)
        wish = SubscriptionRequest(
            trigger=required(body, "trigger"),
            inputs=body.get("inputs", {}),
            target_url=required(body, "target_url"),
            start=body.get("start", START),
            name=body.get("name"),
        )
        created, secret = await begin(
            self._parts, caller, wish, takeover=body.get("takeover", False), pass_on=body.get("pass_on", False)
        )
        document = {"ok": True, "id": created.id, "secret": secret, "credential_id": created.credential_id}
        location = {"location": f"/v1/subscriptions/{created.id}", "cache-control": "no-store"}
        return answer(document, 201, location)

    async def listed(self, request: Request) -> Answer:
        """All subscriptions, ended ones too."""
        found = await self._context.read(subscriptions.listed)
        return answer({"ok": True, "subscriptions": [shown_subscription(one) for one in found]})

    async def one(self, request: Request) -> Answer:
        """One subscription, with its place in the list that it polls."""
        found = await self._found(request)

        def look(connection: Connection) -> dict[str, Any]:
            return shown_place(cursors.get(connection, found.cursor_name) if found.cursor_name else None)

        place = await self._context.read(look)
        return answer({"ok": True, "subscription": {**shown_subscription(found), **place}})

    async def end(self, request: Request) -> Answer:
        """Ends a subscription; what still waits for it is not delivered."""
        found = await self._found(request)
        ended = await end(self._parts.state, found, "by caller")
        return answer({"ok": True, "id": found.id, "ended": ended})

    async def deliveries(self, request: Request) -> Answer:
        """The latest hundred deliveries of a subscription."""
        found = await self._found(request)
        listed = await self._context.read(lambda connection: list(deliveries.listed(connection, found.id)))
        return answer({"ok": True, "deliveries": [shown_delivery(one) for one in listed]})

    async def replay(self, request: Request) -> Answer:
        """Delivers something again from the start."""
        found = await self._found(request)
        text = request.path_params["delivery"]
        number = int(text) if text.isascii() and text.isdecimal() and len(text) <= 18 else 0
        delivery = await self._context.read(lambda connection: deliveries.get(connection, number))
        if delivery is None or delivery.subscription_id != found.id:
            remedy = say("host_delivery_unknown_remedy", id=found.id)
            raise NotFound(say("host_delivery_unknown", id=text[:40]), remedy=remedy, outcome="not_sent")
        if found.state != ACTIVE:
            raise Conflict(say("host_subscription_ended"), remedy=say("host_subscription_ended_remedy"))
        now = self._context.now()
        if not await self._context.write(lambda connection: deliveries.replay(connection, number, now)):
            raise Conflict(say("host_delivery_waiting", id=number), remedy=say("host_hook_remedy"))
        self._context.wake()
        return answer({"ok": True, "id": str(number), "replayed": True}, 202)

    async def _found(self, request: Request) -> Subscription:
        id = request.path_params["id"]
        found = await self._context.read(lambda connection: subscriptions.get(connection, id))
        if found is None:
            message, remedy = say("subscription_unknown", id=id[:40]), say("host_subscription_unknown_remedy")
            raise NotFound(message, remedy=remedy, outcome="not_sent")
        return found
