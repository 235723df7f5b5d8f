"""The routes of the simulated service.

A handler is a plain function `(world, request) -> JSON value`. Authentication, rate limits, credits, faults and
encoding are applied around it, in one place, for every route.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from connector.sandbox.request import Request
from connector.sandbox.world import World

Handler = Callable[[World, Request], Any]


@dataclass(frozen=True, slots=True)
class Route:
    """One endpoint with its handler and cost."""

    method: str
    path: str
    """Below the base URL, with `{id}` for path parameters."""
    handler: Handler
    cost: int = 0
    free_as_dropdown: bool = False
    carries_balance: bool = False
    """Adds `platform: {neuesGuthaben}` to the response."""
    acts: bool = False
    """Whether it changes data: the request log marks such calls as `acted`."""
    settles_later: bool = False
    """The handler keeps the reservation open (a payment) until the outcome is known."""
    status: int = 200
    slow: float = 0.0
    """Typical duration in seconds, used only with realistic durations."""
    keyless: bool = False
    """Needs no API key and is rate limited by IP (inbound provider webhooks)."""
