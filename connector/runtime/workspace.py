"""The workspace of a session: which one its API key belongs to, and what the session does with its runs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from connector.client import Sender
from connector.client.exchange import exchange
from connector.client.steps import Commit, Query, Steps
from connector.core.callers import Actor, CallSource, current_source
from connector.core.data.answers import items_in
from connector.core.errors import (
    InputError,
    KontorError,
    NotFound,
    ReconnectNeeded,
    Refused,
    RightMissing,
    ServiceNotBooked,
)
from connector.core.messages import say
from connector.runtime.records.shared_state import SharedState
from connector.runtime.requests import rights
from connector.runtime.requests.request import build_call
from connector.runtime.writes.find_payment import NEWEST_FIRST

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from connector.runtime.writes.held_back import Waiting
    from connector.store.runs.runs import Run


class KeyWorkspace:
    """The workspace of one API key."""

    def __init__(self, shared: SharedState, sender: Sender, given: str | None) -> None:
        """`given`: the workspace, where the caller knows it."""
        self._shared, self._sender, self._given = shared, sender, given
        self._credential = sender.credential

    def steps(self) -> Steps[str]:
        """Return the workspace, attaching the API key to it when it is new."""
        if self._given is not None:
            return self._given
        known, fingerprint = self._shared.workspaces_by_key, self._credential.fingerprint
        if fingerprint not in known:
            known[fingerprint] = yield from self._find_steps()
        return known[fingerprint]

    def _find_steps(self) -> Steps[str]:
        from connector.store.trust import workspaces

        fingerprint = self._credential.fingerprint
        found: str | None = yield Query(lambda connection: workspaces.of_key(connection, fingerprint))
        if found is None:
            # Where customers share a host, a key must not get round the workspace of its organisation.
            shown = (yield from self.organizations_steps()) if self._shared.separate_keys else ()
            found = yield Commit(lambda connection: self._attach(connection, shown), durable=False)
        return found

    def _attach(self, connection: Connection, organizations: tuple[str, ...]) -> str:
        from connector.store.trust import workspaces

        fingerprint = self._credential.fingerprint
        wanted = os.environ.get("KONTOR_WORKSPACE", "").strip()
        if not wanted:
            separate = self._shared.separate_keys
            wanted = workspaces.own_workspace(connection, fingerprint) if separate else workspaces.DEFAULT
        if organizations:
            workspaces.check_organization(connection, organizations, wanted)
        found = workspaces.attach(connection, fingerprint, wanted, self._sender.clock.utcnow())
        if len(organizations) == 1:
            workspaces.set_organization(connection, fingerprint, organizations[0])
        return found

    def organizations_steps(self) -> Steps[tuple[str, ...]]:
        """Return whom the newest payments name as their organisation, which is free; empty when none are shown."""
        call = build_call(self._shared.catalog.action_for("payment_list"), NEWEST_FIRST, self._credential.wire)
        try:
            reply = yield from exchange(replace(call, serves_write=True), self._sender)
            rows = [row for row in items_in(reply.value) if isinstance(row, Mapping)]
        except (RightMissing, ServiceNotBooked, ReconnectNeeded, NotFound, Refused, ValueError):
            return ()
        named = {row.get("organization_id") for row in rows}
        return tuple(sorted(one for one in named if isinstance(one, str) and one))


class WorkspaceRuns:
    """The runs of the workspace of one API key."""

    def __init__(self, shared: SharedState, sender: Sender, workspace: KeyWorkspace) -> None:
        self._shared, self._catalog, self._sender, self._workspace = shared, shared.catalog, sender, workspace

    def audit_refusal(self, error: KontorError, by: CallSource, action: str) -> None:
        """Record that whoever calls had no right to run or settle an action."""
        source = replace(current_source(), face=by.face, actor=by.actor)
        home = self._shared.workspaces_by_key.get(self._sender.credential.fingerprint)
        self._shared.refusals.refused(source, error, action=action, workspace=home)

    def listed(self, filters: Mapping[str, Any]) -> Steps[list[Run]]:
        """Return the writes of the workspace, or its reads."""
        from connector.store.runs import reads as read_runs
        from connector.store.runs import runs

        workspace, now = (yield from self._workspace.steps()), self._sender.clock.utcnow()
        if filters.get("kind") == "read":
            given = {name: value for name, value in filters.items() if name not in {"kind", "key"}}
            if filters.get("key") is not None:  # only writes have keys
                return []
            reads = yield Query(lambda connection: read_runs.listed(connection, workspace, **given))
            return list(reads)
        given = {name: value for name, value in filters.items() if name != "kind"}
        found = yield Query(lambda connection: runs.listed(connection, workspace, now, **given))
        return list(found)

    def find(self, id: str) -> Steps[Run]:
        """Return the run with this id or key."""
        from connector.store.runs import reads, runs

        workspace = yield from self._workspace.steps()
        found = yield Query(
            lambda connection: (
                runs.find(connection, workspace, id)
                or runs.find_by_key(connection, workspace, id)
                or reads.find(connection, workspace, id)
            )
        )
        if found is None:
            raise NotFound(say("run_not_found", id=id), remedy=say("run_not_found_remedy"), outcome="not_sent")
        return found  # type: ignore[no-any-return]

    def waiting(self, run: Run) -> Steps[Waiting | None]:
        """Return the equal writes that wait for a run."""
        from connector.runtime.writes.held_back import waiting_for

        actions = self._catalog.actions
        return (yield Query(lambda connection: waiting_for(connection, run, actions)))  # type: ignore[no-any-return]

    def settle(
        self,
        id: str,
        happened: bool,
        note: str,
        release: bool | None,
        waiting: int | None,
        actor: Actor | None = None,
    ) -> Steps[Run]:
        """Record what became of a run, and with `release` what becomes of the equal ones that wait for it."""
        from connector.runtime.writes import held_back
        from connector.runtime.writes.write import observe
        from connector.store.runs import runs
        from connector.store.trust import audit

        named = yield from self.find(id)
        try:
            rights.check_settling(actor, named, self._catalog.actions, self._catalog.moving_paths)
        except RightMissing as error:
            self.audit_refusal(error, replace(current_source(), actor=actor), named.action)
            raise
        found = yield from observe((yield from self._workspace.steps()), named)
        now, by = self._sender.clock.utcnow(), replace(current_source(), actor=actor)

        def change(connection: Connection) -> bool:
            settled = runs.settle(connection, found, happened, note, now)
            decided = 0
            if release is not None and (settled or found.happened is happened):
                decided = held_back.decide(connection, found, release, waiting, by, now)
            if settled:
                details: dict[str, Any] = {"happened": happened, "note": note}
                details |= {"released" if release else "not_released": decided} if decided else {}
                home = found.workspace
                audit.record_by(
                    connection, by, workspace=home, what="run.settled", subject=found.id, details=details, now=now
                )
            return settled or decided > 0

        if not (yield Commit(change)):
            raise InputError(say("not_unknown", id=id), remedy=say("not_unknown_remedy"), field="id")
        return (yield from self.find(found.id))

    def look_again(self) -> Steps[int]:
        """Look at the service for all writes whose outcome is unknown; return how many were found."""
        from connector.runtime.writes.write import look_again

        workspace = yield from self._workspace.steps()
        observer = self._shared.beat_observer(workspace)
        return (yield from look_again(workspace, observer, self._catalog.action, self._sender))

    def visible(self, run: Run) -> Run:
        """Return what whoever calls may see of a run."""
        return rights.visible_run(current_source().actor, run, self._catalog.actions, self._catalog.moving_paths)
