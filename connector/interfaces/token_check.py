"""Finds out who presents a token: the host's own token, or one that an admin has created."""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from cachetools import TTLCache

from connector.core.roles import Actor
from connector.store import tokens
from connector.store.tokens import Token

if TYPE_CHECKING:
    from connector.store import Database

HOST = Actor("host", "admin")
"""Whoever presents the token of the host itself: the first admin."""
CACHED_SECONDS = 2.0
"""How long a token is taken as it was read: a revocation by another process takes effect that late."""
MAX_CACHED = 4096
USE_SECONDS = 60.0
"""The last use of a token is recorded at most this often."""

Read = Callable[[Callable[[Any], Token | None]], Awaitable[Token | None]]


class TokenCheck:
    """The tokens of one host, cached for moments, so that an ordinary request reads nothing."""

    def __init__(self, host_token: str, database: Database, read: Read, now: Callable[[], datetime]) -> None:
        self._host_digest = tokens.digest(host_token)
        self._database, self._read, self._now = database, read, now
        self._cached: TTLCache[str, Token] = TTLCache(MAX_CACHED, CACHED_SECONDS)
        self._recorded: TTLCache[str, None] = TTLCache(MAX_CACHED, USE_SECONDS)

    def known(self, text: str) -> Actor | None:
        """Return who presents this token, if that is known without asking the database: the way of most requests."""
        digest = tokens.digest(text)
        if hmac.compare_digest(digest, self._host_digest):
            return HOST
        return self._admit(digest, self._cached.get(digest))

    async def actor_of(self, text: str) -> Actor | None:
        """Return who presents this token; None when it is unknown, revoked or expired."""
        known = self.known(text)
        if known is not None or not text.startswith(tokens.PREFIX):
            return known
        digest = tokens.digest(text)
        token = await self._read(lambda connection: tokens.find(connection, digest))
        if token is not None:
            self._cached[digest] = token
        return self._admit(digest, token)

    def _admit(self, digest: str, token: Token | None) -> Actor | None:
        if token is None or not token.is_valid(self._now()):
            return None
        self._record_use(digest)
        return token.actor

    def forget(self) -> None:
        """Read all tokens anew, after one was revoked."""
        self._cached.clear()

    def _record_use(self, digest: str) -> None:
        if digest not in self._recorded:
            self._recorded[digest] = None
            at = self._now().timestamp()
            self._database.write_later(lambda connection: tokens.record_use(connection, {digest: at}))
