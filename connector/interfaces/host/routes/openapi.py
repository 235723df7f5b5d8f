"""Route for the host's OpenAPI document, built once."""

from __future__ import annotations

from functools import cached_property

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from connector.core.values import json
from connector.export.openapi.host.document import document
from connector.interfaces.host.endpoint import route
from connector.interfaces.host_state import HostState


class OpenApiRoutes:
    """`/openapi.json`."""

    def __init__(self, state: HostState) -> None:
        self._state = state

    def routes(self) -> list[Route]:
        """Return the route."""
        return [route("/openapi.json", "GET", self.show, "viewer")]

    async def show(self, request: Request) -> Response:
        """Return the OpenAPI document."""
        return Response(self._document_json, media_type="application/json")

    @cached_property
    def _document_json(self) -> bytes:
        return json.encode_clean(document(self._state.connector, self._state.public_url))
