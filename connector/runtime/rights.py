"""Checks whether an actor may send a call: by what the action declares to move, and by where the call goes."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import unquote

from connector.core.errors import RightMissing
from connector.core.messages import say
from connector.core.roles import ROLE_TO_MOVE, Actor, Role, check_role

if TYPE_CHECKING:
    from connector.core.client import Call
    from connector.core.manifest.model import Action
    from connector.store.runs import Run

READING = frozenset({"GET", "HEAD"})


def check(actor: Actor | None, action: Action, call: Call, moving_paths: Mapping[str, str]) -> None:
    """Raise unless the actor may run the action; None is whoever uses Kontor alone."""
    if action.declared is not None and call.method not in READING:
        _check_free_path(call.path, moving_paths)
    check_role(actor, role_needed(action))


def role_needed(action: Action) -> Role:
    """Return the role that an action needs."""
    return "operator" if action.moves is None else ROLE_TO_MOVE[action.moves]


def _check_free_path(path: str, moving_paths: Mapping[str, str]) -> None:
    """Refuse a call whose path the caller chose, where an action is there for it that everything else knows about."""
    if _moved_at(path, moving_paths) is not None:
        message = say("path_guarded", path=path[:200])
        remedy = say("path_guarded_remedy")
        raise RightMissing(message, remedy=remedy, field="path", outcome="not_sent", reason="path_guarded")


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
