"""Runs the sandbox on a socket: blocking for the command line, in a thread for tests."""

from __future__ import annotations

import socket
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from threading import Event, Thread
from types import TracebackType

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from connector.sandbox.app import ABORT, SandboxApp
from connector.sandbox.service import Service
from connector.sandbox.traffic.wire import Wire
from connector.sandbox.world import World

_BACKLOG = 2048
_START_TIMEOUT = 30.0


class AbortableProtocol(HttpToolsProtocol):
    """Lets the application abort the TCP connection without a response."""

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.scope["extensions"] = {ABORT: {"cut": self.transport.abort}}


class _Server(uvicorn.Server):
    def __init__(self, service: Service, on_ready: Callable[[], None]) -> None:
        config = uvicorn.Config(
            SandboxApp(service),
            http=AbortableProtocol,
            ws="none",
            loop="asyncio",
            lifespan="on",
            access_log=False,
            timeout_keep_alive=30,  # longer than clients keep one, so that none is closed under a request
            proxy_headers=False,  # a caller must not choose its IP for the rate limit
            log_config=None,
            server_header=False,
            timeout_graceful_shutdown=1,
        )
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._on_ready()


def serve(
    *,
    host: str = "127.0.0.1",
    port: int = 8320,
    seed: int = 1,
    data: Path | None = None,
    allow_loopback_webhooks: bool = False,
    speed: float = 1.0,
    auto_payments: bool = False,
    on_ready: Callable[[str], None] | None = None,
) -> None:
    """Run the sandbox until interrupted; raise OSError if the port is taken."""
    service = Service(
        seed=seed,
        data=data,
        speed=speed,
        auto_payments=auto_payments,
        allow_loopback_webhooks=allow_loopback_webhooks,
    )
    with _listen(host, port) as listening:
        try:
            _Server(service, lambda: on_ready(_url(listening)) if on_ready else None).run([listening])
        except KeyboardInterrupt:
            return


class SandboxServer:
    """A sandbox on a free port in its own thread, for a `with` block."""

    def __init__(
        self,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        seed: int = 1,
        start: datetime | None = None,
        speed: float = 1.0,
        data: Path | None = None,
        wire: Wire | None = None,
        allow_loopback_webhooks: bool = False,
        auto_payments: bool = False,
    ) -> None:
        self._service = Service(
            seed=seed,
            start=start,
            speed=speed,
            data=data,
            wire=wire,
            allow_loopback_webhooks=allow_loopback_webhooks,
            auto_payments=auto_payments,
        )
        self._listening = _listen(host, port)
        self.url = _url(self._listening)
        self._ready = Event()
        self._server = _Server(self._service, self._ready.set)
        self._thread = Thread(target=self._run, name="sandbox", daemon=True)

    @property
    def world(self) -> World:
        """The current data, read-only; change it through the control interface."""
        return self._service.world

    def now(self) -> datetime:
        """The sandbox's time."""
        return self._service.clock.now()

    def __enter__(self) -> SandboxServer:
        self._thread.start()
        self._ready.wait(_START_TIMEOUT)
        if not self._server.started:
            raise RuntimeError("the sandbox did not start")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.should_exit = True
        self._thread.join()

    def _run(self) -> None:
        with self._listening:
            try:
                self._server.run([self._listening])
            finally:
                self._ready.set()


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol named, asyncio switches off Nagle's algorithm; without it each response waits 40 ms.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(_BACKLOG)
    except OSError:
        listening.close()
        raise
    return listening


def _url(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
