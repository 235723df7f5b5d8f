"""A Make app as the lint sees it: its index, its components with their files, and the content of every file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from connector.export.shape import Export, Finding

INDEX = "makecomapp.json"
OUTSIDE = frozenset({"assets/icon.png"})
"""Files that the index does not list."""


@dataclass(frozen=True, slots=True)
class Component:
    """One module, RPC, webhook or connection."""

    kind: str
    id: str
    entry: Mapping[str, Any]
    files: Mapping[str, str]
    """Paths by code type."""

    @property
    def where(self) -> str:
        """How a finding names it."""
        return f"{self.kind} {self.id}"


@dataclass(frozen=True, slots=True)
class MakeApp:
    """The whole app."""

    index: Mapping[str, Any]
    general: Mapping[str, str]
    components: tuple[Component, ...]
    contents: Mapping[str, Any]
    """Every JSON file, read."""
    files: frozenset[str]

    @classmethod
    def read(cls, export: Export) -> MakeApp | Finding:
        """Reads the app; the first file that is no JSON is a finding."""
        contents: dict[str, Any] = {}
        for name, content in export.files.items():
            if name.endswith(".json"):
                try:
                    contents[name] = json.loads(content)
                except ValueError as error:
                    return Finding(name, f"is no JSON: {error}")
        index = contents.get(INDEX)
        if not isinstance(index, dict) or not isinstance(index.get("components"), dict):
            return Finding(INDEX, "is missing, or lists no components")
        components = tuple(
            Component(kind, id, entry, {code: path for code, path in entry.get("codeFiles", {}).items() if path})
            for kind, found in index["components"].items()
            for id, entry in found.items()
            if entry
        )
        general = {code: path for code, path in index.get("generalCodeFiles", {}).items() if path}
        return cls(index, general, components, contents, frozenset(export.files))

    def of_kind(self, kind: str) -> Iterator[Component]:
        """The components of one kind."""
        return (component for component in self.components if component.kind == kind)

    def code(self, component: Component, code: str) -> Any:
        """The content of one of a component's files; None when there is none."""
        return self.contents.get(component.files.get(code, ""))

    def requests(self, component: Component) -> Iterator[tuple[str, dict[str, Any]]]:
        """Every request that a component makes, with the name of its file."""
        for code in ("communication", "epoch", "attach", "detach", "update"):
            content = self.code(component, code)
            for request in content if isinstance(content, list) else [content]:
                if isinstance(request, dict):
                    yield component.files[code], request

    def base(self) -> Any:
        """What all requests begin with."""
        return self.contents.get(self.general.get("base", ""))

    def form(self, component: Component) -> Iterator[tuple[str, dict[str, Any]]]:
        """Every parameter of a component's form, also the nested ones, with the name of its file."""
        for code in ("params", "staticParams", "mappableParams"):
            for parameter in flat(self.code(component, code)):
                yield component.files[code], parameter


def flat(parameters: Any) -> Iterator[dict[str, Any]]:
    """Parameters and those nested below a choice; the fields of a collection are not parameters of the form."""
    for parameter in parameters if isinstance(parameters, list) else ():
        if isinstance(parameter, dict):
            yield parameter
            options = parameter.get("options")
            if isinstance(options, dict):
                yield from flat(options.get("nested"))
            yield from flat(parameter.get("nested"))


def deep(parameters: Any) -> Iterator[dict[str, Any]]:
    """The same with the fields of collections and arrays."""
    for parameter in flat(parameters):
        yield parameter
        spec = parameter.get("spec")
        yield from deep(spec if isinstance(spec, list) else [spec])


def texts(value: Any) -> Iterator[str]:
    """Every text in a piece of JSON, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts(inner)
