"""Checks whether an actor may send a call: by what the action declares to move, and by where the call goes."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from connector.core.redact import hide_paths
from connector.core.roles import ROLE_TO_MOVE, Actor, Role, check_role

if TYPE_CHECKING:
    from connector.core.client import Call
    from connector.core.manifest.model import Action
    from connector.store.runs import Run

READING = frozenset({"GET", "HEAD"})
WEBHOOK_URL = "webhook_url"


def check(actor: Actor | None, action: Action, call: Call | None, moving_paths: Mapping[str, str]) -> None:
    """Raise unless the actor may run the action; None is whoever uses Kontor alone."""
    if actor is not None:
        check_role(actor, role_needed(action, call, moving_paths))


def role_needed(action: Action, call: Call | None, moving_paths: Mapping[str, str]) -> Role:
    """Return the role that an action needs; a call whose path the caller chose, the role for that path."""
    moves: str | None = action.moves
    if moves is None and call is not None and call.method not in READING:
        moves = _moved_at(call.path, moving_paths)
    return "operator" if moves is None else ROLE_TO_MOVE[moves]


def visible(actor: Actor | None, call: Call, output: Any, moving_paths: Mapping[str, str]) -> Any:
    """Return what the actor may see of an answer: only who may set the webhook URL sees more than its host."""
    if actor is None or actor.may(ROLE_TO_MOVE[WEBHOOK_URL]) or _moved_at(call.path, moving_paths) != WEBHOOK_URL:
        return output
    return hide_paths(output)


def _moved_at(path: str, moving_paths: Mapping[str, str]) -> str | None:
    """Return what a write to this path, or to one below it, moves."""
    plain = posixpath.normpath("/" + unquote(unquote(path)).lstrip("/")).casefold()
    found = (moves for fixed, moves in moving_paths.items() if plain == fixed or plain.startswith(f"{fixed}/"))
    return next(found, None)


def check_settling(
    actor: Actor | None, run: Run, actions: Mapping[str, Action], moving_paths: Mapping[str, str]
) -> None:
    """Raise unless the actor may say what became of a run: who may not run it may not, since that may free its key."""
    if actor is None:
        return
    action = actions.get(run.action)
    path = run.inputs.get("path") if isinstance(run.inputs, Mapping) else None
    moves: str | None = action.moves if action is not None else None
    if moves is None and isinstance(path, str):
        moves = _moved_at(path, moving_paths)
    check_role(actor, "operator" if moves is None else ROLE_TO_MOVE[moves])
