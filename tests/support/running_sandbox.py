"""What tests work with: the sandbox as its users have it, with its inside, and a receiver of its events."""

from __future__ import annotations

import json
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Queue
from threading import Thread
from typing import Any

import httpx
import msgspec

from connector.sandbox.access.api_keys import ORGANIZATION
from connector.sandbox.server import SandboxServer
from connector.sandbox.world import World
from connector.testing import Sandbox

HOST_TOKEN = "a-host-token-that-is-long-enough-for-a-host"
"""The token of every host that tests start."""


class RunningSandbox(Sandbox):
    """What our own tests want beside it: the service as a caller sees it, and the inside of its world."""

    def __init__(self, server: SandboxServer) -> None:
        super().__init__(server=server)
        self.api = self.with_key("sandbox-key")

    @property
    def world(self) -> World:
        return self._server.world

    def with_key(self, key: str | None) -> httpx.Client:
        headers = {"x-api-key": key} if key else {}
        return httpx.Client(base_url=self.url, headers=headers, trust_env=False)

    def look(self, path: str, **query: Any) -> Any:
        answer = self._control.get(path, params=query)
        assert answer.status_code == 200, answer.text
        return json.loads(answer.text, parse_float=Decimal)

    def try_order(self, path: str, body: Any = None) -> httpx.Response:
        return self._control.post(path, json=body if body is not None else {})

    def order_exact(self, path: str, body: Any) -> None:
        """The same with amounts as JSON numbers to the digit."""
        answer = self._control.post(path, content=msgspec.json.Encoder(decimal_format="number").encode(body))
        assert answer.status_code == 200, answer.text

    def control(self, method: str, path: str) -> httpx.Response:
        return self._control.request(method, path)

    def deliveries(self) -> list[dict[str, Any]]:
        """All deliveries so far, once everything that is due has been tried."""
        sent = self.look("/deliveries", wait=10)
        assert sent["settled"]
        data: list[dict[str, Any]] = sent["data"]
        return data

    def balance(self) -> int:
        return self.world.credits.balance(ORGANIZATION)

    def available(self) -> int:
        return self.world.credits.available(ORGANIZATION)

    def close(self) -> None:
        self.api.close()
        self._control.close()


class Receiver:
    """Takes the sandbox's events on a real socket; `answers` says with which status, 200 when it runs out."""

    def __init__(self) -> None:
        self.events: Queue[dict[str, Any]] = Queue()
        self.headers: list[dict[str, str]] = []
        self.bodies: list[bytes] = []
        self.answers: list[int] = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                receiver.headers.append({name.lower(): value for name, value in self.headers.items()})
                receiver.bodies.append(body)
                receiver.events.put(json.loads(body, parse_float=Decimal))
                self.send_response(receiver.answers.pop(0) if receiver.answers else 200)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/hooks/1"
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    def next(self) -> dict[str, Any]:
        return self.events.get(timeout=30)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def organisation_with_a_payment(sandbox: RunningSandbox, name: str = "werft") -> str:
    """Add an organisation that has paid once, and return its key."""
    other = sandbox.order("/organizations", name=name)["data"]
    payment = {"creditor_name": "Kettenwerk Teile GmbH", "creditor_iban": "DE89370400440532013000", "amount": 10.5}
    answer = sandbox.with_key(other["keys"][0]).post(
        "/v2/banking/payments", json={**payment, "account_id": other["account_id"]}
    )
    assert answer.status_code == 201, answer.text
    return str(other["keys"][0])
