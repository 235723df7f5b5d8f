"""Checks whether an actor may run an action or settle a run: by what the action declares to move."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from connector.core.callers import ROLE_TO_MOVE, Actor, Role, check_role
from connector.core.service.credential import hide_paths
from connector.runtime.requests.declared import moved_at

if TYPE_CHECKING:
    from connector.client import Call
    from connector.core.manifest.model import Action
    from connector.store.runs.runs import Run

WEBHOOK_URL = "webhook_url"


def check_right(actor: Actor | None, action: Action) -> None:
    """Raise unless the actor may run the action; None is whoever uses Kontor alone."""
    check_role(actor, role_to_run(action))


def role_to_run(action: Action) -> Role:
    """Return the role that running the action needs."""
    return "operator" if action.moves is None else ROLE_TO_MOVE[action.moves]


def visible(actor: Actor | None, call: Call, output: Any, moving_paths: Mapping[str, str]) -> Any:
    """Return what the actor may see of an answer: only who may set the webhook URL sees more than its host."""
    if actor is None or actor.may(ROLE_TO_MOVE[WEBHOOK_URL]) or moved_at(call.path, moving_paths) != WEBHOOK_URL:
        return output
    return hide_paths(output)


def visible_run(actor: Actor | None, run: Run, actions: Mapping[str, Action], moving_paths: Mapping[str, str]) -> Run:
    """Return what the actor may see of a run: only who may set the webhook URL sees more than its host."""
    sees_all = actor is None or actor.may(ROLE_TO_MOVE[WEBHOOK_URL])
    return run if sees_all else visible_to_all(run, actions, moving_paths)


def visible_to_all(run: Run, actions: Mapping[str, Action], moving_paths: Mapping[str, str]) -> Run:
    """Return a run without the webhook URL that it sets, of which only the host stays."""
    if _moved_by(run, actions, moving_paths) != WEBHOOK_URL:
        return run
    return replace(run, inputs=hide_paths(run.inputs), outcome=hide_paths(run.outcome))


def check_settling(
    actor: Actor | None, run: Run, actions: Mapping[str, Action], moving_paths: Mapping[str, str]
) -> None:
    """Raise unless the actor may say what became of a run: who may not run it may not, since that may free its key."""
    if actor is None:
        return
    moves = _moved_by(run, actions, moving_paths)
    check_role(actor, "operator" if moves is None else ROLE_TO_MOVE[moves])


def _moved_by(run: Run, actions: Mapping[str, Action], moving_paths: Mapping[str, str]) -> str | None:
    """Return what a run moves: by its action, or by the path that it names."""
    action = actions.get(run.action)
    if action is not None and action.moves is not None:
        return action.moves
    path = run.inputs.get("path") if isinstance(run.inputs, Mapping) else None
    return moved_at(path, moving_paths) if isinstance(path, str) else None
