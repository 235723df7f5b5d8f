"""Finds the workspace that an API key belongs to, and attaches a key that is new."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from connector.client import Sender
from connector.client.exchange import exchange
from connector.client.steps import Commit, Query, Steps
from connector.core.answers import items_in
from connector.core.errors import NotFound, ReconnectNeeded, Refused, RightMissing, ServiceNotBooked
from connector.runtime.find_payment import NEWEST_FIRST
from connector.runtime.request import build_call
from connector.runtime.shared_state import SharedState

if TYPE_CHECKING:
    from sqlalchemy import Connection


class KeyWorkspace:
    """The workspace of one API key."""

    def __init__(self, connector: SharedState, sender: Sender, given: str | None) -> None:
        """`given`: the workspace, where the caller knows it."""
        self._connector, self._sender, self._given = connector, sender, given
        self._credential = sender.credential

    def steps(self) -> Steps[str]:
        """Return the workspace, attaching the API key to it when it is new."""
        if self._given is not None:
            return self._given
        known, fingerprint = self._connector.workspaces_by_key, self._credential.fingerprint
        if fingerprint not in known:
            known[fingerprint] = yield from self._find_steps()
        return known[fingerprint]

    def _find_steps(self) -> Steps[str]:
        from connector.store import workspaces

        fingerprint = self._credential.fingerprint
        found: str | None = yield Query(lambda connection: workspaces.of_key(connection, fingerprint))
        if found is None:
            # Where customers share a host, a key must not get round the workspace of its organisation.
            shown = (yield from self.organizations_steps()) if self._connector.separate_keys else ()
            found = yield Commit(lambda connection: self._attach(connection, shown), durable=False)
        return found

    def _attach(self, connection: Connection, organizations: tuple[str, ...]) -> str:
        from connector.store import workspaces

        fingerprint = self._credential.fingerprint
        wanted = os.environ.get("KONTOR_WORKSPACE", "").strip()
        if not wanted:
            separate = self._connector.separate_keys
            wanted = workspaces.own_workspace(connection, fingerprint) if separate else workspaces.DEFAULT
        if organizations:
            workspaces.check_organization(connection, organizations, wanted)
        found = workspaces.attach(connection, fingerprint, wanted, self._sender.clock.utcnow())
        if len(organizations) == 1:
            workspaces.set_organization(connection, fingerprint, organizations[0])
        return found

    def organizations_steps(self) -> Steps[tuple[str, ...]]:
        """Return whom the newest payments name as their organisation, which is free; empty when none are shown."""
        call = build_call(self._connector.action_for("payment_list"), NEWEST_FIRST, self._credential.wire)
        try:
            reply = yield from exchange(replace(call, serves_write=True), self._sender)
            rows = [row for row in items_in(reply.value) if isinstance(row, Mapping)]
        except (RightMissing, ServiceNotBooked, ReconnectNeeded, NotFound, Refused, ValueError):
            return ()
        named = {row.get("organization_id") for row in rows}
        return tuple(sorted(one for one in named if isinstance(one, str) and one))
