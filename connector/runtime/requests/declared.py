"""What the manifests declare of a path, for an action that can call any: its cost, its conduct and its rules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

from connector.core.data.fields import Field
from connector.core.errors import InputError
from connector.core.manifest.formats import Format
from connector.core.manifest.inputs import Inputs
from connector.core.manifest.model import Action
from connector.core.rules import Rules
from connector.core.service.wire import Wire
from connector.runtime.requests import checks
from connector.runtime.requests.request import wire_name

_PLACEHOLDER = re.compile(r"\\\{\w+\\\}")


class DeclaredCalls:
    """Every declared request, by method and path."""

    def __init__(self, actions: Iterable[Action]) -> None:
        self._declared = [
            (action.request.method, _matcher(path), action)
            for action in actions
            if action.request is not None
            for path in action.request.addresses
        ]

    def find(self, method: str, path: str) -> Action | None:
        """Return the action that declares this request; the dearest, where there are several."""
        plain = unquote(path).rstrip("/")
        found = [action for asked, match, action in self._declared if asked == method and match.fullmatch(plain)]
        return max(found, key=lambda action: action.cost.credits, default=None)


def _matcher(path: str) -> re.Pattern[str]:
    return re.compile(_PLACEHOLDER.sub("[^/]+", re.escape(path)))


PLACES = ("query", "body")


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
