"""Signs of life: the process, its readiness, and its metrics."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from connector.interfaces.host.answers import Answer, answer
from connector.interfaces.host.endpoint import route
from connector.interfaces.host.parts import HostParts
from connector.interfaces.host.readiness import Readiness
from connector.version import __version__

PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"


class Health:
    """Strangers may ask the first two; they learn nothing but states."""

    def __init__(self, parts: HostParts) -> None:
        self._parts = parts
        self._readiness = Readiness(parts.state)

    def routes(self) -> list[Route]:
        """The routes."""
        return [
            route("/healthz", "GET", self.alive),
            route("/readyz", "GET", self.ready),
            route("/metrics", "GET", self.metrics),
        ]

    async def alive(self, request: Request) -> Answer:
        """The process answers."""
        return answer({"ok": True, "version": __version__})

    async def ready(self, request: Request) -> Answer:
        """Whether the host can do its work now, and if not, what is missing."""
        found = await self._readiness.look()
        return answer({"ok": found.ready, **found.as_dict()}, 200 if found.ready else 503)

    async def metrics(self, request: Request) -> Answer:
        """Everything that is counted, for Prometheus."""
        self._parts.stored.key_states = await self._parts.key_states()
        text = await asyncio.to_thread(self._parts.metrics.text)
        return Response(text, media_type=PROMETHEUS)
