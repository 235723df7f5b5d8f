"""What a session does with the runs of its workspace: list, show, settle, and look again for those unknown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from connector.client import Sender
from connector.client.steps import Commit, Query, Steps
from connector.core.call_source import CallSource, current_source
from connector.core.errors import InputError, KontorError, NotFound, RightMissing
from connector.core.messages import say
from connector.core.roles import Actor
from connector.runtime import rights
from connector.runtime.key_workspace import KeyWorkspace
from connector.runtime.shared_state import SharedState

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from connector.runtime.held_back import Waiting
    from connector.store.runs import Run


class WorkspaceRuns:
    """The runs of the workspace of one API key."""

    def __init__(self, connector: SharedState, sender: Sender, workspace: KeyWorkspace) -> None:
        self._connector, self._sender, self._workspace = connector, sender, workspace

    def audit_refusal(self, error: KontorError, by: CallSource, action: str) -> None:
        """Record that whoever calls had no right to run or settle an action."""
        source = replace(current_source(), face=by.face, actor=by.actor)
        home = self._connector.workspaces_by_key.get(self._sender.credential.fingerprint)
        self._connector.refusals.refused(source, error, action=action, workspace=home)

    def listed(self, filters: Mapping[str, Any]) -> Steps[list[Run]]:
        """Return the writes of the workspace, or its reads."""
        from connector.store import read_runs, runs

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
        from connector.store import read_runs, runs

        workspace = yield from self._workspace.steps()
        found = yield Query(
            lambda connection: (
                runs.find(connection, workspace, id)
                or runs.find_by_key(connection, workspace, id)
                or read_runs.find(connection, workspace, id)
            )
        )
        if found is None:
            raise NotFound(say("run_not_found", id=id), remedy=say("run_not_found_remedy"), outcome="not_sent")
        return found  # type: ignore[no-any-return]

    def waiting(self, run: Run) -> Steps[Waiting | None]:
        """Return the equal writes that wait for a run."""
        from connector.runtime.held_back import waiting_for

        actions = self._connector.actions
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
        from connector.runtime import held_back
        from connector.runtime.write import observe
        from connector.store import audit, runs

        named = yield from self.find(id)
        try:
            rights.check_settling(actor, named, self._connector.actions, self._connector.moving_paths)
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
        from connector.runtime.write import look_again

        workspace = yield from self._workspace.steps()
        observer = self._connector.beat_observer(workspace)
        return (yield from look_again(workspace, observer, self._connector.action, self._sender))

    def visible(self, run: Run) -> Run:
        """Return what whoever calls may see of a run."""
        return rights.visible_run(current_source().actor, run, self._connector.actions, self._connector.moving_paths)
