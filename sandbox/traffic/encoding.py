"""Encodes and decodes JSON with exact numbers."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, TypeVar

import msgspec

from connector.sandbox import assumptions
from connector.sandbox.traffic.errors import ServiceError

_decoder = msgspec.json.Decoder(float_hook=Decimal)
_encoder = msgspec.json.Encoder(decimal_format="number")
T = TypeVar("T")


def encode(value: Any) -> bytes:
    return _encoder.encode(value)


def decode_body(body: bytes, content_type: str) -> Any:
    """Parse a request body as JSON, or raise; an empty body is None."""
    if not body:
        return None
    if content_type.partition(";")[0].strip().lower() != "application/json":
        raise ServiceError(assumptions.MEDIA_TYPE_STATUS, "Send the body with Content-Type: application/json.")
    try:
        return _decoder.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as problem:
        raise ServiceError(400, f"The request body is not valid JSON: {problem}") from None


def decode_as(body: bytes, kind: type[T]) -> T:
    """Parse the body of a control request; an empty body means all defaults."""
    try:
        return msgspec.json.decode(body or b"{}", type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as problem:
        raise ServiceError(400, str(problem)) from None
