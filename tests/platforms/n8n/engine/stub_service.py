"""A service that answers exactly what a test says, to see what the package makes of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

Reply = tuple[int, Any]


@dataclass
class StubService:
    """Where it listens, and what it was asked: method, path with query, and body."""

    url: str = ""
    asked: list[tuple[str, str, Any]] = field(default_factory=list)


@contextmanager
def stub_service(
    answer: Callable[[str, str, Any], Reply], parse_float: Callable[[str], Any] = float
) -> Iterator[StubService]:
    """Answers each request with a status and a value to be written as JSON."""
    stub = StubService()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            given = json.loads(body, parse_float=parse_float) if body else None
            stub.asked.append((self.command, self.path, given))
            status, value = answer(self.command, self.path, given)
            content = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_POST = do_PUT = do_GET  # noqa: N815 - the names that the server looks for

        def log_message(self, *arguments: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    stub.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield stub
    server.shutdown()
    server.server_close()
    thread.join()
