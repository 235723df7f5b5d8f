"""A whole host in a process of its own, to be killed at any moment: the engine, and the hub's address over HTTP."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Callable
from datetime import UTC, datetime

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from connector.core.timing import Clock, RateLimit
from connector.durable.inbox.ingest import Intake
from connector.durable.settings import Settings
from connector.interfaces.engine_choice import build_engine
from connector.runtime.connector import Connector
from connector.store.trust.vault import Vault

PATIENT = Settings(tick=3.0, dead_after=30.0, reconcile_seconds=120.0, credits_per_poll=50)


class SharedClock(Clock):
    """Fast, and the same in every process."""

    def __init__(self, anchor: float, speed: float) -> None:
        super().__init__(speed)
        self._anchor = anchor

    def monotonic(self) -> float:
        return self._anchor + (time.time() - self._anchor) * self.speed

    def utcnow(self) -> datetime:
        return datetime.fromtimestamp(self.monotonic(), UTC)


def listening(port: int) -> socket.socket:
    """Several hosts listen on one port: whoever lives takes what comes."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    sock.bind(("127.0.0.1", port))
    sock.listen(512)
    return sock


def run(ready: Callable[[], None], data: str, port: int, anchor: float, speed: float, temporal: str | None) -> None:
    """With the address of a server of Temporal, its engine is a worker there.

    All hosts of a test live by one clock: it stood at `anchor`, a Unix time, and has run `speed` times as fast since.
    """
    asyncio.run(_serve(ready, data, port, SharedClock(anchor, speed), temporal))


async def _serve(ready: Callable[[], None], data: str, port: int, clock: Clock, temporal: str | None) -> None:
    connector = Connector(data)
    vault = Vault(data)
    engine = build_engine(
        temporal,
        connector,
        vault,
        public_url=f"http://127.0.0.1:{port}",
        allow_private_targets=True,
        allow_loopback_hooks=True,
        clock=clock,
        settings=PATIENT,
    )
    plenty = RateLimit(1_000_000, 1_000_000)
    intake = Intake(connector.database, wake=engine.context.wake, clock=clock, per_source=plenty, per_token=plenty)

    async def receive(request: Request) -> Response:
        kind = request.headers.get("content-type", "")
        return Response(status_code=await intake.receive(request.path_params["token"], await request.body(), kind, "s"))

    app = Starlette(routes=[Route("/hooks/{token}", receive, methods=["POST"])])
    config = uvicorn.Config(app, http="httptools", lifespan="off", log_config=None, access_log=False)
    ready()
    await asyncio.gather(engine.run(), uvicorn.Server(config).serve([listening(port)]))
