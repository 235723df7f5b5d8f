"""Which paths a freely chosen call may write to: by the segments of the path, from a list of what is allowed."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping
from urllib.parse import unquote

from connector.core.errors import InputError, RightMissing
from connector.core.manifest.model import Action
from connector.core.messages import Text, say

_PLACEHOLDER = re.compile(r"\\\{\w+\\\}")
_SEGMENT = "[A-Za-z0-9_-]+"
_PLAIN = re.compile(f"/v2(?:/{_SEGMENT})+")
"""Nothing in such a path can be read in two ways: no codes, no dots, no parameters, no empty segment."""


class WritablePaths:
    """Allows what an action declares to the letter, and leaves to the policy what lies outside the known areas."""

    def __init__(self, actions: Iterable[Action], moving_paths: Mapping[str, str]) -> None:
        addresses = [(one.request.method, path) for one in actions if one.request for path in one.request.addresses]
        self._declared = [(method, re.compile(_matcher(path))) for method, path in addresses]
        self._areas = {_squeezed(path.split("/")[2]) for _, path in addresses}
        self._moving_paths = moving_paths
        self._moving_words = {_squeezed(path.rpartition("/")[2]).removesuffix("s") for path in moving_paths}

    def check(self, method: str, path: str) -> None:
        """Raise for a path that a write with this method may not go to, whatever the policy allows."""
        if moved_at(path, self._moving_paths):
            message, remedy = say("path_guarded", path=path), say("path_guarded_remedy")
            raise InputError(message, remedy=remedy, field="path", reason="path_guarded")
        if not self.declares(method, path) and not self._is_elsewhere(path):
            raise undeclared(path, say("path_guarded_remedy"))

    def declares(self, method: str, path: str) -> bool:
        """Whether an action declares this request, to the letter."""
        return any(asked == method and match.fullmatch(path) for asked, match in self._declared)

    def _is_elsewhere(self, path: str) -> bool:
        """Whether a plain path lies in no area that actions know, and names nothing that moves money."""
        if not _PLAIN.fullmatch(path):
            return False
        segments = [_squeezed(segment) for segment in path.split("/")[2:]]
        return segments[0] not in self._areas and not any(
            word in segment for segment in segments for word in self._moving_words
        )


def undeclared(path: str, remedy: Text) -> RightMissing:
    """Return the refusal of a write to a path that no action declares."""
    message = say("path_undeclared", path=path[:200])
    return RightMissing(message, remedy=remedy, field="path", outcome="not_sent", reason="path_undeclared")


def moved_at(path: str, moving_paths: Mapping[str, str]) -> str | None:
    """Return what a write to this path, or to one below it, moves; None when no action declares that."""
    plain = posixpath.normpath("/" + unquote(unquote(path)).lstrip("/")).casefold()
    found = (moves for fixed, moves in moving_paths.items() if plain == fixed or plain.startswith(f"{fixed}/"))
    return next(found, None)


def _matcher(path: str) -> str:
    return _PLACEHOLDER.sub(_SEGMENT, re.escape(path))


def _squeezed(segment: str) -> str:
    return re.sub("[^a-z0-9]", "", segment.casefold())
