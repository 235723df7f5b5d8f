"""Wraps a handler as a route: checks the role that it declares; exceptions become problem+json responses."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from connector.core.call_source import Invoker, current_source, set_source
from connector.core.errors import KontorError, RightMissing
from connector.core.messages import say
from connector.core.roles import ACTOR, Actor, Role, check_role
from connector.interfaces.host.error_response import error_response, unexpected_error_response
from connector.interfaces.host.in_flight import CURRENT_REQUEST

Handler = Callable[[Request], Awaitable[Response]]


class RoleRoute(Route):
    """A route that says which role it needs."""

    role: Role | None
    """None: open to everybody."""
    host_wide: bool
    """Whether it tells of all workspaces, so that a token of one does not do."""


def route(path: str, method: str, handler: Handler, role: Role | None, *, host_wide: bool = False) -> RoleRoute:
    """Return a Starlette route for a handler."""
    wrapped = endpoint(path, handler, role, host_wide=host_wide)
    made = RoleRoute(path, wrapped, methods=[method], name=f"{method} {path}")
    made.role, made.host_wide = role, host_wide
    return made


def endpoint(path: str, handler: Handler, role: Role | None, *, host_wide: bool = False) -> Handler:
    """Wrap a handler: check the role, record the path pattern for logs, and turn exceptions into responses."""

    async def respond(request: Request) -> Response:
        name_route(path)
        try:
            if role is not None:
                set_source(replace(current_source(), where=f"{request.method} {path}"))
                _check(actor_of(request), role, host_wide)
            return await handler(request)
        except Exception as error:
            return response_to(error)

    return respond


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
    origin = request.headers.get("x-kontor-quelle") or (request.client.host if request.client else "")
    return Invoker("http", origin, actor_of(request), callback_url=callback_url)


def _check(actor: Actor, role: Role, host_wide: bool) -> None:
    check_role(actor, role)
    if host_wide and actor.workspace is not None:
        remedy = say("host_wide_needed_remedy")
        raise RightMissing(say("host_wide_needed", name=actor.name), remedy=remedy, outcome="not_sent")
