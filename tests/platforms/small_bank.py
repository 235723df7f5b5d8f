"""A service of three paths whose answers can be lost and whose list can lag; what was really done is seen inside."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qsl

PAYMENTS = "/v2/banking/payments"
ENTRIES = "/v2/ledger-duo/kassenbuch-advanced"
VOSS = {"name": "Reifen Voss KG", "iban": "DE02120300000000202051"}
PAPIER = {"name": "Papier Petersen", "iban": "DE89370400440532013000"}
BAD_IBAN = "DE02120300000000202052"
ENTRY: dict[str, Any] = {
    "ledger_connection": "0b54a7c2-5a0e-4e0b-9d8e-3f6f3c1d2a90",
    "kassenname": "Ladenkasse",
    "transaktionsdatum": "2026-05-04T10:30:00+02:00",
    "belegzeilen": [{"betrag": "-41.65"}],
}


class SmallBank:
    """What it has done, what was asked of it, and how it behaves."""

    def __init__(self) -> None:
        self.url = ""
        self.key = f"a-key-{secrets.token_hex(8)}"
        """An API key of its own: another bank on the same port later must not meet what is remembered of this one."""
        self.payments: list[dict[str, Any]] = []
        self.entries: list[dict[str, Any]] = []
        self.asked: list[tuple[str, str]] = []
        self.loses = 0
        """So many writes are done, and their answers lost."""
        self.hides = False
        """The list shows nothing."""
        self.page_size: int | None = None
        """The list shows so many at once."""
        self.is_down = False
        """Reads fail."""
        self.refuses: str | None = None
        """Writes that contain this are refused."""

    def asked_for(self, method: str, path: str) -> int:
        """How often that was asked."""
        return self.asked.count((method, path))

    def wrote(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Does what is asked."""
        done = self.payments if path == PAYMENTS else self.entries
        row = {"id": str(5000 + len(done)), "status": "initiated", **body}
        done.append({**row, "created_at": datetime.now(UTC).isoformat()})
        return row

    def listed(self, query: dict[str, str]) -> list[dict[str, Any]]:
        """One page: the newest first, or by id those behind one."""
        after = int(query.get("from_id", 0))
        by_id = [row for row in self.payments if int(row["id"]) > after]
        return (by_id if query.get("sort") == "id" else self.payments[::-1])[: self.page_size]

    def age_all(self, minutes: float) -> None:
        """Makes everything older."""
        for row in self.payments:
            row["created_at"] = (datetime.now(UTC) - timedelta(minutes=minutes)).isoformat()


@contextmanager
def small_bank() -> Iterator[SmallBank]:
    """A bank that listens on this machine."""
    bank = SmallBank()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path, _, query = self.path.partition("?")
            bank.asked.append(("GET", path))
            shown = [] if bank.hides else bank.listed(dict(parse_qsl(query)))
            self._answer(*((500, {"error": "down"}) if bank.is_down else (200, {"data": shown})))

        def do_POST(self) -> None:
            path = self.path.split("?")[0]
            content = self.rfile.read(int(self.headers["content-length"])).decode()
            bank.asked.append(("POST", path))
            if bank.refuses and bank.refuses in content:
                self._answer(422, {"error": f"{bank.refuses} is not welcome"})
                return
            made = bank.wrote(path, json.loads(content))
            if bank.loses:
                bank.loses -= 1
                self.close_connection = True
                return
            self._answer(200, {"data": made})

        def _answer(self, status: int, value: Any) -> None:
            content = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *arguments: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    bank.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield bank
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
