"""Finds out who presents a token, and slows down whoever tries many wrong ones."""

from __future__ import annotations

import asyncio
import hmac
import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

from cachetools import LRUCache, TTLCache

from connector.core import limits
from connector.core.callers import HOST, Actor
from connector.store.people import sign_ins
from connector.store.trust import tokens
from connector.store.trust.tokens import Token

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from connector.store import Database

CACHED_SECONDS = 2.0
"""How long a token is taken as it was read: a revocation by another process takes effect that late."""
MAX_CACHED = 4096
USE_SECONDS = 60.0
"""The last use of a token is recorded at most this often."""

MAX_AT_ONCE = 500
"""Tokens that are looked up with one query."""

Found = dict[str, Token]
Read = Callable[[Callable[[Any], Found]], Awaitable[Found]]


class TokenCheck:
    """The tokens of one host, cached for moments, so that an ordinary request reads nothing."""

    def __init__(self, host_token: str, database: Database, read: Read, now: Callable[[], datetime]) -> None:
        self._host_digest = tokens.digest(host_token)
        self._database, self._read, self._now = database, read, now
        self._cached: TTLCache[str, Token] = TTLCache(MAX_CACHED, CACHED_SECONDS)
        self._recorded: TTLCache[str, None] = TTLCache(MAX_CACHED, USE_SECONDS)
        self._waiting: dict[str, asyncio.Future[Token | None]] = {}
        """By digest, the tokens that are looked up next."""
        self._lookup: asyncio.Task[None] | None = None

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
        waiting = self._waiting.get(digest)
        if waiting is None:
            waiting = self._waiting[digest] = asyncio.get_running_loop().create_future()
        if self._lookup is None or self._lookup.done():
            self._lookup = asyncio.create_task(self._look_up())
        token = await asyncio.shield(waiting)
        if token is not None:
            self._cached[digest] = token
        return self._admit(digest, token)

    async def _look_up(self) -> None:
        """Look up what waits, one query at a time: a flood of wrong tokens must not crowd the database."""
        while self._waiting:
            batch = dict(islice(self._waiting.items(), MAX_AT_ONCE))
            for digest in batch:
                del self._waiting[digest]
            found, failure = await self._find(list(batch))
            for digest, waiting in batch.items():
                if waiting.done():
                    continue
                if failure is None:
                    waiting.set_result(found.get(digest))
                else:
                    waiting.set_exception(failure)

    async def _find(self, digests: list[str]) -> tuple[Found, Exception | None]:
        try:
            return await self._read(lambda connection: _find_all(connection, digests)), None
        except Exception as error:  # told to everybody who waits
            return {}, error

    def _admit(self, digest: str, token: Token | None) -> Actor | None:
        if token is None or not token.is_valid(self._now()):
            return None
        self._record_use(digest, token)
        return token.actor

    def forget(self) -> None:
        """Read all tokens anew, after one was revoked."""
        self._cached.clear()

    def _record_use(self, digest: str, token: Token) -> None:
        if digest not in self._recorded:
            self._recorded[digest] = None
            at, record = self._now().timestamp(), (sign_ins if token.max_idle else tokens).record_use
            self._database.write_later(lambda connection: record(connection, {digest: at}))


def _find_all(connection: Connection, digests: Sequence[str]) -> Found:
    """Return the tokens with these digests, and the sign-ins of people."""
    found = tokens.find_all(connection, digests)
    others = [digest for digest in digests if digest not in found]
    return {**found, **sign_ins.find_all(connection, others)} if others else found


class TokenThrottle:
    """Counts wrong tokens by address and by account. A right one is never held back, whoever else has tried.

    Passphrases can be guessed, so whoever checks one asks first, and checks none while the address or account waits.
    """

    def __init__(
        self,
        most: int,
        now: Callable[[], float] = time.monotonic,
        *,
        most_for_one: int = limits.MAX_WRONG_FOR_ONE,
        account_of: Callable[[str], str] | None = None,
    ) -> None:
        """`most`: wrong ones in a minute from an address that are answered as usual; `most_for_one`: for an account."""
        self._most, self._most_for_one, self._now = most, most_for_one, now
        self._account_of = account_of or _account
        self._by_address: LRUCache[str, deque[float]] = LRUCache(limits.MAX_REMEMBERED_ADDRESSES)
        self._by_account: LRUCache[str, deque[float]] = LRUCache(limits.MAX_REMEMBERED_ADDRESSES)

    def seconds_to_wait(self, address: str, text: str) -> float:
        """Return how long whoever presents a wrong token has to wait; 0 when he may try."""
        by_account = _seconds_left(self._by_account.get(self._account_of(text)), self._most_for_one, self._now())
        return max(by_account, self.seconds_for_address(address))

    def seconds_for_address(self, address: str) -> float:
        """Return how long an address has to wait, whatever account it means."""
        return _seconds_left(self._by_address.get(address), self._most, self._now())

    def failed(self, address: str, text: str) -> None:
        """Count a wrong token, or one that may be: what takes long to check is counted before it is."""
        self._by_address.setdefault(address, deque(maxlen=self._most)).append(self._now())
        accounts, account = self._by_account, self._account_of(text)
        accounts.setdefault(account, deque(maxlen=self._most_for_one)).append(self._now())

    def passed(self, address: str, text: str) -> None:
        """Take back that something was counted: it was right, or nobody could tell."""
        for counted in (self._by_address.get(address), self._by_account.get(self._account_of(text))):
            if counted:
                counted.pop()


def _account(text: str) -> str:
    """Return whose token is meant: a token names nobody, but that of the host itself looks different."""
    return "workspaces" if text.startswith(tokens.PREFIX) else "host"


def _seconds_left(failures: deque[float] | None, most: int, now: float) -> float:
    if not failures or len(failures) < most:
        return 0.0
    return max(0.0, failures[0] + limits.WRONG_TOKENS_SECONDS - now)
