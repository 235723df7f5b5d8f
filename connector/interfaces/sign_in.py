"""Lets people in: by name and passphrase, or by an invitation that they accept; and signs them out."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from cachetools import LRUCache
from sqlalchemy import Connection

from connector.core import limits
from connector.core.callers import Actor, CallSource
from connector.core.messages import say
from connector.core.writes.person_names import SESSION, normal_form
from connector.interfaces.token_check import TokenCheck, TokenThrottle
from connector.operations.operation import HostError
from connector.store.people import passphrases, people, sign_ins
from connector.store.people.people import Person
from connector.store.trust import audit, tokens

if TYPE_CHECKING:
    from datetime import datetime

    from connector.durable.context import JobContext

MAX_SAME_NAME = 4
"""People of one name in several workspaces whose passphrases are tried; beyond it the workspace has to be named."""
CHECKED_AT_ONCE = 2


class SignInRefused(HostError):
    """Name and passphrase do not fit; which of the two is not told."""

    kind = "host_token"
    http_status = 401

    def __init__(self) -> None:
        super().__init__(say("sign_in_refused"), remedy=say("sign_in_refused_remedy"))


class InvitationRefused(HostError):
    """An invitation is unknown, used or over."""

    kind = "host_token"
    http_status = 401

    def __init__(self) -> None:
        super().__init__(say("invitation_refused"), remedy=say("invitation_refused_remedy"))


class InvitationForAnother(HostError):
    """Whoever is signed in opens an invitation: nobody accepts for somebody else."""

    kind = "right_missing"
    http_status = 403

    def __init__(self) -> None:
        super().__init__(say("invitation_for_another"), remedy=say("invitation_for_another_remedy"))


class TooManySignIns(HostError):
    """Too many wrong passphrases from this address or for this person."""

    kind = "rate_limited"
    http_status = 429
    retryable = True

    def __init__(self, seconds: float, now: datetime) -> None:
        self.seconds = math.ceil(seconds)
        retry_at = now + timedelta(seconds=self.seconds)
        super().__init__(
            say("sign_in_wait", seconds=self.seconds), remedy=say("sign_in_wait_remedy"), retry_at=retry_at
        )


class SignedIn(NamedTuple):
    """What the browser or program presents from now on, and who it is."""

    token: str
    actor: Actor


class SignIn:
    """The sign-in of one host."""

    def __init__(self, context: JobContext, checked: TokenCheck) -> None:
        self._context, self._tokens = context, checked
        self._throttle = TokenThrottle(
            limits.MAX_WRONG_LOGINS, most_for_one=limits.MAX_WRONG_PASSPHRASES, account_of=normal_form
        )
        self._known: LRUCache[tuple[str, str], None] = LRUCache(limits.MAX_REMEMBERED_ADDRESSES)
        """Addresses from which somebody of this name has signed in: others cannot lock them out."""
        self._slots: asyncio.Semaphore | None = None
        self._waiting = 0

    async def by_passphrase(
        self, name: str, passphrase: str, workspace: str | None, address: str, source: CallSource
    ) -> SignedIn:
        """Sign a person in; raise when name and passphrase do not fit, or too many did not."""
        name, place = name[:400], (address, normal_form(name[:400]))
        is_known = place in self._known
        wait = (
            self._throttle.seconds_for_address(address) if is_known else self._throttle.seconds_to_wait(address, name)
        )
        if wait:
            raise TooManySignIns(wait, self._context.own_now())
        self._throttle.failed(address, name)  # before it is tried, so that many at once are no more than in a row
        try:
            fitting = await self._fitting(name, passphrase, workspace)
        except BaseException:
            self._throttle.passed(address, name)
            raise
        if len(fitting) != 1:
            raise SignInRefused
        self._throttle.passed(address, name)
        self._known[place] = None
        return await self._begin(*fitting[0], source, "person.signed_in")

    async def _fitting(self, name: str, passphrase: str, workspace: str | None) -> list[tuple[Person, str]]:
        """Return whom name and passphrase fit, each with the hash; for a name that nobody has it takes as long."""
        meant = await self._context.read(lambda connection: people.passphrases_of(connection, workspace, name))
        candidates = [(person, stored) for person, stored in meant if person.is_active][:MAX_SAME_NAME]
        if not candidates:
            await self._fits(passphrase, passphrases.NOBODY)
        return [(person, stored) for person, stored in candidates if await self._fits(passphrase, stored)]

    async def accept(self, code: str, passphrase: str, address: str, source: CallSource) -> SignedIn:
        """Accept an invitation with a passphrase of one's own; raise when it opens nothing."""
        if source.actor is not None:
            raise InvitationForAnother
        wait = self._throttle.seconds_for_address(address)
        if wait:
            raise TooManySignIns(wait, self._context.own_now())
        person = await self.invited(code)
        if person is None:
            self._throttle.failed(address, SESSION)
            raise InvitationRefused
        passphrases.check(passphrase, person.name)
        stored, now = await self._hashed(passphrase), self._context.now()
        accepted = await self._context.write(lambda connection: people.accept(connection, code, stored, now))
        if accepted is None:
            raise InvitationRefused
        self._tokens.forget()
        return await self._begin(accepted, stored, source, "person.accepted")

    async def invited(self, code: str) -> Person | None:
        """Return whom an invitation is for; None when it opens nothing any more."""
        now = self._context.now()
        return await self._context.read(lambda connection: people.invited_by_code(connection, code, now))

    async def end(self, token: str) -> None:
        """Sign out; a token that is no sign-in stays."""
        digest, now = tokens.digest(token), self._context.now()
        await self._context.write(lambda connection: sign_ins.end(connection, digest, now))
        self._tokens.forget()

    async def _begin(self, person: Person, stored: str, source: CallSource, what: str) -> SignedIn:
        """Sign in whose passphrase fits, unless it was replaced while it was checked."""
        text, now = tokens.new_token(), self._context.now()
        assert person.role is not None
        name = f"{SESSION}{person.id}"
        actor = Actor(name, person.role, person.workspace, person.name, person_id=person.id, made_by=person.id)
        by = replace(source, actor=actor)

        def begin(connection: Connection) -> bool:
            if not people.has_passphrase(connection, person.id, stored):
                return False
            sign_ins.begin(connection, person.id, person.workspace, tokens.digest(text), now)
            audit.record_by(connection, by, workspace=person.workspace, what=what, subject=person.id, now=now)
            return True

        if not await self._context.write(begin):
            raise SignInRefused
        return SignedIn(text, actor)

    async def _fits(self, passphrase: str, stored: str) -> bool:
        async with self._slot():
            return await asyncio.to_thread(passphrases.matches, passphrase, stored)

    async def _hashed(self, passphrase: str) -> str:
        async with self._slot():
            return await asyncio.to_thread(passphrases.hashed, passphrase)

    @asynccontextmanager
    async def _slot(self) -> AsyncIterator[None]:
        """Take a place among those whose passphrases are worked on now; raise where too many wait already."""
        if self._slots is None:  # belongs to the loop in which it is first used
            self._slots = asyncio.Semaphore(CHECKED_AT_ONCE)
        if self._waiting >= limits.MAX_WAITING_SIGN_INS:
            raise TooManySignIns(1.0, self._context.own_now())
        self._waiting += 1
        try:
            await self._slots.acquire()
        finally:
            self._waiting -= 1
        try:
            yield
        finally:
            self._slots.release()
