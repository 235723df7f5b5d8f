"""What a session does with the runs of its workspace: list, show, settle, approve, and send what was approved."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from connector.core.call_source import CallSource, Invoker, current_source
from connector.core.clock import Clock
from connector.core.credential import Credential
from connector.core.errors import InputError, KontorError, NotFound, RightMissing
from connector.core.messages import say
from connector.core.roles import Actor
from connector.runtime import rights
from connector.runtime.context import ActionContext
from connector.runtime.result import Result
from connector.runtime.shared_state import SharedState
from connector.runtime.steps import ReadStep, Steps, WriteStep

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from connector.core.manifest.model import Action
    from connector.runtime.held_back import Waiting
    from connector.store.runs import Run


class SessionRuns(ABC):
    """The procedures about runs, as steps."""

    _connector: SharedState
    credential: Credential

    @property
    @abstractmethod
    def clock(self) -> Clock:
        """The session's clock."""

    @abstractmethod
    def workspace_steps(self) -> Steps[str]:
        """Return the workspace of this session's writes."""

    @abstractmethod
    def _action_context(self, action: Action, invoker: Invoker) -> ActionContext:
        """Return what running an action needs."""

    def _audit_refusal(self, error: KontorError, by: CallSource, action: str) -> None:
        """Record that whoever calls had no right to run or settle an action."""
        source = replace(current_source(), face=by.face, actor=by.actor)
        home = self._connector.workspaces_by_key.get(self.credential.fingerprint)
        self._connector.refusals.refused(source, error, action=action, workspace=home)

    def _runs_steps(self, filters: Mapping[str, Any]) -> Steps[list[Run]]:
        from connector.store import read_runs, runs

        workspace, now = (yield from self.workspace_steps()), self.clock.utcnow()
        if filters.get("kind") == "read":
            given = {name: value for name, value in filters.items() if name not in {"kind", "key"}}
            if filters.get("key") is not None:  # only writes have keys
                return []
            reads = yield ReadStep(lambda connection: read_runs.listed(connection, workspace, **given))
            return list(reads)
        given = {name: value for name, value in filters.items() if name != "kind"}
        found = yield ReadStep(lambda connection: runs.listed(connection, workspace, now, **given))
        return list(found)

    def _run_steps(self, id: str) -> Steps[Run]:
        """Return the run with this id or key."""
        from connector.store import read_runs, runs

        workspace = yield from self.workspace_steps()
        found = yield ReadStep(
            lambda connection: (
                runs.find(connection, workspace, id)
                or runs.find_by_key(connection, workspace, id)
                or read_runs.find(connection, workspace, id)
            )
        )
        if found is None:
            raise NotFound(say("run_not_found", id=id), remedy=say("run_not_found_remedy"), outcome="not_sent")
        return found  # type: ignore[no-any-return]

    def _waiting_steps(self, run: Run) -> Steps[Waiting | None]:
        """Return the equal writes that wait for a run."""
        from connector.runtime.held_back import waiting_for

        actions = self._connector.actions
        return (yield ReadStep(lambda connection: waiting_for(connection, run, actions)))  # type: ignore[no-any-return]

    def _settle_steps(
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
        from connector.runtime.resuming import observe
        from connector.store import audit, runs

        named = yield from self._run_steps(id)
        try:
            rights.check_settling(actor, named, self._connector.actions, self._connector.moving_paths)
        except RightMissing as error:
            self._audit_refusal(error, replace(current_source(), actor=actor), named.action)
            raise
        found = yield from observe((yield from self.workspace_steps()), named)
        now, by = self.clock.utcnow(), replace(current_source(), actor=actor)

        def settle(connection: Connection) -> bool:
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

        if not (yield WriteStep(settle)):
            raise InputError(say("not_unknown", id=id), remedy=say("not_unknown_remedy"), field="id")
        return (yield from self._run_steps(found.id))

    def _look_again_steps(self) -> Steps[int]:
        from connector.runtime.unknown_runs import look_again

        workspace = yield from self.workspace_steps()
        observer = self._connector.beat_observer(workspace)
        return (yield from look_again(workspace, observer, self._connector.action, self.credential, self.clock))

    def _visible(self, run: Run) -> Run:
        """Return what whoever calls may see of a run."""
        return rights.visible_run(current_source().actor, run, self._connector.actions, self._connector.moving_paths)

    def _send_approved_steps(self, found: Run) -> Steps[Result]:
        from connector.runtime.invoke import invoke_approved

        context = self._action_context(self._connector.action(found.action), Invoker())
        return (yield from invoke_approved(context, found))
