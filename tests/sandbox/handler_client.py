"""Calls ledger and mobility handlers directly, without HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from types import SimpleNamespace
from typing import Any, cast

from connector.sandbox.access.api_keys import ORGANIZATION, ApiKey
from connector.sandbox.ledger.demo import demo_ledger, ledger_connection_id
from connector.sandbox.ledger.routes import ROUTES as LEDGER_ROUTES
from connector.sandbox.mobility.demo import demo_mobility
from connector.sandbox.mobility.routes import ROUTES as MOBILITY_ROUTES
from connector.sandbox.traffic.http_messages import ServiceError
from connector.sandbox.traffic.routes import Request, Route
from connector.sandbox.world import Settings

TODAY = date(2025, 11, 15)
NOW = datetime(2025, 11, 15, 10, 30, tzinfo=UTC)
NORDLICHT = ledger_connection_id("nordlicht")
KANZLEI = ledger_connection_id("kanzlei")
EXPORT_403 = ledger_connection_id("export_403")

WIRE_NAMES = {
    "ledger.connection": "verbindung",
    "ledger.client": "mandant",
    "folders.type": "typ",
    "opos.cutoff": "bis",
    "opos.side": "seite",
    "opos.opening_balance": "eb",
    "susa.account": "konto",
}
"""Different from the shipped names, to catch handlers that hard-code one."""


class FakeWire:
    def __init__(self, names: Mapping[str, str | None]) -> None:
        self._names = names

    def name(self, key: str) -> str | None:
        return self._names[key]


class HandlerClient:
    def __init__(self, seed: int = 7) -> None:
        self.ledger = demo_ledger(seed, TODAY)
        self.mobility = demo_mobility(seed, TODAY)
        self.names: dict[str, str | None] = dict(WIRE_NAMES)
        self.key = ApiKey("sandbox-key", "main", ORGANIZATION)
        self.routes = {(route.method, route.path): route for route in (*LEDGER_ROUTES, *MOBILITY_ROUTES)}

    def route(self, call: str) -> Route:
        method, path = call.split(" ")
        return self.routes[method, path]

    def call(self, call: str, body: Any = None, *, path: Any = None, **query: Any) -> Any:
        """Call "METHOD /path" with query parameters by name."""
        request = Request(
            now=NOW, key=self.key, wire=cast(Any, FakeWire(self.names)), path=path or {}, query=query, body=body
        )
        world = SimpleNamespace(ledger=self.ledger, mobility=self.mobility, settings=Settings())
        return self.route(call).handler(cast(Any, world), request)

    def refusal(self, call: str, body: Any = None, **more: Any) -> ServiceError:
        """Return the error of a call that must fail."""
        try:
            answer = self.call(call, body, **more)
        except ServiceError as refused:
            return refused
        raise AssertionError(f"{call} was not refused but answered {answer}")
