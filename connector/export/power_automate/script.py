"""The script of a connector that talks to the service directly: C#, with a table of what each operation needs.

The table is data, so that tests can follow it; the C# around it is short, and compiled and run by tests only.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from connector.core.manifest.model import Action, Lookup, Manifest, Trigger
from connector.core.messages import say
from connector.core.polls.by_id import ById
from connector.export.local_options import local_options
from connector.export.power_automate.dropdowns import template
from connector.export.power_automate.names import operation_id, virtual_path
from connector.export.power_automate.templates import conditions, option_text
from connector.export.service_request import ServiceRequest, service_request
from connector.export.shape import ExportOptions
from connector.runtime.connector import Connector

PLACEHOLDER = "/*ROUTES*/"
TEMPLATE = "script_template.csx"


def script(connector: Connector, options: ExportOptions, actions: list[Action], triggers: list[Trigger]) -> str:
    """The script with its table."""
    told = say("power_not_repeated").in_(options.lang)
    routes: dict[str, Any] = {operation_id(action): {"once": told} for action in actions if action.writes}
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
        local = local_options(lookup, options.lang)
        return {"options": [{"value": list(one.value), "label": list(one.label)} for one in local]}
    return {
        "virtual": virtual_path(lookup),
        "path": _path(request),
        "collection": _collection(lookup),
        **option_text(lookup.options, options.lang),
    }


def _trigger_route(trigger: Trigger, options: ExportOptions) -> dict[str, Any]:
    request, poll = service_request(trigger, options.wire), trigger.poll
    if request is None or poll is None:
        raise TypeError(f"{trigger.id} asks nobody")
    route: dict[str, Any] = {
        "virtual": virtual_path(trigger),
        "path": _path(request),
        "collection": _collection(trigger),
        "cursor": poll.single,
        "flags": [field.name for field in trigger.inputs if field.place == "none"],
        "retry_after": str(trigger.usual_interval),
    }
    if isinstance(poll, ById):
        route["from"] = next(placed.name for placed in request.query if placed.field.name == poll.after)
        route |= {name: _held(one) for name, one in (("wait", poll.wait), ("skip", poll.skip)) if one}
    return route


def _held(declared: Mapping[str, Any]) -> dict[str, Any]:
    """The rows that wait or are skipped, and the flag that switches it off."""
    return {"when": conditions(declared["when"]), **({"unless": declared["unless"]} if "unless" in declared else {})}


def _collection(manifest: Manifest) -> str:
    """Where the answer carries its list; empty when it is the list itself."""
    request = manifest.request
    return "" if request is None or request.answer_in == "body" else request.answer_in


def _path(request: ServiceRequest) -> str:
    return template(dict(request.paths), request.choice.name) if request.choice else request.path
