"""Routes for admins: workspaces, their API keys, policies and tokens."""

from __future__ import annotations

from datetime import UTC, datetime

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from connector.core.messages import say
from connector.interfaces import administration, approving
from connector.interfaces.host.caller import Caller, caller_from_headers, key_missing
from connector.interfaces.host.endpoint import actor_of, route
from connector.interfaces.host.errors import BadRequest
from connector.interfaces.host.json_response import json_response
from connector.interfaces.host.request_parsing import read_document, read_object, required
from connector.interfaces.host.services import HostServices

TOKEN_FIELDS = {"name": str, "role": str, "person": str, "workspace": str, "expires_at": str, "agent": bool}
NO_STORE = {"cache-control": "no-store"}


class AdministrationRoutes:
    """An admin of a workspace manages that workspace; one of the whole host names any."""

    def __init__(self, services: HostServices) -> None:
        self._services = services
        self._context = services.state.context

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            route("/v1/workspaces", "GET", self.list_workspaces, "admin"),
            route("/v1/workspaces", "POST", self.create_workspace, "admin", host_wide=True),
            route("/v1/keys", "POST", self.add_key, "admin"),
            route("/v1/keys", "PUT", self.replace_key, "admin"),
            route("/v1/keys", "DELETE", self.revoke_key, "admin"),
            route("/v1/hooks/rotate", "POST", self.rotate_hooks, "admin"),
            route("/v1/tokens", "GET", self.list_tokens, "admin"),
            route("/v1/tokens", "POST", self.create_token, "admin"),
            route("/v1/tokens", "DELETE", self.revoke_token, "admin"),
            route("/v1/tokens/{name}", "DELETE", self.revoke_token, "admin"),
            route("/v1/policy", "GET", self.show_policy, "admin"),
            route("/v1/policy", "PUT", self.set_policy, "admin"),
        ]

    async def list_workspaces(self, request: Request) -> Response:
        """List the workspaces that the caller may see."""
        return json_response(await administration.list_workspaces(self._context, actor_of(request)))

    async def create_workspace(self, request: Request) -> Response:
        """Create a workspace."""
        body = await read_object(request, {"name": str})
        return json_response(await administration.create_workspace(self._context, required(body, "name")), 201)

    async def add_key(self, request: Request) -> Response:
        """Keep the API key in `x-api-key` for a workspace, after the service has accepted it."""
        credential = self._given(request).credential(self._services.state.settings)
        document = await administration.add_workspace_key(
            self._context, actor_of(request), credential, _workspace(request)
        )
        self._services.callers.forget()
        return json_response(document, 201)

    async def replace_key(self, request: Request) -> Response:
        """Replace the API key of a workspace by the one in `x-api-key`."""
        api_key = self._given(request).api_key
        document = await administration.replace_workspace_key(
            self._context, actor_of(request), api_key, _workspace(request)
        )
        self._services.callers.forget()
        self._context.wake()
        return json_response(document)

    async def revoke_key(self, request: Request) -> Response:
        """Erase the API key of a workspace, and end its subscriptions."""
        document = await administration.revoke_workspace_key(self._context, actor_of(request), _workspace(request))
        self._services.callers.forget()
        return json_response(document)

    async def rotate_hooks(self, request: Request) -> Response:
        """Replace the token in the webhook URL of a workspace."""
        return json_response(
            await administration.rotate_hook_tokens(self._context, actor_of(request), _workspace(request))
        )

    async def list_tokens(self, request: Request) -> Response:
        """List tokens, with their last use."""
        return json_response(await administration.list_tokens(self._context, actor_of(request), _workspace(request)))

    async def create_token(self, request: Request) -> Response:
        """Create a token; only here it is shown."""
        body = await read_object(request, TOKEN_FIELDS)
        document = await administration.create_token(
            self._context,
            actor_of(request),
            name=required(body, "name"),
            role=required(body, "role"),
            person=body.get("person", ""),
            workspace=body.get("workspace"),
            expires_at=_time(body["expires_at"]) if "expires_at" in body else None,
            agent=body.get("agent", False),
        )
        return json_response(document, 201, NO_STORE)

    async def revoke_token(self, request: Request) -> Response:
        """Revoke a token by its name; it works no more at once."""
        name = request.path_params.get("name") or request.query_params.get("name")
        if not name:
            raise BadRequest(say("host_field_missing", name="name"), field="name")
        document = await administration.revoke_token(self._context, actor_of(request), name, _workspace(request))
        self._services.state.tokens.forget()
        return json_response(document)

    async def show_policy(self, request: Request) -> Response:
        """Show what the workspace allows."""
        return json_response(await approving.show_policy(self._context, actor_of(request), _workspace(request)))

    async def set_policy(self, request: Request) -> Response:
        """Change what the workspace allows; what is not named stays as it is."""
        given = await read_document(request)
        document = await approving.set_policy(self._context, actor_of(request), given, _workspace(request))
        return json_response(document)

    def _given(self, request: Request) -> Caller:
        given = caller_from_headers(request.headers, self._services.state.settings)
        if not given.api_key:
            raise key_missing()
        return given


def _workspace(request: Request) -> str | None:
    return request.query_params.get("workspace") or None


def _time(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise BadRequest(say("host_time_invalid"), field="expires_at") from None
