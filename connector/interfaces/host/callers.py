"""Who calls: with which API key and in which workspace a request works, and the open sessions of callers.

A token of a workspace works with the key that the workspace holds, or with another key of the same workspace. A token
of the whole host works with the key that the request carries, in that key's workspace.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import time
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple

from cachetools import TTLCache
from sqlalchemy import Connection
from starlette.datastructures import Headers
from starlette.requests import Request

from connector.client import KeyState
from connector.core import limits
from connector.core.callers import Actor
from connector.core.errors import InputError, KeyRefused, RightMissing
from connector.core.messages import say
from connector.core.service.credential import Credential
from connector.interfaces.host.endpoint import actor_of
from connector.interfaces.host.in_flight import CURRENT_REQUEST
from connector.interfaces.host_state import HostSettings, HostState
from connector.operations.operation import BadRequest
from connector.runtime.connector import Connector
from connector.runtime.session import AsyncSession
from connector.store.runs import runs
from connector.store.trust import credentials, workspaces

MAX_LABEL_LENGTH = 100
NOWHERE = ""
"""The workspace of a key that is unknown here: nothing belongs to it."""
CACHED_SECONDS = 2.0
MAX_CACHED = 1024
log = logging.getLogger("kontor.host")
SWEEP_SECONDS = 30.0


class Caller(NamedTuple):
    """Unchecked credential values, and the flow whose budget pays."""

    base_url: str
    api_key: str
    quelle: str
    flow: str

    @property
    def pool_key(self) -> tuple[str, str, str]:
        """Key of the session pool; contains a hash instead of the API key."""
        secret = f"{self.base_url}\n{self.api_key}".encode("utf-8", "surrogatepass")
        return hashlib.sha256(secret).hexdigest(), self.quelle, self.flow

    def credential(self, settings: HostSettings) -> Credential:
        """Return the validated credential."""
        try:
            return Credential(self.base_url, self.api_key, self.quelle, settings.wire)
        except InputError as error:
            if error.field == "api_key":
                raise KeyRefused(error.message, remedy=say("host_key_remedy"), outcome="not_sent") from None
            raise


def caller_from_headers(headers: Headers, settings: HostSettings) -> Caller:
    """Read the caller; without `x-api-key` its API key is empty."""
    base_url = headers.get("x-kontor-base-url", "")
    if base_url and not settings.allow_base_url_header:
        remedy = say("host_base_url_closed_remedy")
        raise BadRequest(say("host_base_url_closed"), remedy=remedy, field="x-kontor-base-url")
    quelle, flow = _label(headers, "x-kontor-quelle"), _label(headers, "x-kontor-flow")
    api_key = headers.get("x-api-key", "").strip()
    if api_key and (in_flight := CURRENT_REQUEST.get()) is not None:
        in_flight.secret = api_key
    return Caller(base_url or settings.base_url, api_key, quelle or (settings.quelle if api_key else ""), flow)


def key_missing() -> KeyRefused:
    """Return the error for a request without an API key whose workspace holds none."""
    return KeyRefused(say("host_key_missing"), remedy=say("host_key_remedy"), outcome="not_sent")


def _label(headers: Headers, name: str) -> str:
    text = headers.get(name, "").strip()
    if len(text) > MAX_LABEL_LENGTH or not text.isprintable():
        message = say("host_header_invalid", name=name, most=MAX_LABEL_LENGTH)
        raise BadRequest(message, remedy=say("host_header_remedy"), field=name)
    return text


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
        known = self._state.connector.shared.workspaces_by_key.get(fingerprint)
        return known or await self._state.context.read(lambda connection: workspaces.of_key(connection, fingerprint))

    def _with(self, given: Caller, held: Credential) -> Caller:
        return Caller(held.base_url, held.api_key, given.quelle or held.quelle, given.flow)


@dataclass(slots=True, eq=False)
class _PooledSession:
    session: AsyncSession
    used_at: float
    users: int = 0
    slots: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(limits.MAX_CONCURRENT_CALLS))
    """Others queue here in order; in the client's own queue they would slow down the calls before them."""


class SessionPool:
    """The client sessions of one host, in one event loop."""

    def __init__(self, connector: Connector, settings: HostSettings) -> None:
        self._connector = connector
        self._settings = settings
        self._sessions: OrderedDict[tuple[str, str, str], _PooledSession] = OrderedDict()

    def __len__(self) -> int:
        return len(self._sessions)

    @asynccontextmanager
    async def acquire(self, caller: Caller, *, wait_for_slot: bool = True) -> AsyncIterator[AsyncSession]:
        """Yield the caller's session; with `wait_for_slot`, wait for a free concurrency slot first."""
        pool_key = caller.pool_key
        pooled = self._sessions.get(pool_key)
        if pooled is None:
            opening = self._connector.open(caller.credential(self._settings), flow=caller.flow)
            session = await opening.__aenter__()
            pooled = self._sessions.setdefault(pool_key, _PooledSession(session, time.monotonic()))
            if pooled.session is not session:  # a concurrent request opened one first
                await session.aclose()
        pooled.users += 1
        self._sessions.move_to_end(pool_key)
        try:
            if wait_for_slot:
                async with pooled.slots:
                    yield pooled.session
            else:
                yield pooled.session
        finally:
            pooled.users -= 1
            pooled.used_at = time.monotonic()
            if len(self._sessions) > self._settings.max_sessions:
                await self._close_idle(len(self._sessions) - self._settings.max_sessions)

    def key_states(self) -> dict[str, KeyState]:
        """Rate window and credits of each key, by fingerprint."""
        return {pooled.session.credential.fingerprint: pooled.session.state for pooled in self._sessions.values()}

    async def sweep(self) -> None:
        """Periodically look for writes whose outcome is unknown, and close idle sessions."""
        while True:
            await asyncio.sleep(min(SWEEP_SECONDS, self._settings.session_idle_seconds))
            await self._look_again()
            await self._close_idle(len(self._sessions), time.monotonic() - self._settings.session_idle_seconds)

    async def _look_again(self) -> None:
        try:
            database = self._connector.database
            query = partial(runs.credentials_with_unresolved, now=datetime.now(UTC))
            unresolved = await asyncio.to_thread(database.read, query)
        except Exception as error:  # the next round tries again
            log.info("unknown writes could not be read: %s", type(error).__name__)
            return
        for pooled in list(self._sessions.values()):
            if pooled.session.credential.fingerprint in unresolved:
                pooled.users += 1
                try:
                    await pooled.session.look_again()
                except Exception as error:  # the next round tries again
                    log.info("looking for unknown writes failed: %s", type(error).__name__)
                finally:
                    pooled.users -= 1

    async def _close_idle(self, limit: int, before: float = float("inf")) -> None:
        """Close up to `limit` idle sessions, least recently used first."""
        idle = [
            pool_key for pool_key, pooled in self._sessions.items() if pooled.users == 0 and pooled.used_at <= before
        ]
        for pool_key in idle[:limit]:
            await self._sessions.pop(pool_key).session.aclose()

    async def aclose(self) -> None:
        """Close all sessions."""
        pooled, self._sessions = self._sessions, OrderedDict()
        for idle in pooled.values():
            await idle.session.aclose()
