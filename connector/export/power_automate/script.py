"""The script of a connector that talks to the service directly: C#, with a table of what each operation needs.

The table is data, so that tests can follow it; the C# around it is short, and not compiled here.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from connector.core.manifest.model import Lookup, Trigger
from connector.export.local_options import local_options
from connector.export.power_automate.dropdowns import DISTINCT, listing, template
from connector.export.power_automate.names import operation_id, virtual_path
from connector.export.service_request import ServiceRequest, service_request
from connector.export.shape import ExportOptions
from connector.export.single_cursor import SINGLE_CURSORS
from connector.runtime.connector import Connector

PLACEHOLDER = "/*ROUTES*/"
TEMPLATE = "script_template.csx"


def script(connector: Connector, options: ExportOptions, triggers: list[Trigger]) -> str:
    """The script with its table."""
    routes: dict[str, Any] = {}
    for lookup in connector.lookups.values():
        routes[operation_id(lookup)] = _lookup_route(lookup, options)
    for trigger in triggers:
        routes[operation_id(trigger)] = _trigger_route(trigger, options)
    table = json.dumps(routes, ensure_ascii=False, indent=2).replace('"', '""')  # as a verbatim text of C#
    text = (files("connector.export.power_automate") / TEMPLATE).read_text(encoding="utf-8")
    return text.replace(PLACEHOLDER, table)


def _lookup_route(lookup: Lookup, options: ExportOptions) -> dict[str, Any]:
    request = service_request(lookup, options.wire)
    if request is None:
        return {"options": [{"value": list(one.value), "label": list(one.label)} for one in local_options(lookup)]}
    route = {
        "virtual": virtual_path(lookup),
        "path": _path(request),
        "collection": listing(lookup, options).collection,
    }
    if lookup.id in DISTINCT:
        route["distinct"] = DISTINCT[lookup.id]
    return route


def _trigger_route(trigger: Trigger, options: ExportOptions) -> dict[str, Any]:
    cursor = SINGLE_CURSORS[trigger.id]
    request = service_request(trigger, options.wire)
    if request is None:
        raise TypeError(f"{trigger.id} asks nobody")
    route: dict[str, Any] = {
        "virtual": virtual_path(trigger),
        "path": _path(request),
        "collection": "" if trigger.area == "mobility" else "data",
        "cursor": cursor.by,
        "flags": [field.name for field in trigger.inputs if field.place == "none"],
        "retry_after": str(trigger.usual_interval),
    }
    if cursor.by == "id":
        route["from"] = "from_id"
    rules = {name: getattr(cursor, name) for name in ("waits_for", "not_if", "leaves_out", "but_if")}
    return {**route, **{name: value for name, value in rules.items() if value}}


def _path(request: ServiceRequest) -> str:
    return template(dict(request.paths), request.choice.name) if request.choice else request.path
