"""The console's sessions, kept on the server: a cookie only names one, and signing out ends it."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from cachetools import LRUCache

from connector.core.callers import Actor
from connector.interfaces.console.console_context import ConsoleContext
from connector.store.database.errors import is_outage

COOKIE_NAME = "kontor_console"
MAX_AGE_SECONDS = 12 * 3600.0
IDLE_SECONDS = 2 * 3600.0
MAX_SESSIONS = 1000


@dataclass(eq=False)
class LoginSession:
    """One signed-in browser."""

    console: ConsoleContext
    token: str | None = field(repr=False)
    """The token that was presented; None after a one-time link, which stands for the host's own."""
    began: float
    used: float
    ended: bool = False


class LoginSessions:
    """The signed-in browsers of one host. They end with the process."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._sessions: LRUCache[str, LoginSession] = LRUCache(MAX_SESSIONS)

    def begin(self, console: ConsoleContext, token: str | None) -> str:
        """Begin a session; return the value of its cookie."""
        name, now = secrets.token_urlsafe(32), self._now()
        session = LoginSession(console, token, now, now)
        self._sessions[_digest(name)] = session
        console.is_signed_in = partial(self.is_valid, session)
        return name

    async def find(self, cookie: str) -> LoginSession | None:
        """Return the session that a cookie names; None when it has ended, or its token is no longer valid."""
        found = self._sessions.get(_digest(cookie)) if cookie else None
        if found is None:
            return None
        if not await self.is_valid(found, is_use=True):
            self.end(cookie)
            return None
        return found

    async def is_valid(self, session: LoginSession, *, is_use: bool = False) -> bool:
        """Whether a session goes on: neither ended nor too old, and what signed in is as it was; `is_use` keeps it."""
        now = self._now()
        over = now - session.began > MAX_AGE_SECONDS or now - session.used > IDLE_SECONDS
        if session.ended or over or not await _is_unchanged(session):
            session.ended = session.console.ended = True
            return False
        if is_use:
            session.used = now
        return True

    def end(self, cookie: str) -> None:
        """End a session, and with it its open pages."""
        found = self._sessions.pop(_digest(cookie), None)
        if found is not None:
            found.ended = True
            found.console.ended = True


async def _is_unchanged(session: LoginSession) -> bool:
    """Whether what signed in stands for the same as before; while the database is away, nobody can tell."""
    try:
        return await _actor(session) == session.console.actor
    except Exception as error:
        if is_outage(error):
            return True  # without the database nothing can be read or done either
        raise


async def _actor(session: LoginSession) -> Actor | None:
    if session.token is None:
        return session.console.actor
    return await session.console.state.tokens.actor_of(session.token)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
