"""Makes a route of a plain function: what it raises becomes a problem document."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.requests import ClientDisconnect, Request
from starlette.routing import Route

from connector.core.errors import KontorError
from connector.interfaces.host.answers import Answer
from connector.interfaces.host.door import refused, unexpected
from connector.interfaces.host.under_way import REQUEST

Handler = Callable[[Request], Awaitable[Answer]]


def route(path: str, method: str, handler: Handler) -> Route:
    """One route."""
    return Route(path, endpoint(path, handler), methods=[method], name=f"{method} {path}")


def endpoint(path: str, handler: Handler) -> Handler:
    """Answers in every case. The path's pattern, not its address, is what logs and metrics name."""

    async def answering(request: Request) -> Answer:
        under_way = REQUEST.get()
        if under_way is not None:
            under_way.route = path
        try:
            return await handler(request)
        except KontorError as error:
            return refused(error)
        except ClientDisconnect:
            raise
        except Exception as error:
            return unexpected(error)

    return answering
