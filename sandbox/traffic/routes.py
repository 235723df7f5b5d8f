"""A request as handlers receive it, the routes of the simulated service, and how one is found.

A handler is a plain function `(world, request) -> JSON value`. Authentication, rate limits, credits, faults and
encoding are applied around it, in one place, for every route.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, Protocol, TypeVar

from connector.sandbox.access.api_keys import ApiKey
from connector.sandbox.traffic.http_messages import ServiceError
from connector.sandbox.traffic.wire import Wire
from connector.sandbox.world import World


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


class HasMethodAndPath(Protocol):
    @property
    def method(self) -> str: ...
    @property
    def path(self) -> str: ...


R = TypeVar("R", bound=HasMethodAndPath)


class MethodNotAllowed(ServiceError):
    def __init__(self, allowed: Iterable[str]) -> None:
        super().__init__(405, "Method not allowed.")
        self.allow = ", ".join(sorted(allowed))


class RouteTable(Generic[R]):
    """Looks up plain paths by key and paths with parameters by segments."""

    def __init__(self, routes: Iterable[R]) -> None:
        self._plain: dict[str, dict[str, R]] = {}
        self._templates: dict[tuple[str, ...], dict[str, R]] = {}
        for route in routes:
            segments = tuple(route.path.split("/"))
            methods = (
                self._templates.setdefault(segments, {})
                if any(map(_is_parameter, segments))
                else self._plain.setdefault(route.path, {})
            )
            if route.method in methods:
                raise ValueError(f"{route.method} {route.path} is routed twice")
            methods[route.method] = route

    def find(self, method: str, path: str) -> tuple[R, dict[str, str]]:
        """Return the route and its path parameters, or raise 404 or 405."""
        plain = self._plain.get(path)
        methods, parameters = (plain, {}) if plain is not None else self._match(path)
        if method not in methods:
            raise MethodNotAllowed(methods)
        return methods[method], parameters

    def _match(self, path: str) -> tuple[dict[str, R], dict[str, str]]:
        segments = path.split("/")
        for template, methods in self._templates.items():
            if len(template) != len(segments):
                continue
            parameters: dict[str, str] = {}
            for expected, given in zip(template, segments, strict=True):
                if _is_parameter(expected) and given:
                    parameters[expected[1:-1]] = given
                elif expected != given:
                    break
            else:
                return methods, parameters
        raise ServiceError(404, "Not found.")


def _is_parameter(segment: str) -> bool:
    return segment.startswith("{") and segment.endswith("}")
