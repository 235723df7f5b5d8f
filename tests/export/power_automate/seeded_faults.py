"""Seeds a fault into a Power Automate connector that has none."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from connector import Connector
from connector.export import power_automate
from connector.export.shape import Export, ExportOptions

CONNECTOR = Connector("unused")
CLEAN = {via: power_automate.build(CONNECTOR, ExportOptions(via=via, with_writes=True)) for via in ("service", "host")}
DEFINITION, PROPERTIES = "apiDefinition.swagger.json", "apiProperties.json"
Tree = dict[str, Any]
Fault = Callable[[Tree], Any]


def with_fault(fault: Fault, via: str = "service", file: str = DEFINITION) -> Export:
    tree = json.loads(CLEAN[via].files[file])
    fault(tree)
    return replace(CLEAN[via], files={**CLEAN[via].files, file: json.dumps(tree).encode()}, findings=())


def operation(tree: Tree, id: str) -> Tree:
    return next(one for item in tree["paths"].values() for one in item.values() if one.get("operationId") == id)


def put(id: str, *path: Any, value: Any) -> Fault:
    """Sets a value deep inside an operation; the value `...` removes it."""
    return lambda tree: _put(operation(tree, id), path, value)


def top(*path: Any, value: Any) -> Fault:
    return lambda tree: _put(tree, path, value)


def _put(here: Any, path: tuple[Any, ...], value: Any) -> None:
    for step in path[:-1]:
        here = here[step]
    if value is ...:
        del here[path[-1]]
    else:
        here[path[-1]] = value
