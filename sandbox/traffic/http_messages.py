"""Raw HTTP requests and responses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

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
