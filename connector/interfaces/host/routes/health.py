"""Routes for liveness, readiness and metrics."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from connector.interfaces.host.endpoint import route
from connector.interfaces.host.json_response import json_response
from connector.interfaces.host.readiness import Readiness
from connector.interfaces.host.services import HostServices
from connector.version import __version__

PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"


class HealthRoutes:
    """/healthz and /readyz need no token and return states only."""

    def __init__(self, services: HostServices) -> None:
        self._services = services
        self._readiness = Readiness(services.state)

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            route("/healthz", "GET", self.alive, None),
            route("/readyz", "GET", self.ready, None),
            route("/metrics", "GET", self.metrics, "viewer", host_wide=True),
        ]

    async def alive(self, request: Request) -> Response:
        """Report that the process responds."""
        return json_response({"ok": True, "version": __version__})

    async def ready(self, request: Request) -> Response:
        """Report whether the host can work, and if not, what is missing."""
        report = await self._readiness.check()
        return json_response({"ok": report.ready, **report.as_dict()}, 200 if report.ready else 503)

    async def metrics(self, request: Request) -> Response:
        """Return all metrics in the Prometheus text format."""
        self._services.store_metrics.key_states = self._services.key_states()
        text = await asyncio.to_thread(self._services.metrics.text)
        return Response(text, media_type=PROMETHEUS)
