"""A parsed request as handlers receive it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from connector.sandbox.api_keys import ApiKey
from connector.sandbox.wire import Wire


@dataclass(frozen=True, slots=True)
class Request:
    """An authenticated request with its parsed query and body."""

    now: datetime
    """The sandbox's clock, in UTC."""
    key: ApiKey
    wire: Wire
    path: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    """Parsed JSON with Decimal for fractions; None without a body."""
    reservation: str | None = None
    """The credit reservation of this call, for handlers whose outcome is known only later (payments)."""
    client_ip: str = "127.0.0.1"
    base_url: str = ""
    """The sandbox's base URL as the caller used it, for links in responses."""
