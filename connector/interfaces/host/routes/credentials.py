"""The credentials behind subscriptions: listed without their keys, given a new key, revoked."""

from __future__ import annotations

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.routing import Route

from connector.core.errors import NotFound
from connector.core.messages import say
from connector.interfaces.host.answers import Answer, answer
from connector.interfaces.host.caller import Caller
from connector.interfaces.host.endpoint import route
from connector.interfaces.host.parts import HostParts
from connector.interfaces.host.stored_shown import shown_credential
from connector.interfaces.host.subscribing import revoke
from connector.store import credentials, subscriptions
from connector.store.credentials import CredentialInfo


class Credentials:
    """CredentialInfo keys are sealed; no route shows one."""

    def __init__(self, parts: HostParts) -> None:
        self._parts = parts
        self._context = parts.state.context

    def routes(self) -> list[Route]:
        """The routes."""
        return [
            route("/v1/credentials", "GET", self.listed),
            route("/v1/credentials/{id}", "PUT", self.rotate),
            route("/v1/credentials/{id}", "DELETE", self.revoke),
        ]

    async def listed(self, request: Request) -> Answer:
        """All credentials that subscriptions use or used."""

        def look(connection: Connection) -> list[tuple[CredentialInfo, int]]:
            return [(one, len(subscriptions.active(connection, one.id))) for one in credentials.listed(connection)]

        found = await self._context.read(look)
        return answer({"ok": True, "credentials": [shown_credential(one, active) for one, active in found]})

    async def rotate(self, request: Request) -> Answer:
        """Puts the key of `x-api-key` in place of the kept one, once the service has accepted it."""
        kept = await self._found(request)
        caller = self._parts.caller(request)._replace(base_url=kept.base_url, quelle=kept.quelle)
        async with self._parts.sessions.of(caller) as session:
            await session.test()
        await self._replace(kept, caller)
        self._context.wake()
        return answer({"ok": True, "id": kept.id, "rotated": True})

    async def _replace(self, kept: CredentialInfo, caller: Caller) -> None:
        vault = self._parts.state.vault
        await self._context.write(
            lambda connection: credentials.rotate(connection, vault, kept.id, caller.api_key.strip())
        )

    async def revoke(self, request: Request) -> Answer:
        """Ends every subscription of a credential, and its use."""
        kept = await self._found(request)
        ended = await revoke(self._context, kept.id)
        return answer({"ok": True, "id": kept.id, "revoked": True, "ended_subscriptions": ended})

    async def _found(self, request: Request) -> CredentialInfo:
        id = request.path_params["id"]
        listed = await self._context.read(credentials.listed)
        found = next((one for one in listed if one.id == id), None)
        if found is None:
            message, remedy = say("credential_unknown", id=id[:40]), say("host_credential_unknown_remedy")
            raise NotFound(message, remedy=remedy, outcome="not_sent")
        return found
