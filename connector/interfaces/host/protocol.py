"""HTTP as the host speaks it: request line and headers within bounds, however they trickle in."""

from __future__ import annotations

from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from connector.interfaces.host.problem import problem
from connector.interfaces.host.refusals import HeadersTooLarge
from connector.interfaces.host.under_way import request_id

MOST_HEADER_BYTES = 64 * 1024
MOST_HEADERS = 100


class BoundedProtocol(HttpToolsProtocol):
    """Refuses oversized heads with 431 and hangs up, before anything of them is looked at."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._in_head = False
        self._trickled = 0
        self._head_bytes = 0
        self._hung_up = False

    def data_received(self, data: bytes) -> None:
        """A piece of the stream. While it is still the head, pieces are counted: a header may never end."""
        if self._hung_up:
            return
        super().data_received(data)
        if self._in_head and not self._hung_up:
            self._trickled += len(data)
            if self._trickled > MOST_HEADER_BYTES:
                self._hang_up()

    def on_message_begin(self) -> None:
        """A new request."""
        super().on_message_begin()
        self._in_head, self._trickled, self._head_bytes = True, 0, 0

    def on_url(self, url: bytes) -> None:
        """A piece of the request line."""
        self._head_bytes += len(url)
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """One header, whole."""
        self._head_bytes += len(name) + len(value) + 4
        if self._head_bytes <= MOST_HEADER_BYTES:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """The head is whole."""
        self._in_head = False
        if self._head_bytes > MOST_HEADER_BYTES or len(self.headers) > MOST_HEADERS:
            self._hang_up()
        else:
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """A piece of the body."""
        if not self._hung_up:
            super().on_body(body)

    def on_message_complete(self) -> None:
        """The request is whole."""
        if not self._hung_up:
            super().on_message_complete()

    def _hang_up(self) -> None:
        self._hung_up = True
        id = request_id("")
        told = problem(HeadersTooLarge(MOST_HEADER_BYTES), lang="en", request_id=id)
        head = [b"HTTP/1.1 431 Request Header Fields Too Large", b"connection: close", b"x-request-id: " + id.encode()]
        head += [name + b": " + value for name, value in told.raw_headers]
        self.transport.write(b"\r\n".join([*head, b"", bytes(told.body)]))
        self.transport.close()
