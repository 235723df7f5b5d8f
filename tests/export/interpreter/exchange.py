"""A request as an export says it, sent to a real socket, and compared with another one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx

TRANSPORT = frozenset({"user-agent", "host", "content-length", "connection", "accept-encoding"})


@dataclass(frozen=True)
class Sent:
    """One request, to the letter."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes | None = None

    def told(self) -> dict[str, Any]:
        """All that a service can tell requests apart by. No content and an empty object are the same request."""
        parts = urlsplit(self.url)
        return {
            "method": self.method,
            "path": parts.path,
            "query": sorted(parse_qsl(parts.query, keep_blank_values=True)),
            "headers": {
                name.lower(): value
                for name, value in self.headers.items()
                if name.lower() not in TRANSPORT and not (name.lower() == "content-type" and not self.body())
            },
            "body": self.body(),
        }

    def body(self) -> Any:
        value = json.loads(self.content, parse_float=Decimal, parse_int=Decimal) if self.content else None
        return value or None

    def send(self) -> httpx.Response:
        with httpx.Client(trust_env=False, timeout=30) as client:
            return client.request(self.method, self.url, headers=dict(self.headers), content=self.content)
