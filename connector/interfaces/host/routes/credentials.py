"""Routes for the stored credentials of subscriptions: list, rotate the key, revoke."""

from __future__ import annotations

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from connector.core.errors import NotFound
from connector.core.messages import say
from connector.interfaces.host.caller import Caller
from connector.interfaces.host.endpoint import route
from connector.interfaces.host.json_response import json_response
from connector.interfaces.host.services import HostServices
from connector.interfaces.host.store_serializers import credential_json
from connector.interfaces.host.subscribing import revoke_credential
from connector.store import credentials, subscriptions
from connector.store.credentials import CredentialInfo


class CredentialRoutes:
    """Stored keys are encrypted; no route returns one."""

    def __init__(self, services: HostServices) -> None:
        self._services = services
        self._context = services.state.context

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            route("/v1/credentials", "GET", self.listed),
            route("/v1/credentials/{id}", "PUT", self.rotate),
            route("/v1/credentials/{id}", "DELETE", self.revoke),
        ]

    async def listed(self, request: Request) -> Response:
        """List all credentials of current and ended subscriptions."""

        def read_all(connection: Connection) -> list[tuple[CredentialInfo, int]]:
            return [(one, len(subscriptions.active(connection, one.id))) for one in credentials.listed(connection)]

        found = await self._context.read(read_all)
        return json_response({"ok": True, "credentials": [credential_json(one, active) for one, active in found]})

    async def rotate(self, request: Request) -> Response:
        """Replace the stored key by the one in `x-api-key`, after the service has accepted it."""
        kept = await self._found(request)
        caller = self._services.caller(request)._replace(base_url=kept.base_url, quelle=kept.quelle)
        async with self._services.sessions.acquire(caller) as session:
            await session.test()
        await self._replace(kept, caller)
        self._context.wake()
        return json_response({"ok": True, "id": kept.id, "rotated": True})

    async def _replace(self, kept: CredentialInfo, caller: Caller) -> None:
        vault, now = self._services.state.vault, self._context.now()
        await self._context.write(
            lambda connection: credentials.rotate(connection, vault, kept.id, caller.api_key.strip(), now)
        )

    async def revoke(self, request: Request) -> Response:
        """Revoke a credential and end its subscriptions."""
        kept = await self._found(request)
        ended = await revoke_credential(self._context, kept.id)
        return json_response({"ok": True, "id": kept.id, "revoked": True, "ended_subscriptions": ended})

    async def _found(self, request: Request) -> CredentialInfo:
        id = request.path_params["id"]
        listed = await self._context.read(credentials.listed)
        found = next((one for one in listed if one.id == id), None)
        if found is None:
            message, remedy = say("credential_unknown", id=id[:40]), say("host_credential_unknown_remedy")
            raise NotFound(message, remedy=remedy, outcome="not_sent")
        return found
