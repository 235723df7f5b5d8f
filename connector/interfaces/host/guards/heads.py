"""A connection whose request line, headers and chunks are limited."""

from __future__ import annotations

from collections import deque
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from connector.core import limits
from connector.interfaces.host.errors import HeadersTooLarge
from connector.interfaces.host.in_flight import request_id
from connector.interfaces.host.responses import problem_response


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
        self.body_bytes = self._chunks = 0
        """Of the current body."""

    def data_received(self, data: bytes) -> None:
        """Parse received bytes, counting those of headers that have not ended yet."""
        if self._rejected:
            return
        self.heard_at = self.loop.time()
        self._received = len(data) + (self._received if self.in_head else 0)
        super().data_received(data)
        if self.in_head and self._received > limits.MAX_HEADER_BYTES and not self._rejected:
            self._reject()

    def on_message_begin(self) -> None:
        """Start a new request."""
        super().on_message_begin()
        self.in_head = True
        self.head_since = self.heard_at
        self.body_bytes = self._chunks = 0

    def on_headers_complete(self) -> None:
        """Reject or dispatch the request once its headers are complete."""
        self.in_head = False
        is_long = self._received > limits.MAX_HEADER_BYTES and self._head_is_too_large()
        if len(self.headers) > limits.MAX_HEADERS or is_long:
            self._reject()
        else:
            super().on_headers_complete()

    def on_chunk_header(self) -> None:
        """Leave out the headers behind a chunked body: nothing would bound them, and nobody reads them."""
        if not self._chunks:
            nothing: Any = deque(maxlen=0)
            self.headers = nothing
        self._chunks += 1
        if self._chunks > limits.MAX_SMALL_CHUNKS and self.body_bytes < self._chunks * limits.MIN_CHUNK_BYTES:
            raise ValueError("the chunks are too small")  # the parser ends, and the answer is 400

    def on_body(self, body: bytes) -> None:
        """Pass on a part of the body."""
        self.body_bytes += len(body)
        if not self._rejected:
            super().on_body(body)

    def on_message_complete(self) -> None:
        """Finish the request."""
        if not self._rejected:
            super().on_message_complete()

    def _head_is_too_large(self) -> bool:
        size = len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)
        return size > limits.MAX_HEADER_BYTES

    def _reject(self) -> None:
        self._rejected = True
        id = request_id("")
        response = problem_response(HeadersTooLarge(limits.MAX_HEADER_BYTES), lang="en", request_id=id)
        head = [b"HTTP/1.1 431 Request Header Fields Too Large", b"connection: close", b"x-request-id: " + id.encode()]
        head += [name + b": " + value for name, value in response.raw_headers]
        self.transport.write(b"\r\n".join([*head, b"", bytes(response.body)]))
        self.transport.close()
