"""How an answer becomes the output of a module, and which fields that output has."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from connector.core.manifest.model import Action, Manifest, Trigger
from connector.export.make.iml import whole
from connector.export.output_fields import DATE_TIME, OutputField

TYPES = {"text": "text", "number": "number", "integer": "number", "boolean": "boolean"}
SPREAD = "{{...}}"
"""As a key: lays the fields of its value out beside the others."""
OBJECT = "ifempty(body.data, body)"
WEBHOOK_URL = "ifempty(body.data.webhook_url, ifempty(body.webhook_url, ifempty(body.data.url, body.url)))"
"""The service does not show how it wraps the webhook URL."""
SHAPES: dict[str, dict[str, Any]] = {
    "check_permissions": {
        "iterate": whole(f"toArray({OBJECT})"),
        "output": {"area": "{{item.key}}", SPREAD: "{{item.value}}"},
    },
    "save_person_account": {
        "output": {SPREAD: whole(OBJECT), "ledgerAntwort": "{{ifempty(body.ledgerAntwort, body.data.ledgerAntwort)}}"}
    },
    "get_webhook_url": {"output": {"webhook_url": whole(WEBHOOK_URL)}},
    "set_webhook_url": {"output": {"webhook_url": whole(WEBHOOK_URL)}},
}
"""Where a handler shapes the answer, the same in Make's words."""


def of_service(action: Action) -> dict[str, Any]:
    """What to make of the service's answer."""
    shape = SHAPES.get(action.id)
    if shape is None:
        if action.is_list:
            shape = {"iterate": container(action, action.resource), "output": "{{item}}"}
        else:
            shape = {"output": whole(OBJECT)}
    return {**shape, "limit": "{{parameters.limit}}"} if action.is_list else dict(shape)


def of_host(action: Action) -> dict[str, Any]:
    """What to make of the host's answer."""
    if action.is_list:
        return {"iterate": "{{body.output.items}}", "output": "{{item}}", "limit": "{{parameters.limit}}"}
    return {"output": "{{body.output}}"}


def container(manifest: Manifest, resource: str = "") -> str:
    """Where the service's answer carries its list."""
    if manifest.area == "mobility":
        return "{{body}}"
    ledger_connections = resource == "LedgerConnection" or manifest.id == "ledger_connections"
    return "{{body.connections}}" if ledger_connections else "{{body.data}}"


def interface(fields: Iterable[OutputField], lang: str) -> list[dict[str, Any]]:
    """The output's fields as Make declares them."""
    return [_field(field, lang) for field in fields]


def _field(field: OutputField, lang: str) -> dict[str, Any]:
    made: dict[str, Any] = {"name": field.name, "type": TYPES.get(field.kind, ""), "label": field.label.in_(lang)}
    if field.format == DATE_TIME:
        made["type"] = "date"
    elif field.kind == "object":
        made["type"] = "collection"
        made["spec"] = interface(field.fields, lang)
    elif field.kind == "list":
        made["type"] = "array"
        made["spec"] = interface(field.fields, lang) if field.fields else {"type": TYPES.get(field.of, "text")}
    return made


def kept(fields: Iterable[OutputField], leave_out: Iterable[str]) -> tuple[OutputField, ...]:
    """Fields without those that only Kontor could fill."""
    out = frozenset(leave_out)
    return tuple(field for field in fields if field.name not in out)


def own_fields(trigger: Trigger, platform_adds: Iterable[str]) -> tuple[str, ...]:
    """The fields that Kontor adds to a trigger's items, without those that the platform can add itself."""
    adds = frozenset(platform_adds)
    sample = trigger.sample[0]
    return tuple(name for name in sample if name.startswith("_") and name not in adds)
