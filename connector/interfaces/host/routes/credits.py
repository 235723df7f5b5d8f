"""Route for the credits of the caller's API key: balance, spending, forecast, budget, charged dropdowns."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from connector.interfaces.credit_report import load_report
from connector.interfaces.host.endpoint import route
from connector.interfaces.host.json_response import json_response
from connector.interfaces.host.services import HostServices

SECONDS = 2.0
"""How long to wait for what was counted in memory to be stored."""


class CreditRoutes:
    """Shows what the caller's API key has spent."""

    def __init__(self, services: HostServices) -> None:
        self._services = services

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [route("/v1/credits", "GET", self.show, "viewer")]

    async def show(self, request: Request) -> Response:
        """Show the report; nothing is asked of the service."""
        caller, context = await self._services.caller(request), self._services.state.context
        async with self._services.sessions.acquire(caller, wait_for_slot=False) as session:
            credential, clock = session.credential.fingerprint, session.clock
        writing = context.connector.tally.flush()
        if writing is not None:
            await asyncio.wait({asyncio.wrap_future(writing)}, timeout=SECONDS)
        report = await context.read(lambda store: load_report(store, credential, clock))
        return json_response(report.as_dict())
