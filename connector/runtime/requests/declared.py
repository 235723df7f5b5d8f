"""What the manifests declare of paths, for an action that can call any: cost, conduct and rules, and where to write."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from connector.core.data.fields import Field
from connector.core.errors import InputError, RightMissing
from connector.core.manifest.formats import Format
from connector.core.manifest.model import Action
from connector.core.messages import Text, say
from connector.core.rules import Rules
from connector.core.service.wire import Wire
from connector.runtime.requests import checks
from connector.runtime.requests.request import wire_name

if TYPE_CHECKING:
    from connector.core.manifest.inputs import Inputs

_PLACEHOLDER = re.compile(r"\\\{\w+\\\}")
_SEGMENT = "[A-Za-z0-9_-]+"
_PLAIN = re.compile(f"/v2(?:/{_SEGMENT})+")
"""Nothing in such a path can be read in two ways: no codes, no dots, no parameters, no empty segment."""
PLACES = ("query", "body")


class DeclaredCalls:
    """Every declared request, by method and path."""

    def __init__(self, actions: Iterable[Action]) -> None:
        self._declared = [
            (action.request.method, re.compile(_matcher(path, "[^/]+")), action)
            for action in actions
            if action.request is not None
            for path in action.request.addresses
        ]

    def find(self, method: str, path: str) -> Action | None:
        """Return the action that declares this request; the dearest, where there are several."""
        plain = unquote(path).rstrip("/")
        found = [action for asked, match, action in self._declared if asked == method and match.fullmatch(plain)]
        return max(found, key=lambda action: action.cost.credits, default=None)


class DeclaredRules:
    """The forms of declared requests in which everything may be left out: what is needed, the service itself says."""

    def __init__(self, formats: Mapping[str, Format]) -> None:
        self._formats = formats
        self._compiled: dict[str, Inputs] = {}

    def check(self, action: Action, query: Mapping[str, Any], body: Any, wire: Wire) -> None:
        """Raise `InputError` for a value that does not fit, or that a rule refuses. Names beyond the form are free."""
        form = self._form(action)
        sent = {"query": query, "body": body if isinstance(body, Mapping) else {}}
        try:
            checks.check_rules(action.rules, form.clean(_given(form.fields, sent, wire)))
        except InputError as error:
            places = {field.name: field.place for field in form.fields}
            error.field = _placed(str(error.field), places)
            if isinstance(error.details, dict) and "also" in error.details:
                error.details["also"] = [_placed(name, places) for name in error.details["also"]]
                for problem in error.details["problems"]:
                    problem["field"] = _placed(problem["field"], places)
            raise

    def _form(self, action: Action) -> Inputs:
        form = self._compiled.get(action.id)
        if form is None:
            from connector.core.manifest.inputs import Inputs  # with pydantic, which opening a session does without

            known = [field for field in action.inputs if field.place in PLACES]
            fields = [replace(field, presence="optional", default=None) for field in known]
            form = self._compiled[action.id] = Inputs(fields, Rules((), fields, {}), self._formats)
        return form


def _given(fields: tuple[Field, ...], sent: Mapping[str, Mapping[str, Any]], wire: Wire) -> dict[str, Any]:
    """Return what a request carries as inputs, by the names of the form."""
    given: dict[str, Any] = {}
    for field in fields:
        value = sent[field.place].get(wire_name(field, wire) or field.name)
        if value is not None and not (field.place == "query" and isinstance(value, list)):
            given[field.name] = _known(field, value)
    return given


def _known(field: Field, value: Any) -> Any:
    """Return a value without the names that the form does not have."""
    if field.fields and isinstance(value, Mapping):
        inner = {one.name: one for one in field.fields}
        return {name: _known(inner[name], one) for name, one in value.items() if name in inner}
    return [_known(field, one) for one in value] if field.fields and isinstance(value, list) else value


def _placed(field: str, places: Mapping[str, str]) -> str:
    """Return where in the request a field of the form stands."""
    name = field.partition("[")[0].partition(".")[0]
    return f"{places[name]}.{field}" if name in places else field


class WritablePaths:
    """Allows what an action declares to the letter, and leaves to the policy what lies outside the known areas."""

    def __init__(self, actions: Iterable[Action], moving_paths: Mapping[str, str]) -> None:
        addresses = [(one.request.method, path) for one in actions if one.request for path in one.request.addresses]
        self._declared = [(method, re.compile(_matcher(path, _SEGMENT))) for method, path in addresses]
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


def _matcher(path: str, segment: str) -> str:
    return _PLACEHOLDER.sub(segment, re.escape(path))


def _squeezed(segment: str) -> str:
    return re.sub("[^a-z0-9]", "", segment.casefold())
