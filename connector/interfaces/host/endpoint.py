"""Makes a route of an operation and its handler; exceptions become problem+json responses."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from connector.core.callers import ACTOR, Actor, Invoker, Role, check_role, current_source, set_source
from connector.core.errors import KontorError, RightMissing
from connector.core.messages import say
from connector.interfaces.host.in_flight import CURRENT_REQUEST
from connector.interfaces.host.responses import error_response, unexpected_error_response
from connector.operations.operation import Operation

Handler = Callable[[Request], Awaitable[Response]]


NO_STORE = {"cache-control": "no-store"}


class OperationRoute(Route):
    """A route that says which operation it is."""

    operation: Operation[...]


def route(operation: Operation[...], handler: Handler) -> OperationRoute:
    """Return the route of an operation: it checks the role before anything is read, and turns errors into answers."""

    async def respond(request: Request) -> Response:
        name_route(operation.path)
        try:
            if operation.role is not None:
                set_source(replace(current_source(), where=f"{request.method} {operation.path}"))
                _check(actor_of(request), operation.role, operation.host_wide)
            return await handler(request)
        except Exception as error:
            return response_to(error)

    created = OperationRoute(operation.path, respond, methods=[operation.method], name=operation.address)
    created.operation = operation
    return created


def name_route(path: str) -> None:
    """Note the path pattern of the current request for logs."""
    in_flight = CURRENT_REQUEST.get()
    if in_flight is not None:
        in_flight.route = path


def response_to(error: Exception) -> Response:
    """Return the response to an exception, unless nobody is there to receive one."""
    if isinstance(error, KontorError):
        return error_response(error)
    if isinstance(error, ClientDisconnect):
        raise error
    return unexpected_error_response(error)


def actor_of(request: Request) -> Actor:
    """Return who sends the request, as the middleware found out by the token."""
    actor: Actor = request.scope[ACTOR]
    return actor


def invoker_of(request: Request, callback_url: str | None = None) -> Invoker:
    """Return by whom, and from where, a request has an action run."""
    return Invoker("http", current_source().origin, actor_of(request), callback_url=callback_url)


def _check(actor: Actor, role: Role, host_wide: bool) -> None:
    check_role(actor, role)
    if host_wide and actor.workspace is not None:
        remedy = say("host_wide_needed_remedy")
        raise RightMissing(say("host_wide_needed", name=actor.name), remedy=remedy, outcome="not_sent")
