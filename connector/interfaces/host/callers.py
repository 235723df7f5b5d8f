"""Finds out with which API key, and in which workspace, a request works.

A token of a workspace works with the key that the workspace holds, or with another key of the same workspace. A token
of the whole host works with the key that the request carries, in that key's workspace.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cachetools import TTLCache
from sqlalchemy import Connection
from starlette.requests import Request

from connector.core.credential import Credential
from connector.core.errors import RightMissing
from connector.core.messages import say
from connector.core.roles import Actor
from connector.interfaces.host.caller import Caller, caller_from_headers, key_missing
from connector.interfaces.host.endpoint import actor_of
from connector.interfaces.host.in_flight import CURRENT_REQUEST
from connector.store import credentials, workspaces

if TYPE_CHECKING:
    from connector.interfaces.host_state import HostState

NOWHERE = ""
"""The workspace of a key that is unknown here: nothing belongs to it."""
CACHED_SECONDS = 2.0
MAX_CACHED = 1024


class Callers:
    """The callers of one host; the keys that workspaces hold are cached for moments."""

    def __init__(self, state: HostState) -> None:
        self._state = state
        self._held: TTLCache[str, Credential] = TTLCache(MAX_CACHED, CACHED_SECONDS)

    async def caller(self, request: Request) -> Caller:
        """Return the caller of a request; raise when it has no key, or one that its token may not use."""
        actor, given = actor_of(request), caller_from_headers(request.headers, self._state.settings)
        if not given.api_key:
            return self._with(given, await self._held_credential(actor))
        if actor.workspace is not None:
            home = await self._workspace_of(given.credential(self._state.settings).fingerprint)
            if home != actor.workspace:
                message = say("key_elsewhere" if home else "key_not_attached")
                remedy = say("key_elsewhere_remedy" if home else "key_not_attached_remedy", workspace=actor.workspace)
                raise RightMissing(message, remedy=remedy, outcome="not_sent")
        return given

    async def workspace(self, request: Request) -> str:
        """Return the workspace whose stored objects a request may see."""
        actor = actor_of(request)
        if actor.workspace is not None:
            return actor.workspace
        caller = await self.caller(request)
        return await self._workspace_of(caller.credential(self._state.settings).fingerprint) or NOWHERE

    def forget(self) -> None:
        """Read the keys of workspaces anew, after one was changed."""
        self._held.clear()

    async def _held_credential(self, actor: Actor) -> Credential:
        if actor.workspace is None:
            own = self._state.settings.own_credential
            if own is None or not self._state.sandboxed:
                raise key_missing()
            return own
        held = self._held.get(actor.workspace)
        if held is None:
            held = await self._state.context.read(lambda connection: self._open(connection, str(actor.workspace)))
            self._held[actor.workspace] = held
        if (in_flight := CURRENT_REQUEST.get()) is not None:
            in_flight.secret = held.api_key
        return held

    def _open(self, connection: Connection, workspace: str) -> Credential:
        chosen = credentials.chosen(connection, workspace)
        if chosen is None:
            raise key_missing()
        return credentials.open_credential(connection, self._state.vault, chosen.id)

    async def _workspace_of(self, fingerprint: str) -> str | None:
        known = self._state.connector.workspaces_by_key.get(fingerprint)
        return known or await self._state.context.read(lambda connection: workspaces.of_key(connection, fingerprint))

    def _with(self, given: Caller, held: Credential) -> Caller:
        return Caller(held.base_url, held.api_key, given.quelle or held.quelle, given.flow)
