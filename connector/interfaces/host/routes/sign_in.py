"""Routes by which people get in and out: sign in, accept an invitation, sign out. The first two are open to anybody."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from connector.core.callers import current_source
from connector.interfaces.host.endpoint import NO_STORE, route
from connector.interfaces.host.guards.requests import address_of
from connector.interfaces.host.responses import json_response
from connector.interfaces.host.routes.request_parsing import read_object, required
from connector.interfaces.host.services import HostServices
from connector.interfaces.sign_in import InvitationForAnother, SignedIn, SignInRefused
from connector.operations import invitations

SMALL_BODY = 4096
BEARER = "bearer "


class SignInRoutes:
    """Lets people in, and out."""

    def __init__(self, services: HostServices) -> None:
        self._services = services
        self._sign_in = services.state.sign_in

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            route(invitations.sign_in, self.enter),
            route(invitations.accept_invitation, self.accept),
            route(invitations.sign_out, self.leave),
        ]

    async def enter(self, request: Request) -> Response:
        """Sign in by name and passphrase."""
        if _is_empty(request):
            raise SignInRefused
        given = await read_object(request, {"name": str, "passphrase": str, "workspace": str}, SMALL_BODY)
        name, passphrase = required(given, "name"), required(given, "passphrase")
        address = address_of(request.scope)
        signed_in = await self._sign_in.by_passphrase(
            name, passphrase, given.get("workspace"), address, current_source()
        )
        return _answer(signed_in)

    async def accept(self, request: Request) -> Response:
        """Accept an invitation; whoever presents a token already accepts for nobody else."""
        if _is_empty(request):
            raise SignInRefused
        given = await read_object(request, {"invitation": str, "passphrase": str}, SMALL_BODY)
        code, passphrase = required(given, "invitation"), required(given, "passphrase")
        if request.headers.get("authorization"):
            raise InvitationForAnother
        return _answer(await self._sign_in.accept(code, passphrase, address_of(request.scope), current_source()))

    async def leave(self, request: Request) -> Response:
        """End the sign-in that is presented; a token stays."""
        await self._sign_in.end(request.headers.get("authorization", "")[len(BEARER) :].strip())
        return json_response({"ok": True})


def _is_empty(request: Request) -> bool:
    """Whether nothing was sent: a stranger without anything to present is told what every route tells one."""
    return request.headers.get("content-length", "0") == "0" and "transfer-encoding" not in request.headers


def _answer(signed_in: SignedIn) -> Response:
    actor = signed_in.actor
    document = {"ok": True, "token": signed_in.token, "person": actor.person}
    return json_response({**document, "role": actor.role, "workspace": actor.workspace}, 200, NO_STORE)
