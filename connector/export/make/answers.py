"""How an answer becomes the output of a module, and which fields that output has."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from connector.core.manifest.model import Action, Request
from connector.core.manifest.output_fields import DATE_TIME, OutputField
from connector.core.messages import say
from connector.export.make.iml import either, whole
from connector.export.shape import Dropped

TYPES = {"text": "text", "number": "number", "integer": "number", "boolean": "boolean"}
SPREAD = "{{...}}"
"""As a key: lays the fields of its value out beside the others."""
BODY = "body"


def of_service(action: Action, request: Request) -> dict[str, Any]:
    """What to make of the service's answer."""
    shape, inner = action.shape, object_in(request)
    made: dict[str, Any]
    if "entries" in shape:
        entries = shape["entries"]
        rows = {"container": whole(f"toArray({inner})"), "condition": whole(f"item.value.{entries['having']}")}
        made = {"iterate": rows, "output": {entries["as"]: "{{item.key}}", SPREAD: "{{item.value}}"}}
    elif "first_of" in shape:
        made = {"output": {shape["as"]: whole(first_of(action, request))}}
    elif action.is_list:
        made = {"iterate": whole(rows_in(request)), "output": "{{item}}"}
    elif "keep" in shape:
        kept = {name: whole(either([f"body.{name}", f"body.{request.answer_in}.{name}"])) for name in shape["keep"]}
        made = {"output": {SPREAD: whole(inner), **kept}}
    else:
        made = {"output": whole(inner)}
    return {**made, "limit": "{{parameters.limit}}"} if action.is_list else made


def of_host(action: Action) -> dict[str, Any]:
    """What to make of the host's answer."""
    if action.is_list:
        return {"iterate": "{{body.output.items}}", "output": "{{item}}", "limit": "{{parameters.limit}}"}
    # A write that waits for approval has a state and no output yet.
    return {"output": "{{if(body.state, body, body.output)}}" if action.writes else "{{body.output}}"}


def simplified(action: Action) -> list[Dropped]:
    """What of the declared shape Make leaves out."""
    shape = action.shape
    found = {shape["wrap"]: "left_out_wrapped"} if "wrap" in shape else {}
    if "entries" in shape:
        found[shape["entries"]["as"]] = "left_out_entries"
    return [Dropped("field", f"{action.id}.{name}", say(reason)) for name, reason in found.items()]


def rows_in(request: Request) -> str:
    """Where the service's answer carries its list; one that is not shown may also come bare."""
    if request.answer_in == BODY:
        return BODY
    under = f"body.{request.answer_in}"
    return either([under, BODY]) if request.answer_assumed else under


def object_in(request: Request) -> str:
    """Where the service's answer carries its object."""
    return BODY if request.answer_in == BODY else either([f"body.{request.answer_in}", BODY])


def first_of(action: Action, request: Request) -> str:
    """The first of the declared keys, in the envelope or bare."""
    keys = action.shape["first_of"]
    return either([*(f"body.{request.answer_in}.{key}" for key in keys), *(f"body.{key}" for key in keys)])


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
