"""Finds out who presents a token, and slows down whoever tries many wrong ones."""

from __future__ import annotations

import hmac
import time
from collections import deque
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from cachetools import LRUCache, TTLCache

from connector.core.callers import Actor
from connector.store.trust import tokens
from connector.store.trust.tokens import Token

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
WINDOW_SECONDS = 60.0
MAX_ADDRESSES = 10_000


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


class LoginThrottle:
    """Counts failed attempts by address."""

    def __init__(self, most: int, now: Callable[[], float] = time.monotonic) -> None:
        """`most`: failures in a minute that are answered as usual."""
        self._most, self._now = most, now
        self._failures: LRUCache[str, deque[float]] = LRUCache(MAX_ADDRESSES)

    def seconds_to_wait(self, address: str) -> float:
        """Return how long the address has to wait; 0 when it may try."""
        failures = self._failures.get(address)
        if not failures or len(failures) < self._most:
            return 0.0
        return max(0.0, failures[0] + WINDOW_SECONDS - self._now())

    def failed(self, address: str) -> None:
        """Count a failure."""
        self._failures.setdefault(address, deque(maxlen=self._most)).append(self._now())
