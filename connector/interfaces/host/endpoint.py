"""Wraps a handler as a route; exceptions become problem+json responses."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from connector.core.errors import KontorError
from connector.interfaces.host.error_response import error_response, unexpected_error_response
from connector.interfaces.host.in_flight import CURRENT_REQUEST

Handler = Callable[[Request], Awaitable[Response]]


def route(path: str, method: str, handler: Handler) -> Route:
    """Return a Starlette route for a handler."""
    return Route(path, endpoint(path, handler), methods=[method], name=f"{method} {path}")


def endpoint(path: str, handler: Handler) -> Handler:
    """Wrap a handler: record the path pattern for logs and metrics, and turn exceptions into responses."""

    async def respond(request: Request) -> Response:
        in_flight = CURRENT_REQUEST.get()
        if in_flight is not None:
            in_flight.route = path
        try:
            return await handler(request)
        except KontorError as error:
            return error_response(error)
        except ClientDisconnect:
            raise
        except Exception as error:
            return unexpected_error_response(error)

    return respond
