"""Routes for webhook subscriptions and their deliveries."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from connector.core.call_source import current_source
from connector.core.errors import NotFound
from connector.core.messages import say
from connector.core.roles import ROLE_TO_MOVE, check_role
from connector.durable import subscription_changes
from connector.durable.outbox.trial_event import send_test_event
from connector.durable.sending.address import check_target
from connector.durable.subscribe import SubscriptionRequest
from connector.durable.subscription_health import health_of
from connector.interfaces.host.endpoint import actor_of, route
from connector.interfaces.host.errors import Conflict
from connector.interfaces.host.json_response import json_response
from connector.interfaces.host.request_parsing import idempotency_key, read_object, required
from connector.interfaces.host.services import HostServices
from connector.interfaces.host.store_serializers import cursor_json, delivery_json, health_json, subscription_json
from connector.interfaces.host.subscribing import create_subscription
from connector.interfaces.subscription_end import end_subscription
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


class SubscriptionRoutes:
    """Creates, lists, pauses, tests and ends subscriptions; replays deliveries."""

    def __init__(self, services: HostServices) -> None:
        self._services = services
        self._context = services.state.context

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            route("/v1/subscriptions", "POST", self.create, "operator"),
            route("/v1/subscriptions", "GET", self.listed, "viewer"),
            route("/v1/subscriptions/{id}", "GET", self.one, "viewer"),
            route("/v1/subscriptions/{id}", "DELETE", self.end, "operator"),
            route("/v1/subscriptions/{id}/secret", "POST", self.replace_secret, "operator"),
            route("/v1/subscriptions/{id}/pause", "POST", self.pause, "operator"),
            route("/v1/subscriptions/{id}/resume", "POST", self.resume, "operator"),
            route("/v1/subscriptions/{id}/test", "POST", self.test, "operator"),
            route("/v1/subscriptions/{id}/target", "PUT", self.change_target, "operator"),
            route("/v1/subscriptions/{id}/deliveries", "GET", self.deliveries, "viewer"),
            route("/v1/subscriptions/{id}/deliveries/{delivery}/replay", "POST", self.replay, "operator"),
        ]

    async def create(self, request: Request) -> Response:
        """Create a subscription, or return the one that an equal request has created; only here its secret is shown."""
        caller = await self._services.caller(request)
        body = await read_object(request, FIELDS)
        if body.get("takeover"):  # it replaces the webhook URL of somebody else
            check_role(actor_of(request), ROLE_TO_MOVE["webhook_url"])
        wish = SubscriptionRequest(
            trigger=required(body, "trigger"),
            inputs=body.get("inputs", {}),
            target_url=required(body, "target_url"),
            start=body.get("start", START),
            name=body.get("name"),
            key=idempotency_key(request),
        )
        created, secret, existing = await create_subscription(
            self._services, caller, wish, takeover=body.get("takeover", False), pass_on=body.get("pass_on", False)
        )
        document = {"ok": True, "id": created.id, "secret": secret, "credential_id": created.credential_id}
        document["existing"] = existing
        location = {"location": f"/v1/subscriptions/{created.id}", "cache-control": "no-store"}
        return json_response(document, 201, location)

    async def listed(self, request: Request) -> Response:
        """List the subscriptions of the workspace, including ended ones."""
        workspace = await self._services.workspace(request)
        found = await self._context.read(lambda connection: subscriptions.listed(connection, workspace))
        return json_response({"ok": True, "subscriptions": [subscription_json(one) for one in found]})

    async def one(self, request: Request) -> Response:
        """Show one subscription with its cursor."""
        _, found = await self._found(request)

        def read_state(connection: Connection) -> dict[str, Any]:
            cursor = cursors.get(connection, found.cursor_name) if found.cursor_name else None
            health = health_of(connection, self._services.state.connector.triggers, found)
            return {**cursor_json(cursor), "health": health_json(health)}

        state = await self._context.read(read_state)
        return json_response({"ok": True, "subscription": {**subscription_json(found), **state}})

    async def end(self, request: Request) -> Response:
        """End a subscription and drop its pending deliveries."""
        _, found = await self._found(request)
        ended = await end_subscription(self._services.state, found, "by caller")
        return json_response({"ok": True, "id": found.id, "ended": ended})

    async def replace_secret(self, request: Request) -> Response:
        """Replace the secret; only here the new one is shown. For a day deliveries carry both signatures."""
        _, found = await self._found(request)
        now, by, vault = self._context.now(), current_source(), self._services.state.vault
        change = subscription_changes.replace_secret
        document = await self._context.write(lambda connection: change(connection, vault, by, found.id, now))
        if document is None:
            raise Conflict(say("host_subscription_ended"), remedy=say("host_subscription_ended_remedy"))
        return json_response(document, headers={"cache-control": "no-store"})

    async def pause(self, request: Request) -> Response:
        """Let the deliveries of a subscription wait; polls and events go on."""
        found = await self._running(request)
        now, by, pause = self._context.now(), current_source(), subscription_changes.pause
        paused = await self._context.write(lambda connection: pause(connection, by, found.id, now))
        return json_response({"ok": True, "id": found.id, "paused": paused})

    async def resume(self, request: Request) -> Response:
        """Send the deliveries that wait, the oldest at once."""
        found = await self._running(request)
        now, by, resume = self._context.now(), current_source(), subscription_changes.resume
        resumed = await self._context.write(lambda connection: resume(connection, by, found.id, now))
        self._context.wake()
        return json_response({"ok": True, "id": found.id, "resumed": resumed})

    async def test(self, request: Request) -> Response:
        """Send a test event at once, marked and signed; it is no delivery."""
        attempt = await send_test_event(self._context, current_source(), await self._running(request))
        answer = {"accepted": attempt.delivered, "status": attempt.status, "error": attempt.error}
        return json_response({"ok": True, **answer})

    async def change_target(self, request: Request) -> Response:
        """Send to another URL from now on, what waits included."""
        found, body = await self._running(request), await read_object(request, {"target_url": str})
        target = check_target(
            required(body, "target_url"), inbox=True, allow_private=self._context.allow_private_targets
        )
        now, by, change = self._context.now(), current_source(), subscription_changes.change_target
        if not await self._context.write(lambda connection: change(connection, by, found.id, target, now)):
            raise Conflict(say("subscription_target_taken"), remedy=say("subscription_target_taken_remedy"))
        self._context.wake()
        return json_response({"ok": True, "id": found.id, "changed": True})

    async def deliveries(self, request: Request) -> Response:
        """List the latest 100 deliveries of a subscription."""
        workspace, found = await self._found(request)
        listed = await self._context.read(lambda connection: list(deliveries.listed(connection, workspace, found.id)))
        return json_response({"ok": True, "deliveries": [delivery_json(one) for one in listed]})

    async def replay(self, request: Request) -> Response:
        """Queue a delivery again, with a new series of attempts."""
        workspace, found = await self._found(request)
        text = request.path_params["delivery"]
        number = int(text) if text.isascii() and text.isdecimal() and len(text) <= 18 else 0
        delivery = await self._context.read(lambda connection: deliveries.find(connection, workspace, number))
        if delivery is None or delivery.subscription_id != found.id:
            remedy = say("host_delivery_unknown_remedy", id=found.id)
            raise NotFound(say("host_delivery_unknown", id=text[:40]), remedy=remedy, outcome="not_sent")
        _check_running(found)
        now, by = self._context.now(), current_source()
        replay = subscription_changes.replay
        if not await self._context.write(lambda connection: replay(connection, by, workspace, number, now)):
            raise Conflict(say("host_delivery_waiting", id=number), remedy=say("host_hook_remedy"))
        self._context.wake()
        return json_response({"ok": True, "id": str(number), "replayed": True}, 202)

    async def _running(self, request: Request) -> Subscription:
        _, found = await self._found(request)
        _check_running(found)
        return found

    async def _found(self, request: Request) -> tuple[str, Subscription]:
        id, workspace = request.path_params["id"], await self._services.workspace(request)
        found = await self._context.read(lambda connection: subscriptions.find(connection, workspace, id))
        if found is None:
            message, remedy = say("subscription_unknown", id=id[:40]), say("host_subscription_unknown_remedy")
            raise NotFound(message, remedy=remedy, outcome="not_sent")
        return workspace, found


def _check_running(found: Subscription) -> None:
    if found.state != ACTIVE:
        raise Conflict(say("host_subscription_ended"), remedy=say("host_subscription_ended_remedy"))
