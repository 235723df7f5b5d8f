"""The state shared by the pages of one signed-in browser: the host, who signed in, and the workspace's credential."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, TypeVar

from connector.core.callers import INCLUDED, Actor, CallSource, Role, check_role, current_source
from connector.core.errors import RightMissing
from connector.core.messages import Text, quote, say
from connector.durable.poller.context import PollContext
from connector.durable.upkeep.attention import AttentionItem
from connector.durable.workspace_keys import KeyPreview, add_key, preview_key, revoke_key
from connector.interfaces.console.switching import OpenPages
from connector.interfaces.host_state import HostState
from connector.operations.attention import read_items
from connector.runtime.connector import Connector
from connector.runtime.session import AsyncSession
from connector.store.people import people
from connector.store.triggers import subscriptions
from connector.store.trust import credentials, tokens, workspaces

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from connector.core.service.credential import Credential

T = TypeVar("T")
SHARED_SECONDS = 1.0
"""For how long the pages of one visitor share what was read of all that needs a person."""


class NoCredential(Exception):
    """The workspace holds no API key yet."""


class ConsoleContext:
    """The context of one signed-in browser."""

    def __init__(self, state: HostState, path: str, actor: Actor) -> None:
        self.state = state
        self.path = path
        """The mount path, for links."""
        self.actor = actor
        self.selections: dict[str, Mapping[str, str]] = {}
        """What this person chose last to see figures of, by action, as in an address; nobody else's choice."""
        self.is_signed_in: Callable[[], Awaitable[bool]] | None = None
        """Asks whether what has signed in is still valid; an open page asks before it reads or does anything."""
        self.chosen_workspace: str | None = None
        """The workspace that whoever manages the whole host has switched to."""
        self.ended = False
        """Set when the browser signs out: its open pages do nothing more."""
        self.shown_attention: list[AttentionItem] = []
        """What needed a person when this visitor's pages last asked: a new page shows it until it has asked itself."""
        self.open_pages = OpenPages()
        self._asked_at = float("-inf")

    @property
    def connector(self) -> Connector:
        """The host's connector."""
        return self.state.connector

    @property
    def host_url(self) -> str:
        """The host's URL, for code snippets."""
        settings = self.state.settings
        return (self.state.public_url or f"http://{settings.host}:{settings.port}").rstrip("/")

    def trigger_title(self, trigger: str) -> Text:
        """Return a trigger's name, also that of alerts; of one that no longer exists, its id."""
        if trigger == subscriptions.ALERTS:
            return say("settings_alerts")
        known = self.connector.triggers.get(trigger)
        return known.title if known is not None else quote(trigger)

    async def workspace(self) -> str:
        """Return the workspace of who signed in; of the whole host the one switched to, else that of the host's key."""
        await self._check_signed_in()
        return self.actor.workspace or self.chosen_workspace or await self.home()

    async def home(self) -> str:
        """Return the workspace of the host's own key, which a token of the whole host works in at first."""
        own = self.state.settings.own_credential
        known = await self.read(lambda connection: workspaces.of_key(connection, own.fingerprint)) if own else None
        return known or os.environ.get("KONTOR_WORKSPACE", "").strip() or workspaces.DEFAULT

    async def credential_id(self) -> str:
        """Return the id of the credential that the workspace uses; never one that somebody else has left here."""
        workspace, own = await self.workspace(), self.state.settings.own_credential
        chosen = await self.read(lambda connection: credentials.chosen(connection, workspace))
        if self.actor.workspace is None and own is not None and workspace == await self.home():
            fingerprint = own.fingerprint
            if await self.read(lambda connection: credentials.is_newer(connection, fingerprint, workspace, chosen)):
                now, vault = self.state.context.now(), self.state.vault
                return await self.state.context.write(
                    lambda connection: credentials.save(connection, vault, own, now, workspace, chosen=True)
                )
        if chosen is None:
            raise NoCredential
        return chosen.id

    def switch_to(self, workspace: str) -> None:
        """Work in another workspace from now on, as whoever manages the whole host."""
        self.check("admin")
        if self.actor.workspace is None:
            self.chosen_workspace, self._asked_at = workspace, float("-inf")
            self.selections.clear()
            self.shown_attention = []

    async def preview(self, credential: Credential) -> KeyPreview:
        """Test a credential, and return whom it belongs to; nothing is kept."""
        self.check("admin")
        return await preview_key(self.state.context, credential, await self.workspace())

    async def use(self, credential: Credential) -> None:
        """Test a credential, and store it encrypted as the one that the workspace uses."""
        self.check("admin")
        await add_key(self.state.context, credential, await self.workspace())

    async def remove_key(self) -> None:
        """Revoke and erase the key that the workspace uses."""
        self.check("admin")
        await revoke_key(self.state.context, await self.workspace())

    async def attention(self, *, fresh: bool = False) -> list[AttentionItem]:
        """Return what needs a person in the workspace, as it was moments ago; the pages of one visitor share it."""
        moment = self.state.context.clock.monotonic()
        if fresh or moment - self._asked_at > SHARED_SECONDS:
            self._asked_at = moment
            context, workspace = self.state.context, await self.workspace()
            self.connector.shared.usage.flush()
            self.shown_attention = await self.read(lambda connection: read_items(connection, context, workspace))
        return self.shown_attention

    async def people_who_may(self, role: Role) -> list[str]:
        """Return who holds a valid token of the workspace that may do what needs this role; agents are no people."""
        workspace, now = await self.workspace(), self.state.context.now()
        found = await self.read(lambda connection: tokens.listed(connection, workspace))
        signing_in = await self.read(lambda connection: people.listed(connection, workspace))
        able = [one.name for one in signing_in if one.is_active and one.role and role in INCLUDED[one.role]]
        able += [one.person or one.name for one in found if one.is_valid(now) and not one.agent and one.actor.may(role)]
        return list(dict.fromkeys(able))

    async def _check_signed_in(self) -> None:
        if self.is_signed_in is not None and not await self.is_signed_in():
            self.ended = True
        self.check("viewer")

    def check(self, role: Role) -> None:
        """Raise unless the browser is still signed in and its token has this role."""
        try:
            if self.ended:
                remedy = say("console_signed_out_remedy")
                raise RightMissing(say("console_signed_out"), remedy=remedy, outcome="not_sent")
            check_role(self.actor, role)
        except RightMissing as error:
            self.state.refusals.refused(self.source, error)
            raise

    @property
    def source(self) -> CallSource:
        """Who calls: the token that signed in, from the address of the page."""
        return CallSource("console", current_source().origin, self.actor)

    async def session(self, role: Role = "operator") -> AsyncSession:
        """Return the credential's open session, shared with the engine; only `operator` may send with it."""
        await self._check_signed_in()
        self.check(role)
        return await self.state.context.session(await self.credential_id())

    async def poll_work(self) -> PollContext:
        """The arguments of a manual poll."""
        return self.state.context.poll_context(await self.session())

    async def read(self, query: Callable[[Connection], T]) -> T:
        """Run a query on the store."""
        await self._check_signed_in()
        return await self.state.context.read(query)

    async def write(self, change: Callable[[Connection], T], role: Role = "operator") -> T:
        """Run a change on the store."""
        await self._check_signed_in()
        self.check(role)
        return await self.state.context.write(change)
