"""Test helpers for the hub and for deliveries: a job context on the sandbox, a hub on a socket, subscribers."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue
from threading import Event, Thread
from typing import Any
from uuid import uuid4

import uvicorn
from standardwebhooks.webhooks import Webhook
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from connector import Connector, Credential
from connector.client.governor import Governor
from connector.client.key_states import key_state
from connector.core.timing import Clock
from connector.durable.context import JobContext
from connector.durable.inbox.decide_due import decide_due
from connector.durable.inbox.ingest import Intake
from connector.durable.outbox.deliver_due import deliver_due
from connector.durable.sending import signing
from connector.sandbox.banking.demo import MAIN_ACCOUNT
from connector.store.triggers import deliveries, events, subscriptions
from connector.store.triggers.deliveries import Delivery
from connector.store.trust import credentials
from connector.store.trust.vault import Vault
from tests.support.running_sandbox import RunningSandbox

PAYMENT = {
    "account_id": MAIN_ACCOUNT,
    "creditor_name": "Reifen Voss KG",
    "creditor_iban": "DE02120300000000202051",
    "amount": 297.5,
    "currency_code": "EUR",
    "description": "Rechnung V-88120",
    "custom_fields": {"vorgang": "EK-12"},
}


class ManualClock(Clock):
    """Real time plus what a test has added."""

    def __init__(self) -> None:
        super().__init__()
        self.ahead = 0.0

    def monotonic(self) -> float:
        return super().monotonic() + self.ahead

    def advance(self, seconds: float) -> None:
        self.ahead += seconds


class HubHost:
    """One host's jobs on its own database, with the sandbox's main key."""

    def __init__(self, sandbox: RunningSandbox, folder: Path, **more: Any) -> None:
        sandbox.order("/limits", limit=1_000_000)
        sandbox.order("/credits", balance=1_000_000)
        self.sandbox = sandbox
        self.clock = ManualClock()
        self.connector = Connector(str(folder))
        self.database = self.connector.database
        credential = Credential(sandbox.url, "sandbox-key")
        key_state(credential).governor = Governor(limit=1_000_000)  # other tests have used the same key
        vault = Vault(str(folder), env={})
        self.credential_id = self.write(
            lambda connection: credentials.save(connection, vault, credential, self.clock.utcnow())
        )
        settings = {"allow_private_targets": True, "allow_loopback_hooks": True, "clock": self.clock, **more}
        self.context = JobContext(self.connector, self.database, vault, str(uuid4()), **settings)

    def write(self, change: Any) -> Any:
        return self.database.write(change).result()

    def subscribe(self, trigger: str, url: str = "http://127.0.0.1:9/nobody", **inputs: Any) -> tuple[str, str]:
        """Create a subscription; return its id and its secret."""
        secret = signing.new_secret()
        subscription = self.write(
            lambda connection: subscriptions.create_once(
                connection,
                digest=None,
                credential_id=self.credential_id,
                trigger=trigger,
                inputs=inputs,
                target_url=url,
                sealed_secret=self.context.vault.seal(secret),
                now=self.clock.utcnow(),
            )
        )
        return subscription.id, secret

    def enqueue(self, subscription_id: str, *item_ids: str) -> None:
        """Enqueue items that contain only their id."""
        for id in item_ids:
            body = json.dumps({"_id": id})
            self.write(
                lambda c, id=id, body=body: deliveries.enqueue(c, subscription_id, id, body, self.clock.utcnow())
            )

    def deliveries(self, subscription_id: str) -> list[Delivery]:
        """Return the deliveries of a subscription, oldest first."""
        listed = self.database.read(lambda connection: deliveries.listed(connection, None, subscription_id, 100_000))
        return list(reversed(listed))

    def fired(self, subscription_id: str) -> list[dict[str, Any]]:
        return [json.loads(delivery.body, parse_float=Decimal) for delivery in self.deliveries(subscription_id)]

    def counts(self) -> dict[str, int]:
        return self.database.read(lambda connection: events.counts(connection, self.credential_id))

    def wait_for_events(self) -> None:
        """Wait until the sandbox has tried to deliver all due events."""
        for _ in range(60):
            if self.sandbox.look("/deliveries", wait=2, since=10**9)["settled"]:
                return
        raise AssertionError("the sandbox does not get rid of its events")

    async def decide(self) -> int:
        return await decide_due(self.context, self.clock.utcnow())

    async def decide_all(self) -> None:
        """Decide all events, advancing the clock where a retry is postponed."""
        while self.counts().get("new"):
            if not await self.decide():
                self.clock.advance(600)

    async def deliver(self) -> int:
        return await deliver_due(self.context, self.clock.utcnow())

    def pay(self, **more: Any) -> str:
        answer = self.sandbox.api.post("/v2/banking/payments", json={**PAYMENT, **more})
        assert answer.is_success, answer.text
        return str(answer.json()["data"]["id"])

    def move(self, payment_id: str, status: str) -> None:
        self.sandbox.order(f"/payments/{payment_id}", status=status)

    async def aclose(self) -> None:
        await self.context.aclose()
        self.connector.close()


def app(intake: Intake) -> Starlette:
    """Return a minimal host with a hub."""

    async def hook(request: Request) -> Response:
        source = request.client.host if request.client else ""
        status = await intake.receive(
            request.path_params["token"], await request.body(), request.headers.get("content-type", ""), source
        )
        return Response(status_code=status)

    return Starlette(routes=[Route("/hooks/{token}", hook, methods=["POST"])])


@contextmanager
def on_socket(intake: Intake) -> Iterator[str]:
    """Run the hub on a free port in its own thread; yield its base URL."""
    ready = Event()

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            ready.set()

    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.bind(("127.0.0.1", 0))
    listening.listen(512)
    server = Server(uvicorn.Config(app(intake), log_config=None, access_log=False, lifespan="off"))
    thread = Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    assert ready.wait(30)
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


MAX_HOLD_SECONDS = 120.0
"""How long a subscriber lets a request wait at most."""


class Subscriber:
    """Receives deliveries on a real socket. `answers` are its next answers; while `hold` is cleared, it waits."""

    def __init__(self, secret: str | None = None) -> None:
        self.secret = secret
        self.taken: Queue[dict[str, Any]] = Queue()
        self.headers: list[dict[str, str]] = []
        self.answers: list[tuple[int, dict[str, str]]] = []
        self.slow_ids: set[str] = set()
        """Items whose answer waits until they are taken out of here."""
        self.hold = Event()
        self.hold.set()
        self.met = Event()
        """Set after the first request."""
        subscriber = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                if subscriber.secret is not None:
                    Webhook(subscriber.secret).verify(body, headers)  # raises, and so breaks the connection
                subscriber.headers.append(headers)
                subscriber.met.set()
                subscriber.hold.wait(MAX_HOLD_SECONDS)
                while json.loads(body).get("_id") in subscriber.slow_ids:
                    time.sleep(0.02)
                status, more = subscriber.answers.pop(0) if subscriber.answers else (200, {})
                if 200 <= status < 300:
                    subscriber.taken.put(json.loads(body, parse_float=Decimal))
                self.send_response(status)
                for name, value in {"content-length": "0", **more}.items():
                    self.send_header(name, value)
                self.end_headers()

            def log_message(self, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/in"
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    def ids(self) -> list[str]:
        """Return the ids of the accepted deliveries, in order."""
        return [item["_id"] for item in list(self.taken.queue)]

    def close(self) -> None:
        self.hold.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
