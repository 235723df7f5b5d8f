"""Writes the TypeScript that differs from export to export: the credential, the three nodes, and the tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from connector.core.manifest.model import Manifest
from connector.core.messages import say
from connector.export.n8n import wording
from connector.export.n8n.files import HOMEPAGE
from connector.export.n8n.literal import literal
from connector.export.n8n.ports import FOLDER
from connector.export.shape import ExportOptions

QUELLE = "n8n"
"""The label under which the service sees calls from this platform."""
Parameters = Sequence[Mapping[str, Any]]


def credential(test: Mapping[str, str], options: ExportOptions) -> str:
    """The credential, with a test that costs nothing."""
    lang, host = options.lang, options.via == "host"
    address = {
        "displayName": wording.title(say("export_host_url" if host else "export_base_url"), lang),
        "name": "baseUrl",
        "type": "string",
        "required": True,
        "default": options.host_url if host else options.base_url,
        "description": wording.description(say("export_host_url_help" if host else "export_base_url_help"), lang),
    }
    key = _secret("api_key", "apiKey", lang)
    properties = [address, _secret("host_token", "hostToken", lang), key] if host else [address, key]
    headers = {"x-api-key": "={{$credentials.apiKey}}"}
    if host:
        headers["authorization"] = "=Bearer {{$credentials.hostToken}}"
    request = {"baseURL": "={{$credentials.baseUrl}}", "url": test["path"], "method": test["method"]}
    if host:
        request |= {"url": "/v1/credential/test", "method": "POST"}
    return _filled(
        "KontorApi.credentials.ts",
        homepage=literal(HOMEPAGE),
        properties=literal(properties, 1),
        authenticate=literal({"type": "generic", "properties": {"headers": headers}}, 1),
        test=literal({"request": request, "rules": _verdicts(lang, host)}, 1),
    )


def _verdicts(lang: str, host: bool) -> list[dict[str, Any]]:
    """What the test says for each way to be refused; by itself n8n shows no more than the status in words."""
    sentences = {
        401: "n8n_test_unknown_to_host" if host else "n8n_test_unknown",
        403: "n8n_test_forbidden",
        404: "n8n_test_elsewhere",
        429: "n8n_test_later",
    }
    return [
        {"type": "responseCode", "properties": {"value": status, "message": say(name).in_(lang)}}
        for status, name in sentences.items()
    ]


def _secret(name: str, field: str, lang: str) -> dict[str, Any]:
    return {
        "displayName": wording.title(say(f"export_{name}"), lang),
        "name": field,
        "type": "string",
        "typeOptions": {"password": True},
        "required": True,
        "default": "",
        "description": wording.description(say(f"export_{name}_help"), lang),
    }


def action_node(resources: Parameters, areas: Sequence[str]) -> str:
    """The node with all operations."""
    imports = "".join(f"import {{ {area}Description }} from './{area}Description';\n" for area in areas)
    spread = "".join(f"\t\t\t...{area}Description,\n" for area in areas)
    listed = "".join(f"\t\t\t{literal(one, 3)},\n" for one in resources)
    return _filled("Kontor.node.ts", imports=imports, properties=f"[\n{listed}{spread}\t\t]")


def poll_node(parameters: Parameters) -> str:
    """The node that polls."""
    return _filled("KontorTrigger.node.ts", properties=literal(parameters, 2))


def event_node(parameters: Parameters) -> str:
    """The node that the service's events start."""
    return _filled("KontorEventTrigger.node.ts", properties=literal(parameters, 2))


def parameters(area: str, found: Parameters) -> str:
    """The operations of one area."""
    return (
        "import type { INodeProperties } from 'n8n-workflow';\n\n"
        f"export const {area}Description: INodeProperties[] = {literal(found)};\n"
    )


def tables(rows: Mapping[str, Any], dropdowns: Mapping[str, Any], options: ExportOptions) -> str:
    """What every action, lookup and trigger sends and accepts, and how the forms use the lookups."""
    types = {"ACTIONS": "Action", "LOOKUPS": "Lookup", "TRIGGERS": "Trigger"}
    lines = ["import type { Action, DropdownUse, Lookup, Marker, Trigger } from './shapes';", ""]
    for name, table in rows.items():
        lines += [f"export const {name}: Record<string, {types[name]}> = {literal(table)};", ""]
    lines += [f"export const DROPDOWNS: Record<string, DropdownUse> = {literal(dropdowns)};", ""]
    marker = options.wire.marker
    told = {"place": marker.place, "key": marker.name, "value": marker.value}
    lines += [f"export const MARKER: Marker = {literal(told)};", "", f"export const QUELLE = {literal(QUELLE)};", ""]
    return "\n".join(lines)


def constant(name: str, kind: str, value: Any) -> str:
    """One exported constant."""
    return f"export const {name}: {kind} = {literal(value)};\n"


def handlers(ported: Sequence[Manifest]) -> str:
    """Which module says what a manifest cannot, by kind and id."""
    lines = ["import type { ActionHandler, LookupHandler, TriggerHandler } from './shapes';"]
    kinds = (("action", "ActionHandler"), ("lookup", "LookupHandler"), ("trigger", "TriggerHandler"))
    for kind, _ in kinds:
        lines += [f"import * as {kind}_{one.id} from './{kind}s/{one.id}';" for one in ported if one.kind == kind]
    for kind, type_ in kinds:
        inner = "".join(f"\t{one.id}: {kind}_{one.id},\n" for one in ported if one.kind == kind)
        name = f"{kind.upper()}_HANDLERS"
        lines += ["", f"export const {name}: Record<string, {type_}> = {{\n{inner}}};"]
    return "\n".join([*lines, ""])


def _filled(template: str, **parts: str) -> str:
    """A template with its marked places filled: each is written `/*name*/`."""
    text = (FOLDER / "nodes" / template).read_text(encoding="utf-8")
    for name, part in parts.items():
        text = text.replace(f"/*{name}*/", part)
    return text
