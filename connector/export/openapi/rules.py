"""What may be wrong with an OpenAPI document although it is one: references, ids, assumptions that nobody marked."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from connector.export.shape import Export, Finding

FILE = "openapi.json"
OLDER_FILE = "openapi-3.0.json"
METHODS = ("get", "put", "post", "patch", "delete")


def lint(export: Export) -> list[Finding]:
    """All findings of the documents."""
    return [
        Finding(file, message)
        for file in (FILE, OLDER_FILE)
        for rule in (_references, _operations, _secrets, _names)
        for message in rule(json.loads(export.files[file]))
    ]


def _references(tree: Mapping[str, Any]) -> Iterator[str]:
    for reference in sorted(_all_references(tree)):
        node: Any = tree
        for step in reference.removeprefix("#/").split("/"):
            node = node.get(step) if isinstance(node, Mapping) else None
        if node is None:
            yield f"{reference} points to nothing"


def _all_references(node: Any) -> Iterator[str]:
    if isinstance(node, Mapping):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for value in node.values():
            yield from _all_references(value)
    elif isinstance(node, list):
        for value in node:
            yield from _all_references(value)


def _operations(tree: Mapping[str, Any]) -> Iterator[str]:
    operations = [
        (path, method, {**operation, "parameters": [*methods.get("parameters", []), *operation.get("parameters", [])]})
        for path, methods in tree["paths"].items()
        for method, operation in methods.items()
        if method in METHODS
    ]
    counted = Counter(operation.get("operationId") for _, _, operation in operations)
    for path, method, operation in operations:
        where = f"{method.upper()} {path}"
        if not operation.get("operationId"):
            yield f"{where} has no operationId"
        elif counted[operation["operationId"]] > 1:
            yield f"{where} shares its operationId {operation['operationId']} with another"
        if not operation.get("summary"):
            yield f"{where} has no summary"
        declared = {one["name"] for one in operation["parameters"] if one.get("in") == "path"}
        for step in path.split("/"):
            if step.startswith("{") and step[1:-1] not in declared:
                yield f"{where} does not declare {step}"
        names = Counter((one.get("in"), one.get("name")) for one in operation["parameters"] if "name" in one)
        for (place, name), times in names.items():
            if times > 1:
                yield f"{where} declares {name} in {place} {times} times"


def _secrets(tree: Mapping[str, Any]) -> Iterator[str]:
    if not tree.get("components", {}).get("securitySchemes"):
        yield "no call asks for a key"


def _names(tree: Mapping[str, Any]) -> Iterator[str]:
    """Generators name a class by the title of its schema, and keep one of two that share a name."""
    for name, schema in tree["components"]["schemas"].items():
        if "title" in schema:
            yield f"the component {name} has a title, which generators take for its name"
    names = Counter(_pascal_case(name) for name in tree["components"]["schemas"])
    for name, times in names.items():
        if times > 1:
            yield f"{times} components are called {name} in generated code"


def _pascal_case(name: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in re.split(r"[^A-Za-z0-9]+", name))
