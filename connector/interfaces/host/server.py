"""The HTTP server: its socket and its stop."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import uvicorn

from connector.core import limits
from connector.interfaces.host.auth_middleware import AuthMiddleware
from connector.interfaces.host.guards.connections import (
    ConnectionTable,
    GuardedConnection,
    close_late,
    is_among,
    max_connections,
)
from connector.interfaces.host_state import HostState

PORTS_TRIED = 50
TICKS_PER_SECOND = 10


class HostServer(uvicorn.Server):
    """A uvicorn server that stops on SIGINT and SIGTERM and lets its caller clean up."""

    def __init__(self, app: AuthMiddleware, state: HostState, on_ready: Callable[[], None]) -> None:
        self.connections = ConnectionTable(max_connections(), is_among(state.settings.trusted_proxies))
        protocol: Any = partial(GuardedConnection, table=self.connections)
        config = uvicorn.Config(
            app,
            http=protocol,
            ws="auto" if app.console_path else "none",
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=True,
            forwarded_allow_ips=state.settings.trusted_proxies,
            timeout_keep_alive=limits.KEEP_ALIVE_SECONDS,
            backlog=limits.ACCEPTED_AT_ONCE,
            ws_max_size=limits.MAX_SOCKET_MESSAGE_BYTES,
            timeout_graceful_shutdown=state.settings.shutdown_seconds,
        )
        super().__init__(config)
        self._state = state
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Call `on_ready` once the server listens."""
        await super().startup(sockets)
        for listening in (
            sockets or ()
        ):  # asyncio opens as many at once as it lets wait, and there may be no files for all
            listening.listen(limits.WAITING_CONNECTIONS)
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
        previous = {sign: signal.signal(sign, self.handle_exit) for sign in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for sign, handler in previous.items():
                signal.signal(sign, handler)


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
            listening.listen(limits.WAITING_CONNECTIONS)
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
