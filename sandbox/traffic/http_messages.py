"""HTTP requests and responses, their JSON with exact numbers, and the error that becomes a response."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal, TypeVar

import msgspec

from connector.sandbox import assumptions

_decoder = msgspec.json.Decoder(float_hook=Decimal)
_encoder = msgspec.json.Encoder(decimal_format="number")
T = TypeVar("T")

ResponseEnding = Literal["whole", "dropped", "truncated"]


@dataclass(frozen=True, slots=True)
class HttpRequest:
    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes
    client_ip: str
    base_url: str


@dataclass(slots=True)
class HttpResponse:
    status: int
    body: bytes
    content_type: str = "application/json"
    headers: list[tuple[str, str]] = field(default_factory=list)
    ending: ResponseEnding = "whole"


class ServiceError(Exception):
    """An error response. The body carries `error`; ledger routes add the fields of a ledger error."""

    def __init__(self, status: int, error: str, **more: Any) -> None:
        super().__init__(error)
        self.status = status
        self.body: dict[str, Any] = {"error": error, **more}


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
