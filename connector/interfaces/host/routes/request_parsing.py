"""Parses a request: a JSON body up to a maximum size, or inputs in the query."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.types import Receive, Scope

from connector.core import limits
from connector.core.messages import say
from connector.core.problems import reason_of
from connector.core.values import json
from connector.core.values.json_members import HoldsTooMuch
from connector.interfaces.host.errors import BodyHoldsTooMuch, PayloadTooLarge
from connector.interfaces.request_body import read_body
from connector.operations.operation import BadRequest

SMALL = limits.MAX_SMALL_BODY_BYTES
KIND_NAMES: Mapping[type, str] = {
    dict: "host_kind_object",
    str: "host_kind_text",
    bool: "host_kind_boolean",
    int: "host_kind_whole",
}


def raw_header(scope: Scope, name: bytes) -> str:
    """Return a header, empty if it is absent; where it is the only one needed, in half of the time."""
    for header, value in scope["headers"]:
        if header == name:
            return str(value, "latin-1")
    return ""


async def read_bytes(scope: Scope, receive: Receive, max_bytes: int) -> bytes:
    """Read the body; raise as soon as it exceeds `max_bytes`."""
    announced = raw_header(scope, b"content-length")
    if announced.isdecimal() and int(announced) > max_bytes:
        raise PayloadTooLarge(max_bytes)
    chunks: list[bytes] = []
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        chunks.append(message.get("body", b""))
        size += len(chunks[-1])
        if size > max_bytes:
            raise PayloadTooLarge(max_bytes)
        more = message.get("more_body", False)
    return b"".join(chunks)


async def read_object(request: Request, fields: Mapping[str, type], max_bytes: int = SMALL) -> dict[str, Any]:
    """Read a JSON object with only these fields; null and an empty body count as absent."""
    document = await read_document(request, max_bytes)
    for name, value in document.items():
        kind = fields.get(name)
        if kind is None:
            raise BadRequest(say("host_field_unknown", name=name[:64]), field=name[:64])
        fits = isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
        if value is not None and not fits:
            raise BadRequest(say("host_field_wrong", name=name, kind=say(KIND_NAMES[kind])), field=name)
    return {name: value for name, value in document.items() if value is not None}


async def read_document(request: Request, max_bytes: int = SMALL) -> dict[str, Any]:
    """Read a JSON object; an empty body counts as an empty one."""
    body = await read_bytes(request.scope, request.receive, max_bytes)
    if not body.strip():
        return {}
    try:
        document = await read_body(request.scope, json.decode_unambiguous, body)
    except json.GivenTwice as twice:
        raise BadRequest(say("given_twice", name=twice.name[:64]), field=twice.name[:64]) from None
    except HoldsTooMuch as refused:
        raise BodyHoldsTooMuch(refused.text) from None
    except ValueError as error:
        raise BadRequest(say("host_not_json", why=reason_of(error))) from None
    if not isinstance(document, dict):
        raise BadRequest(say("host_not_an_object"))
    return document


def required(document: Mapping[str, Any], name: str) -> Any:
    """Return a field or raise if it is missing."""
    if name not in document:
        raise BadRequest(say("host_field_missing", name=name), field=name)
    return document[name]


def idempotency_key(request: Request, in_body: str | None = None) -> str | None:
    """Return the key of a request, from the body or the `Idempotency-Key` header."""
    given = set(request.headers.getlist("idempotency-key"))
    if not given:
        return in_body
    in_header = given.pop()
    if given:
        raise BadRequest(say("host_keys_differ"), remedy=say("host_keys_differ_remedy"), field="key")
    if len(in_header) >= 2 and in_header[0] == in_header[-1] == '"':
        in_header = in_header[1:-1]  # a structured-field string is quoted
    if in_body is not None and in_body != in_header:
        raise BadRequest(say("host_keys_differ"), remedy=say("host_keys_differ_remedy"), field="key")
    return in_header


def read_query(request: Request, reserved: Iterable[str]) -> tuple[dict[str, Any], dict[str, str]]:
    """Return inputs and reserved parameters from the query; a list or an object is a JSON text, as in any input."""
    reserved_names = frozenset(reserved)
    inputs: dict[str, Any] = {}
    reserved_values: dict[str, str] = {}
    for name, value in request.query_params.multi_items():
        if name in inputs or name in reserved_values:
            raise BadRequest(say("host_given_twice", name=name[:64]), remedy=say("host_query_remedy"), field=name[:64])
        (reserved_values if name in reserved_names else inputs)[name] = value
    return inputs, reserved_values
