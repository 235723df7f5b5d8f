"""Routes that tell of the host itself: liveness, readiness, metrics, and its OpenAPI description."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, select
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from connector.core.messages import Text, say
from connector.core.values import json
from connector.durable.kinds import StandstillWatch
from connector.export.openapi import per_manifest
from connector.export.openapi.host import EACH, OLDER, PATHS, VERSIONS, document
from connector.export.openapi.version_3_0 import as_3_0
from connector.interfaces.host.endpoint import route
from connector.interfaces.host.responses import json_response
from connector.interfaces.host.services import HostServices
from connector.interfaces.host_state import HostState
from connector.operations import calls
from connector.operations.operation import BadRequest
from connector.store.database import leases
from connector.store.database.errors import StoreRefused, is_outage
from connector.store.database.revision import check_still_usable
from connector.store.schema import hooks
from connector.store.trust.vault import check_data_key
from connector.version import __version__

CACHE_SECONDS = 1.0
"""The route is public, so a database probe is cached for this long."""
TIMEOUT_SECONDS = 5.0
log = logging.getLogger("kontor.host")
PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"


@dataclass(frozen=True, slots=True)
class ReadinessReport:
    """The result of a readiness check."""

    database: str
    engine: str
    hub: str
    closing: bool
    stalled: tuple[str, ...] = ()
    """Kinds of work that are overdue and that no host takes."""
    reason: Text | None = None
    """Why the database is refused."""

    @property
    def ready(self) -> bool:
        """Whether the host can work; a replaced webhook URL alone does not make it unready."""
        working = self.engine == "running" and not self.stalled
        return self.database == "writable" and working and not self.closing

    def as_dict(self) -> dict[str, Any]:
        """Return the fields of the /readyz response."""
        states = {"database": self.database, "engine": self.engine, "hub": self.hub, "closing": self.closing}
        return {
            **states,
            "stalled": list(self.stalled),
            "reason": None if self.reason is None else self.reason.as_dict(),
        }


@dataclass(frozen=True, slots=True)
class _Probe:
    database: str
    hub: str = "unknown"
    stalled: tuple[str, ...] = ()
    reason: Text | None = None


class Readiness:
    """Probes the database at most once per second."""

    def __init__(self, state: HostState) -> None:
        self._state = state
        self._probe: asyncio.Task[_Probe] | None = None
        self._probed_at = float("-inf")
        self._standstill = StandstillWatch()
        self._last_reason: Text | None = None

    async def check(self) -> ReadinessReport:
        """Return the current readiness."""
        if self._probe is None or time.monotonic() - self._probed_at > CACHE_SECONDS:
            self._probed_at = time.monotonic()
            self._probe = asyncio.create_task(self._probe_database())
        probe = await asyncio.shield(self._probe)
        self._log_change(probe)
        task = self._state.engine_task
        engine = "running" if task is not None and not task.done() else "stopped"
        return ReadinessReport(probe.database, engine, probe.hub, self._state.closing, probe.stalled, probe.reason)

    def _log_change(self, probe: _Probe) -> None:
        """Log one line when the database becomes refused; that it does not answer is logged by the store."""
        if probe.reason is not None and self._last_reason is None:
            log.error("the host is not ready: %s", probe.reason.en)
        self._last_reason = probe.reason

    async def _probe_database(self) -> _Probe:
        context = self._state.context

        def check(connection: Connection) -> None:
            check_still_usable(connection)
            check_data_key(connection, context.vault)

        def write(connection: Connection) -> _Probe:
            leases.set_timer(connection, "ready", context.now())
            stalled = self._standstill.stalled(connection, context.now(), context.clock.monotonic())
            return _Probe("writable", _hub(connection), tuple(stalled))

        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                await context.read(check)
                return await context.write(write)
        except StoreRefused as error:
            return _Probe("refused", reason=error.message)
        except Exception as error:  # any failure means the database is not writable
            if not is_outage(error) and not isinstance(error, TimeoutError):
                log.error("the database cannot be written to: %s", type(error).__name__)
            return _Probe("unwritable")


def _hub(connection: Connection) -> str:
    rows = connection.execute(select(hooks.c.state, func.count()).group_by(hooks.c.state))
    by_state: dict[str, int] = {row[0]: row[1] for row in rows}
    if by_state.get("drifted"):
        return "drifted"
    return "active" if by_state.get("active") else "none"


class HealthRoutes:
    """/healthz and /readyz need no token and return states only."""

    def __init__(self, services: HostServices) -> None:
        self._services = services
        self._readiness = Readiness(services.state)
        self._documents: dict[tuple[str, str], bytes] = {}

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            route(calls.show_health, self.alive),
            route(calls.show_readiness, self.ready),
            route(calls.show_metrics, self.metrics),
            route(calls.show_openapi, self.openapi),
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

    async def openapi(self, request: Request) -> Response:
        """Return the OpenAPI document in the form that is asked for, built once each."""
        version, paths = _one_of(request, "version", VERSIONS), _one_of(request, "paths", PATHS)
        if (version, paths) not in self._documents:
            self._documents[version, paths] = await asyncio.to_thread(self._document, version, paths)
        return Response(self._documents[version, paths], media_type="application/json")

    def _document(self, version: str, paths: str) -> bytes:
        state = self._services.state
        describe = per_manifest.document if paths == EACH else document
        described = describe(state.connector, state.public_url)
        return json.encode_clean(as_3_0(described) if version == OLDER else described)


def _one_of(request: Request, name: str, choices: Sequence[str]) -> str:
    """Return a parameter of the query, by default the first of its values."""
    value: str = request.query_params.get(name, choices[0])
    if value not in choices:
        raise BadRequest(say("host_field_choice", name=name, choices=", ".join(choices)), field=name)
    return value
