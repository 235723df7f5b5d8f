"""Routes for the audit log."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from connector.core.messages import say
from connector.interfaces import audit_log
from connector.interfaces.host.endpoint import actor_of, route
from connector.interfaces.host.errors import BadRequest
from connector.interfaces.host.json_response import json_response
from connector.interfaces.host.services import HostServices

NO_STORE = {"cache-control": "no-store"}


class AuditRoutes:
    """An admin of a workspace sees its entries; one of the whole host sees all, or names a workspace."""

    def __init__(self, services: HostServices) -> None:
        self._context = services.state.context

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            route("/v1/audit", "GET", self.entries, "admin"),
            route("/v1/audit/verify", "GET", self.verify, "admin"),
        ]

    async def entries(self, request: Request) -> Response:
        """Return a page of entries."""
        given = _given(request, ("workspace", "after", "limit"))
        text = given.pop("limit", str(audit_log.MAX_PAGE))
        limit = int(text) if text.isascii() and text.isdecimal() and len(text) <= 9 else 0
        document = await audit_log.entries(self._context, actor_of(request), **given, limit=limit)
        return json_response(document, headers=NO_STORE)

    async def verify(self, request: Request) -> Response:
        """Say whether anybody has changed the log."""
        given = _given(request, ("workspace", "anchor"))
        return json_response(await audit_log.verify(self._context, actor_of(request), **given), headers=NO_STORE)


def _given(request: Request, names: tuple[str, ...]) -> dict[str, str]:
    unknown = [name for name in request.query_params if name not in names]
    if unknown:
        raise BadRequest(say("host_field_unknown", name=unknown[0][:64]), field=unknown[0][:64])
    return {name: value for name in names if (value := request.query_params.get(name))}
