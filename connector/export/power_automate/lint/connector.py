"""A Power Automate connector as the lint sees it: its definition, its operations, its properties and its script."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from connector.export.shape import Export, Finding

DEFINITION, PROPERTIES, SCRIPT, README, ICON = (
    "apiDefinition.swagger.json",
    "apiProperties.json",
    "script.csx",
    "readme.md",
    "icon.png",
)
METHODS = ("get", "put", "post", "delete", "options", "head", "patch")
Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation with its place."""

    path: str
    method: str
    tree: Mapping[str, Any]
    item: Mapping[str, Any]
    """What stands beside it under the same path."""

    @property
    def where(self) -> str:
        """How a finding names it."""
        return str(self.tree.get("operationId") or f"{self.method} {self.path}")

    @property
    def parameters(self) -> list[Mapping[str, Any]]:
        """Its parameters."""
        return [one for one in self.tree.get("parameters", ()) if isinstance(one, dict)]

    @property
    def body(self) -> Schema | None:
        """The schema of its body, if it has one."""
        return next((one.get("schema", {}) for one in self.parameters if one.get("in") == "body"), None)

    @property
    def successes(self) -> dict[str, Mapping[str, Any]]:
        """Its responses that are no errors."""
        responses = self.tree.get("responses", {})
        return {code: one for code, one in responses.items() if code.startswith("2") or code == "default"}

    def answer(self) -> Schema:
        """The schema of its success; empty when there is none."""
        for response in self.successes.values():
            schema = response.get("schema")
            if isinstance(schema, dict):
                return schema
        return {}


@dataclass(frozen=True, slots=True)
class PowerConnector:
    """The whole connector."""

    definition: Mapping[str, Any]
    properties: Mapping[str, Any]
    text: str
    """The definition as it is written."""
    files: Mapping[str, bytes]

    @classmethod
    def read(cls, export: Export) -> PowerConnector | Finding:
        """Reads the connector; a file that is missing or no JSON is a finding."""
        trees = {}
        for name in (DEFINITION, PROPERTIES):
            try:
                trees[name] = json.loads(export.files[name])
            except KeyError:
                return Finding(name, "is missing")
            except ValueError as error:
                return Finding(name, f"is no JSON: {error}")
        properties = trees[PROPERTIES].get("properties", {})
        return cls(trees[DEFINITION], properties, export.files[DEFINITION].decode(), export.files)

    @property
    def operations(self) -> Iterator[Operation]:
        """Every operation."""
        for path, item in self.definition.get("paths", {}).items():
            for method in METHODS:
                if isinstance(item.get(method), dict):
                    yield Operation(path, method, item[method], item)

    def by_id(self) -> dict[str, Operation]:
        """The operations by id."""
        return {str(one.tree["operationId"]): one for one in self.operations if "operationId" in one.tree}


def schemas(schema: Any, at: str = "") -> Iterator[tuple[str, Schema]]:
    """A schema and all inside it, with their places."""
    if not isinstance(schema, dict):
        return
    yield at, schema
    for name, inner in (schema.get("properties") or {}).items():
        yield from schemas(inner, f"{at}/{name}")
    if "items" in schema:
        yield from schemas(schema["items"], f"{at}[]")


def at_path(schema: Schema, path: str) -> Schema | None:
    """What a schema says at a path of property names; None when there is no such property."""
    here: Any = schema
    for name in filter(None, path.split("/")):
        here = (here.get("properties") or {}).get(name) if isinstance(here, dict) else None
    return here if isinstance(here, dict) else None
