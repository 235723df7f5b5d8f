"""Reads a request: its body within bounds and exactly, or its query for callers that can only GET."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from starlette.requests import ClientDisconnect, Request

from connector.core.manifest.fields import Field
from connector.core.messages import say
from connector.core.values import json
from connector.interfaces.host.refusals import Malformed, TooLarge

T = TypeVar("T")
SMALL = 256 * 1024
"""Enough for everything but a run, which may carry receipt images."""
KIND_NAMES: Mapping[type, str] = {dict: "host_kind_object", str: "host_kind_text", bool: "host_kind_boolean"}


async def read_bytes(request: Request, most: int = SMALL) -> bytes:
    """The body; raises as soon as it is known to be too large."""
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced) > most:
        raise TooLarge(most)
    chunks: list[bytes] = []
    size, more = 0, True
    while more:
        message = await request.receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        chunks.append(message.get("body", b""))
        size += len(chunks[-1])
        if size > most:
            raise TooLarge(most)
        more = message.get("more_body", False)
    return b"".join(chunks)


async def read_object(request: Request, fields: Mapping[str, type], most: int = SMALL) -> dict[str, Any]:
    """The body as a JSON object with these fields and no others; null counts as absent, and so does no body at all."""
    body = await read_bytes(request, most)
    if not body.strip():
        return {}
    try:
        document = json.decode(body)
    except ValueError as error:
        raise Malformed(say("host_not_json", why=error)) from None
    if not isinstance(document, dict):
        raise Malformed(say("host_not_an_object"))
    for name, value in document.items():
        kind = fields.get(name)
        if kind is None:
            raise Malformed(say("host_field_unknown", name=name[:64]), field=name[:64])
        if value is not None and not isinstance(value, kind):
            raise Malformed(say("host_field_wrong", name=name, kind=say(KIND_NAMES[kind])), field=name)
    return {name: value for name, value in document.items() if value is not None}


def required(document: Mapping[str, Any], name: str) -> Any:
    """A field that must be there."""
    if name not in document:
        raise Malformed(say("host_field_missing", name=name), field=name)
    return document[name]


def read_query(
    request: Request, fields: Iterable[Field], reserved: Iterable[str]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Inputs from the query, and the reserved parameters apart. Lists and objects stand there as JSON."""
    nested = {field.name for field in fields if field.type in {"list", "object"}}
    own = frozenset(reserved)
    inputs: dict[str, Any] = {}
    apart: dict[str, str] = {}
    for name, value in request.query_params.multi_items():
        if name in inputs or name in apart:
            raise Malformed(say("host_given_twice", name=name[:64]), remedy=say("host_query_remedy"), field=name[:64])
        if name in own:
            apart[name] = value
        else:
            inputs[name] = _parsed(name, value) if name in nested and value else value
    return inputs, apart


def _parsed(name: str, value: str) -> Any:
    try:
        return json.decode(value)
    except ValueError:
        raise Malformed(say("host_query_not_json", name=name), remedy=say("host_query_remedy"), field=name) from None
