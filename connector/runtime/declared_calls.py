"""What the manifests declare of a path: an action that can call any path has its cost and conduct."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping
from urllib.parse import unquote

from connector.core.manifest.model import Action

_PLACEHOLDER = re.compile(r"\\\{\w+\\\}")


class DeclaredCalls:
    """Every declared request, by method and path."""

    def __init__(self, actions: Iterable[Action]) -> None:
        self._declared = [
            (action.request.method, _matcher(path), action)
            for action in actions
            if action.request is not None
            for path in (action.request.path, *action.request.choose.values())
            if path
        ]

    def find(self, method: str, path: str) -> Action | None:
        """Return the action that declares this request; the dearest, where there are several."""
        plain = unquote(path).rstrip("/")
        found = [action for asked, match, action in self._declared if asked == method and match.fullmatch(plain)]
        return max(found, key=lambda action: action.cost.credits, default=None)


def _matcher(path: str) -> re.Pattern[str]:
    return re.compile(_PLACEHOLDER.sub("[^/]+", re.escape(path)))


def moved_at(path: str, moving_paths: Mapping[str, str]) -> str | None:
    """Return what a write to this path, or to one below it, moves; None when no action declares that."""
    plain = posixpath.normpath("/" + unquote(unquote(path)).lstrip("/")).casefold()
    found = (moves for fixed, moves in moving_paths.items() if plain == fixed or plain.startswith(f"{fixed}/"))
    return next(found, None)
