"""The RPCs that fill dropdowns, one per lookup."""

from __future__ import annotations

from typing import Any

from connector.core.manifest.model import Lookup
from connector.export.local_options import LocalOption, Part, local_options
from connector.export.make import option_text, requests
from connector.export.make.answers import rows_in
from connector.export.make.iml import ZONE, literal, whole
from connector.export.make.modules import Component
from connector.export.make.names import CONNECTION, DEPENDENCY, label, rpc_id
from connector.export.make.parameters import plain
from connector.export.service_request import service_request
from connector.export.shape import ExportOptions
from connector.export.unexpressed import plainer_options

MOST = 300
"""Entries that a dropdown of Make shows."""


def rpc(lookup: Lookup, options: ExportOptions) -> Component:
    """The RPC of a lookup."""
    code = {"communication": _communication(lookup, options), "params": plain(lookup.inputs, options.lang, DEPENDENCY)}
    entry = {"label": label(lookup, options.lang), "connection": CONNECTION, "altConnection": None}
    dropped = plainer_options(lookup) if options.via == "service" else []
    return Component("rpc", rpc_id(lookup.id), entry, code, tuple(dropped))


def _communication(lookup: Lookup, options: ExportOptions) -> dict[str, Any]:
    if options.via == "host":
        output = {"label": "{{item.label}}", "value": "{{item.value}}"}
        answer = {"iterate": "{{body.options}}", "output": output, "limit": MOST}
        return {**requests.options_of_host(lookup, DEPENDENCY), "response": answer}
    request = service_request(lookup, options.wire)
    if request is None or lookup.request is None:
        return {"response": {"output": [_local(option) for option in local_options(lookup, options.lang)]}}
    value, rows = option_text.value(lookup.options), rows_in(lookup.request)
    if lookup.options.declared.get("distinct"):
        rows = f"distinct({rows}, {literal(lookup.options.values[0])})"
    response = {
        "iterate": {"container": whole(rows), "condition": whole(value)},
        "output": {"label": option_text.text(lookup.options, options.lang), "value": whole(value)},
        "limit": MOST,
    }
    return {**requests.to_service(request, DEPENDENCY), "response": response}


def _local(option: LocalOption) -> dict[str, str]:
    return {"label": "".join(map(_text, option.label)), "value": "".join(map(_text, option.value))}


def _text(part: Part) -> str:
    return part if isinstance(part, str) else whole(f"formatDate(addYears(now, {part}), 'YYYY', '{ZONE}')")
