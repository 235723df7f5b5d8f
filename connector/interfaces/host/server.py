"""The HTTP server: its socket, its stop, and limits of headers, connections and reading time."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import signal
import socket
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from connector.interfaces.host.auth_middleware import AuthMiddleware
from connector.interfaces.host.errors import HeadersTooLarge
from connector.interfaces.host.in_flight import request_id
from connector.interfaces.host.responses import problem_response
from connector.interfaces.host_state import HostState

MAX_HEADER_BYTES = 64 * 1024
MAX_HEADERS = 100
HEAD_SECONDS = 15.0
"""For the request line and all headers, from the first byte or the opening of the connection."""
BODY_IDLE_SECONDS, BODY_SECONDS = 20.0, 300.0
"""Between two parts of a body, and for the whole of it."""
MAX_CONNECTIONS = 16_384
OTHER_FILES = 256
"""Open files that are no connections of callers: the database, calls to the service, deliveries."""
BACKLOG = 2048
PORTS_TRIED = 50
KEEP_ALIVE_SECONDS = 30
TICKS_PER_SECOND = 10


class HeaderLimitProtocol(HttpToolsProtocol):
    """Responds 431 and closes the connection when request line and headers are too large."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.in_head = False
        self.head_since = self.heard_at = 0.0
        """When the current request began, and when something was last received, by the loop's clock."""
        self._received = 0
        """Bytes since the current request began, or somewhat more: at least those of its head."""
        self._rejected = False

    def data_received(self, data: bytes) -> None:
        """Parse received bytes, counting those of headers that have not ended yet."""
        if self._rejected:
            return
        self.heard_at = self.loop.time()
        self._received = len(data) + (self._received if self.in_head else 0)
        super().data_received(data)
        if self.in_head and self._received > MAX_HEADER_BYTES and not self._rejected:
            self._reject()

    def on_message_begin(self) -> None:
        """Start a new request."""
        super().on_message_begin()
        self.in_head = True
        self.head_since = self.heard_at

    def on_headers_complete(self) -> None:
        """Reject or dispatch the request once its headers are complete."""
        self.in_head = False
        if len(self.headers) > MAX_HEADERS or (self._received > MAX_HEADER_BYTES and self._head_is_too_large()):
            self._reject()
        else:
            super().on_headers_complete()

    def on_chunk_header(self) -> None:
        """Leave out the headers behind a chunked body: nothing would bound them, and nobody reads them."""
        nothing: Any = deque(maxlen=0)
        self.headers = nothing

    def on_body(self, body: bytes) -> None:
        """Pass on a part of the body."""
        if not self._rejected:
            super().on_body(body)

    def on_message_complete(self) -> None:
        """Finish the request."""
        if not self._rejected:
            super().on_message_complete()

    def _head_is_too_large(self) -> bool:
        return len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers) > MAX_HEADER_BYTES

    def _reject(self) -> None:
        self._rejected = True
        id = request_id("")
        response = problem_response(HeadersTooLarge(MAX_HEADER_BYTES), lang="en", request_id=id)
        head = [b"HTTP/1.1 431 Request Header Fields Too Large", b"connection: close", b"x-request-id: " + id.encode()]
        head += [name + b": " + value for name, value in response.raw_headers]
        self.transport.write(b"\r\n".join([*head, b"", bytes(response.body)]))
        self.transport.close()


def max_connections() -> int:
    """Return how many connections the limit of open files allows."""
    try:
        import resource
    except ImportError:  # there is no such limit on Windows
        return MAX_CONNECTIONS
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return max(64, min(files, MAX_CONNECTIONS) - OTHER_FILES)


class ReadDeadlineProtocol(HeaderLimitProtocol):
    """A connection that knows for what it waits."""

    most: int = max_connections()

    def connection_made(self, transport: Any) -> None:
        """Begin to wait; when there are too many, the one that has waited longest without a request is closed."""
        super().connection_made(transport)
        self.head_since = self.heard_at = self.loop.time()
        if len(self.connections) > self.most:
            waiting = [
                connection
                for connection in self.connections
                if isinstance(connection, ReadDeadlineProtocol) and connection.waits_for_head
            ]
            min(waiting, key=lambda connection: connection.head_since, default=self).transport.abort()

    @property
    def waits_for_head(self) -> bool:
        """Whether a request has begun and its head is not complete, or none was ever begun."""
        return self.in_head or self.cycle is None

    def is_late(self, now: float) -> bool:
        """Whether the request should have arrived by now. A body that the host itself holds back is not late."""
        if self.waits_for_head:
            return now - self.head_since > HEAD_SECONDS
        if not self.cycle.more_body or self.cycle.response_complete or self.flow.read_paused:
            return False
        return now - self.heard_at > BODY_IDLE_SECONDS or now - self.head_since > BODY_SECONDS


def close_late(connections: Iterable[asyncio.Protocol], now: float) -> int:
    """Close the connections whose request is late; return how many."""
    late = [
        connection
        for connection in connections
        if isinstance(connection, ReadDeadlineProtocol) and connection.is_late(now)
    ]
    for connection in late:
        connection.transport.abort()
    return len(late)


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
