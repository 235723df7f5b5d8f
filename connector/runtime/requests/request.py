"""Builds the call for a manifest and converted inputs. Pure: a dry run stops here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from connector.client.call import Call
from connector.core.data.fields import Field
from connector.core.errors import InputError
from connector.core.manifest.model import Action, Lookup, Manifest, Request, Trigger
from connector.core.messages import say
from connector.core.service.wire import BODIES, Wire
from connector.core.values.dates import iso

if TYPE_CHECKING:
    from connector.core.manifest.handlers import Handler


def handler_function(manifest: Manifest, function: str) -> Callable[..., Any] | None:
    """Return a hook of the manifest's handler; None when it has none."""
    found: Callable[..., Any] | None = attribute(manifest, function)
    return found


def attribute(manifest: Manifest, name: str) -> Any:
    """Return an attribute of the manifest's handler; None when there is none."""
    if not isinstance(manifest, Action | Trigger) or not manifest.code:
        return None
    return getattr(_handler(f"connector.{manifest.kind}s.{manifest.area}.{manifest.id}"), name, None)


def class_name(id: str) -> str:
    """Return the name of a manifest's handler: `InitiatePayment`."""
    return "".join(part.capitalize() for part in id.split("_"))


@lru_cache(maxsize=64)
def _handler(module: str) -> type[Handler]:
    found: type[Handler] = getattr(import_module(module), class_name(module.rpartition(".")[2]))
    return found


QUELLE = "quelle"
"""The label of the calling source, which every ledger call carries."""
DEADLINE_FACTOR = 2.0
"""The deadline of a call as a multiple of its timeout: time to wait for a permit and to retry."""


def build_call(manifest: Manifest, inputs: Mapping[str, Any], wire: Wire) -> Call:
    """Build the call for these inputs."""
    own = handler_function(manifest, "request")
    if own is not None:
        return _handler_call(manifest, own(inputs), wire)
    if manifest.request is None:
        raise TypeError(f"{manifest.id} sends nothing")
    path: dict[str, str] = {}
    query: dict[str, str | list[str]] = dict(manifest.request.query)
    body: dict[str, Any] = {}
    whole: Any = None
    for field in manifest.inputs:
        if field.name not in inputs or field.place == "none":
            continue
        value = inputs[field.name]
        if field.place == "path":
            path[field.name] = _segment(field, value)
        elif field.place == "query":
            query[_name(field, wire)] = _query_text(value)
        elif field.place == "whole_body":
            whole = value
        elif field.place == "beside_query":
            query |= _undeclared(manifest, field, value, wire, _plain_text)
        elif field.place == "beside_body":
            body |= _undeclared(manifest, field, value, wire, lambda name, value: value)
        else:
            body[_name(field, wire)] = value
    names = {field.wire: wire[field.wire] for field in manifest.inputs if field.wire and field.wire not in BODIES}
    return Call(
        method=manifest.request.method,
        path=_path(manifest.request, inputs).format(**path),
        query=query,
        body=whole if whole is not None else body or None,
        wire_names={key: name for key, name in names.items() if name},
        has_client="client" in inputs,
        carries_quelle=manifest.carries_quelle,
        **_send_options(manifest),
    )


def _undeclared(
    manifest: Manifest, field: Field, given: Mapping[str, Any], wire: Wire, write: Callable[[str, Any], Any]
) -> dict[str, Any]:
    """Return what an input adds to a query or body under names of its own; refuse those that are declared."""
    taken = {QUELLE}
    for one in manifest.inputs:
        taken |= {one.name.casefold(), (wire_name(one, wire) or one.name).casefold()}
    for name in given:
        if name.casefold() in taken - {field.name}:
            raise InputError(say("extra_declared", name=name), field=field.name, reason="extra_declared")
    try:
        return {name: write(name, value) for name, value in given.items()}
    except TypeError as error:
        raise InputError(say("extra_value", name=error), field=field.name, reason="extra_value") from None


def _plain_text(name: str, value: Any) -> str:
    if not isinstance(value, str | bool | int | float | Decimal):
        raise TypeError(name)
    return _query_text(value)


def _handler_call(manifest: Manifest, own: Mapping[str, Any], wire: Wire) -> Call:
    """Build the call that a handler's `request` describes."""
    reads = own["method"] == "GET"
    if isinstance(manifest, Action) and manifest.check_written_path is not None and not reads:
        manifest.check_written_path(own["method"], own["path"])
    query = {
        name: [_query_text(item) for item in value] if isinstance(value, list) else _query_text(value)
        for name, value in own.get("query", {}).items()
    }
    find = manifest.declared if isinstance(manifest, Action) else None
    declared = find(own["method"], own["path"]) if find else None
    if declared is not None and isinstance(manifest, Action) and manifest.check_declared is not None:
        manifest.check_declared(declared, own.get("query", {}), own.get("body"), wire)
    options = {**_send_options(declared or manifest), "label": manifest.id, "writes": not reads, "names_result": False}
    return Call(
        method=own["method"],
        path=own["path"],
        query=query,
        body=None if reads else own.get("body"),
        carries_quelle=declared.carries_quelle if declared else bool(own.get("carries_quelle")),
        **options,
    )


def _send_options(manifest: Manifest) -> dict[str, Any]:
    """Return label, cost, timeouts and other options of the call."""
    options: dict[str, Any] = {"label": manifest.id, "cost": manifest.cost.credits}
    if isinstance(manifest, Action):
        options |= {
            "writes": manifest.writes,
            "names_result": manifest.repeat == "duplicates" and not manifest.shape.get("else_answer"),
            "made_names": manifest.request.answer_names if manifest.request is not None else (),
            "reserves": manifest.cost.settles_later,
            "returns_payments": manifest.resource == "Payment",
            "timeout": manifest.timeout,
            "deadline": manifest.timeout * DEADLINE_FACTOR,
        }
    elif isinstance(manifest, Lookup):
        options |= {"lookup": True, "marked": manifest.carries_marker, "cost": manifest.cost.dropdown or 0}
    elif isinstance(manifest, Trigger):
        options |= {
            "returns_payments": manifest.resource == "Payment",
            "timeout": manifest.timeout,
            "deadline": manifest.timeout * DEADLINE_FACTOR,
        }
    return options


def _path(request: Request, inputs: Mapping[str, Any]) -> str:
    return request.path or request.choose[inputs[str(request.by)]]


def _name(field: Field, wire: Wire) -> str:
    name = wire_name(field, wire)
    if name is None:
        text = say("wire_name_absent", field=field.name, key=field.wire)
        raise InputError(text, field=field.name, reason="wire_name_absent")
    return name


def wire_name(field: Field, wire: Wire) -> str | None:
    """Return what the service calls an input; None where it has no such parameter."""
    if field.wire in BODIES:
        name = wire[str(field.wire)][field.name]
    else:
        name = wire[field.wire] if field.wire else field.as_ or field.name
    return None if name is None else str(name)


def _segment(field: Field, value: Any) -> str:
    text = str(value)
    if text in {".", ".."}:
        raise InputError(say("not_an_id"), field=field.name, reason="not_an_id")
    return quote(text, safe="")


def _query_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return f"{value:f}"
    return iso(value).replace("+00:00", "Z") if isinstance(value, datetime) else str(value)
