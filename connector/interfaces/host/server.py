"""Runs a host on a socket with uvicorn and shuts it down gracefully."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import signal
import socket
import threading
from collections.abc import Callable, Iterator

import uvicorn

from connector.interfaces.host.auth_middleware import AuthMiddleware
from connector.interfaces.host.read_deadlines import ReadDeadlineProtocol, close_late
from connector.interfaces.host_state import HostState

BACKLOG = 2048
PORTS_TRIED = 50
KEEP_ALIVE_SECONDS = 30
TICKS_PER_SECOND = 10


class HostServer(uvicorn.Server):
    """A uvicorn server that stops on SIGINT and SIGTERM and lets its caller clean up."""

    def __init__(self, app: AuthMiddleware, state: HostState, on_ready: Callable[[], None]) -> None:
        config = uvicorn.Config(
            app,
            http=ReadDeadlineProtocol,
            ws="auto" if app.console_path else "none",
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=True,
            forwarded_allow_ips=state.settings.trusted_proxies,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=state.settings.shutdown_seconds,
        )
        super().__init__(config)
        self._state = state
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Call `on_ready` once the server listens."""
        await super().startup(sockets)
        if self.started:
            self._on_ready()

    async def on_tick(self, counter: int) -> bool:
        """Once a second, close the connections whose request does not arrive."""
        if counter % TICKS_PER_SECOND == 0:
            close_late(list(self.server_state.connections), asyncio.get_running_loop().time())
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop accepting requests and finish those in flight."""
        self._state.closing = True
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle both signals without re-raising them, so that the caller can close the store."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        previous = {one: signal.signal(one, self.handle_exit) for one in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for one, handler in previous.items():
                signal.signal(one, handler)


def listen(host: str, port: int) -> socket.socket:
    """Listen on `port` or the next free one above it; raise OSError if there is none."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    last = port if port == 0 else min(port + PORTS_TRIED, 65_535)
    for candidate in range(port, last + 1):
        # With the protocol named, asyncio switches off Nagle's algorithm; without it each response waits 40 ms.
        listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind((host, candidate))
            listening.listen(BACKLOG)
        except OSError as error:
            listening.close()
            if error.errno != errno.EADDRINUSE or candidate == last:
                raise
        else:
            return listening
    raise AssertionError("the range of ports is never empty")


def address_of(listening: socket.socket) -> str:
    """Return the URL of a socket as seen from this machine."""
    host, port = listening.getsockname()[:2]
    if host in {"0.0.0.0", "::"}:  # noqa: S104 - every address of this machine; its own is one of them
        host = "127.0.0.1" if host == "0.0.0.0" else "::1"  # noqa: S104
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
