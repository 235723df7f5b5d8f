"""A service with paths that the package has never heard of, on a real socket."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

Row = dict[str, Any]


class FurtherService:
    """Standing orders, listed behind an id, and kinds of tickets, all at once."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.orders: list[Row] = []
        self.tickets: list[Row] = []

    def order(self, id: int, state: str = "live", **more: Any) -> None:
        """A new standing order, or another state of one."""
        self.orders = [one for one in self.orders if one["id"] != str(id)]
        row = {"id": str(id), "title": f"Order {id}", "iban": "DE02120300000000202051", "state": state}
        self.orders.append({**row, "currency": "EUR", "created_at": datetime.now(UTC).isoformat(), **more})
        self.orders.sort(key=lambda one: int(one["id"]))

    def answer(self, method: str, url: str) -> Any:
        parts = urlsplit(url)
        if parts.path == "/v2/mobility/ticket-kinds":
            return self.tickets
        if method == "POST":
            return {"data": {"id": "1"}}
        after = int(parse_qs(parts.query).get("after_id", ["0"])[0])
        return {"connections": [one for one in self.orders if int(one["id"]) > after]}


@contextmanager
def further_service() -> Iterator[FurtherService]:
    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", 0)))
            body = json.dumps(service.answer(self.command, self.path)).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = _answer  # noqa: N815

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    service = FurtherService(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield service
    server.shutdown()
    thread.join()
    server.server_close()
