"""Routes for the stored credentials of subscriptions: list, rotate the key, revoke."""

from __future__ import annotations

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from connector.core.errors import NotFound
from connector.core.messages import say
from connector.durable.workspace_keys import replace_key, revoke_credential
from connector.interfaces.host.caller import caller_from_headers, key_missing
from connector.interfaces.host.endpoint import actor_of, route
from connector.interfaces.host.json_response import json_response
from connector.interfaces.host.services import HostServices
from connector.interfaces.host.store_serializers import credential_json
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
            route("/v1/credentials", "GET", self.listed, "admin"),
            route("/v1/credentials/{id}", "PUT", self.rotate, "admin"),
            route("/v1/credentials/{id}", "DELETE", self.revoke, "admin"),
        ]

    async def listed(self, request: Request) -> Response:
        """List the credentials of the workspace, of current and ended subscriptions."""
        workspace = await self._services.workspace(request)

        def read_all(connection: Connection) -> list[tuple[CredentialInfo, int]]:
            found = credentials.listed(connection, workspace)
            return [(one, len(subscriptions.active(connection, one.id))) for one in found]

        found = await self._context.read(read_all)
        return json_response({"ok": True, "credentials": [credential_json(one, active) for one, active in found]})

    async def rotate(self, request: Request) -> Response:
        """Replace the stored key by the one in `x-api-key`, after the service has accepted it for this workspace."""
        kept = await self._found(request, actor_of(request).workspace)
        new = caller_from_headers(request.headers, self._services.state.settings)
        if not new.api_key:
            raise key_missing()
        await replace_key(self._context, kept.id, new.api_key)
        self._services.callers.forget()
        self._context.wake()
        return json_response({"ok": True, "id": kept.id, "rotated": True})

    async def revoke(self, request: Request) -> Response:
        """Revoke a credential, erase its key and end its subscriptions."""
        kept = await self._found(request, await self._services.workspace(request))
        ended = await revoke_credential(self._context, kept.id)
        self._services.callers.forget()
        return json_response({"ok": True, "id": kept.id, "revoked": True, "ended_subscriptions": ended})

    async def _found(self, request: Request, workspace: str | None) -> CredentialInfo:
        id = request.path_params["id"]
        found = await self._context.read(lambda connection: credentials.find(connection, workspace, id))
        if found is None:
            message, remedy = say("credential_unknown", id=id[:40]), say("host_credential_unknown_remedy")
            raise NotFound(message, remedy=remedy, outcome="not_sent")
        return found
