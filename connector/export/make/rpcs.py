"""The RPCs that fill dropdowns, one per lookup."""

from __future__ import annotations

from typing import Any

from connector.core.manifest.model import Lookup
from connector.export.local_options import LocalOption, Part, local_options
from connector.export.make import requests
from connector.export.make.answers import container
from connector.export.make.iml import whole
from connector.export.make.modules import Component
from connector.export.make.names import CONNECTION, DEPENDENCY, label, rpc_id
from connector.export.make.parameters import plain
from connector.export.service_request import service_request
from connector.export.shape import ExportOptions

MOST = 300
"""Entries that a dropdown of Make shows."""
LABELS = {
    "bank_accounts": "{{ifempty(item.name, item.id)}} {{item.extra.iban}}",
    "bank_connections": "{{ifempty(item.provider_name, item.connection_id)}} ({{item.connection_id}})",
    "document_types": "{{ifempty(item.bezeichnung, item.id)}}",
    "ledger_connections": "{{ifempty(item.bezeichnung, item.id)}} ({{item.status}})",
    "payments": "{{item.creditor_name}}, {{item.amount}} {{item.currency_code}} ({{item.status}})",
}
VALUES = {"bank_connections": "{{item.connection_id}}", "document_types": "{{ifempty(item.id, item.bezeichnung)}}"}
"""Where a handler makes the options, the same in Make's words."""
CONTAINERS = {"bank_connections": "{{distinct(body.data, 'connection_id')}}"}


def rpc(lookup: Lookup, options: ExportOptions) -> Component:
    """The RPC of a lookup."""
    code = {"communication": _communication(lookup, options), "params": plain(lookup.inputs, options.lang, DEPENDENCY)}
    entry = {"label": label(lookup, options.lang), "connection": CONNECTION, "altConnection": None}
    return Component("rpc", rpc_id(lookup.id), entry, code)


def _communication(lookup: Lookup, options: ExportOptions) -> dict[str, Any]:
    if options.via == "host":
        output = {"label": "{{item.label}}", "value": "{{item.value}}"}
        answer = {"iterate": "{{body.options}}", "output": output, "limit": MOST}
        return {**requests.options_of_host(lookup, DEPENDENCY), "response": answer}
    request = service_request(lookup, options.wire)
    if request is None:
        return {"response": {"output": [_local(option) for option in local_options(lookup)]}}
    response = {
        "iterate": CONTAINERS.get(lookup.id, container(lookup)),
        "output": {"label": _label(lookup), "value": _value(lookup)},
        "limit": MOST,
    }
    return {**requests.to_service(request, DEPENDENCY), "response": response}


def _label(lookup: Lookup) -> str:
    declared = whole(f"ifempty(item.{lookup.label}, item.{lookup.value})") if lookup.label else "{{item.id}}"
    return LABELS.get(lookup.id, declared)


def _value(lookup: Lookup) -> str:
    return VALUES.get(lookup.id, whole(f"item.{lookup.value or 'id'}"))


def _local(option: LocalOption) -> dict[str, str]:
    return {"label": "".join(map(_text, option.label)), "value": "".join(map(_text, option.value))}


def _text(part: Part) -> str:
    return part if isinstance(part, str) else whole(f"formatDate(addYears(now, {part}), 'YYYY')")
