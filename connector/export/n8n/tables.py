"""The tables that the package's TypeScript works from: what each action, lookup and trigger sends and accepts.

Via a host they are short, since the host knows the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from connector.core.manifest.fields import Field
from connector.core.manifest.model import Action, Lookup, Manifest, Trigger
from connector.core.messages import template
from connector.core.wire import BODIES, Wire
from connector.export.n8n.fields import stands_in_form
from connector.export.shape import ExportOptions

SAID = re.compile(r"say\(\s*'([a-z0-9_]+)'")
"""How the TypeScript names a sentence."""


def entry(manifest: Manifest, options: ExportOptions) -> dict[str, Any]:
    """The table's row for one manifest."""
    row: dict[str, Any] = {"id": manifest.id, "fields": fields(manifest, options)}
    if isinstance(manifest, Action):
        row |= {"list": manifest.is_list, "writes": manifest.writes, "timeout": int(manifest.timeout * 1000)}
    if isinstance(manifest, Trigger):
        row |= {"list": manifest.is_list, "timeout": int(manifest.timeout * 1000)}
        if manifest.source == "event":
            row["events"] = list(manifest.events)
    if options.via == "host":
        return row
    request = manifest.request
    if request is not None:
        row |= {"method": request.method, "query": dict(request.query), "ledger": manifest.area == "ledger"}
        row |= {"path": request.path} if request.path else {"by": request.by, "paths": dict(request.choose)}
    if isinstance(manifest, Action | Trigger) and manifest.messages:
        row["messages"] = {name: text.in_(options.lang) for name, text in sorted(manifest.messages.items())}
    if isinstance(manifest, Lookup) and manifest.value:
        row["option"] = {"value": manifest.value, "label": manifest.label, "hint": manifest.hint}
    return row


def fields(manifest: Manifest, options: ExportOptions) -> list[dict[str, Any]]:
    """The inputs of a manifest that can be sent."""
    internal = options.via == "service"
    named = isinstance(manifest, Lookup)  # a dropdown asks for what it needs by the name that the form shows
    return [
        {
            **_field(one, options),
            **({"label": one.label.in_(options.lang)} if named else {}),
            **({} if stands_in_form(one) else {"additional": True}),
        }
        for one in manifest.inputs
        if sendable(one, options.wire) and (internal or not one.internal)
    ]


def sendable(field: Field, wire: Wire) -> bool:
    """Whether the service has a name for it; a wire name of null says that it has none."""
    return not field.wire or field.wire in BODIES or wire[field.wire] is not None


def _field(field: Field, options: ExportOptions) -> dict[str, Any]:
    row: dict[str, Any] = {"name": field.name, "type": field.type}
    for name, value in (
        ("required", field.required),
        ("listRequired", field.presence == "required" and field.type == "list"),
        ("default", field.default),
        ("format", field.format),
        ("values", [choice.value for choice in field.values]),
        ("open", field.open),
        ("internal", field.internal),
        ("aliases", list(field.aliases)),
        ("min", field.min),
        ("max", field.max),
        ("maxLength", field.max_length),
        ("currencyField", field.currency_field),
        ("fields", [_field(one, options) for one in field.fields]),
    ):
        if value is not None and value is not False and value != []:
            row[name] = value
    if options.via == "service" and field.place != "none":
        row |= {"place": field.place, "as": _wire_name(field, options.wire)}
        if field.wire and field.wire not in BODIES:
            row["wire"] = field.wire
    return row


def _wire_name(field: Field, wire: Wire) -> str:
    if field.wire in BODIES:
        return str(wire[str(field.wire)][field.name])
    return str(wire[field.wire]) if field.wire else field.as_ or field.name


def sentences(sources: Iterable[str], lang: str) -> dict[str, str]:
    """Every sentence that the TypeScript says, in the package's language."""
    names = sorted({name for source in sources for name in SAID.findall(source)})
    return {name: template(name).in_(lang).replace("{{", "{").replace("}}", "}") for name in names}


@lru_cache(maxsize=1)
def currencies() -> list[tuple[str, str, int]]:
    """Code, name and decimals of every currency, the euro first."""
    from iso4217 import Currency

    found = [(one.code, one.currency_name, int(one.exponent)) for one in Currency if one.exponent is not None]
    return sorted(found, key=lambda one: (one[0] != "EUR", one[0]))
