"""What the parts of the sandbox agree on: a request, a route, a refusal.

A handler is a plain function `(world, request) -> JSON value`. It never sees a socket: authentication, rate limits,
credits, faults and encoding happen around it, in one place, for every route alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sandbox.keys import ApiKey
    from sandbox.wire import Wire
    from sandbox.world import World


class ServiceError(Exception):
    """An answer other than success. The body carries `error`; ledger routes may add the ledger error's fields."""

    def __init__(self, status: int, error: str, **more: Any) -> None:
        super().__init__(error)
        self.status = status
        self.body: dict[str, Any] = {"error": error, **more}


@dataclass(frozen=True, slots=True)
class Request:
    """One call as a handler sees it."""

    now: datetime
    """The sandbox's clock, aware, UTC."""
    key: ApiKey
    wire: Wire
    path: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    """Parsed JSON; numbers with a fraction are Decimal, whole ones int. None when no body came."""
    reservation: str | None = None
    """The credit reservation opened for this call, for handlers whose outcome is known only later (payments)."""
    client_ip: str = "127.0.0.1"
    base_url: str = ""
    """Where the caller reached the sandbox, for answers that link back to it."""


Handler = Callable[["World", Request], Any]


@dataclass(frozen=True, slots=True)
class Route:
    """One endpoint: where it is, who answers, what it costs."""

    method: str
    path: str
    """Below the base URL, with `{id}` for path parameters."""
    handler: Handler
    cost: int = 0
    free_as_dropdown: bool = False
    carries_balance: bool = False
    """Adds `platform: {neuesGuthaben}` to the answer."""
    acts: bool = False
    """Changes the world: such calls stand in the sandbox's record of acts."""
    settles_later: bool = False
    """The reservation is kept open by the handler (a payment), and confirmed or released when the outcome is known."""
    status: int = 200
    slow: float = 0.0
    """Typical duration in seconds, used only when the sandbox is told to be realistic."""
    keyless: bool = False
    """Carries no API key and is rate limited by IP alone (inbound provider webhooks)."""
