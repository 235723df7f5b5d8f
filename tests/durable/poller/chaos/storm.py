"""A load test: bursts of bank rows and payment events against hosts that are killed repeatedly."""

from __future__ import annotations

import json
import os
import random
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.process import BaseProcess
from typing import Any

from connector.core.service.credential import Credential
from connector.durable.context import JobContext
from connector.durable.inbox.registration import ensure
from connector.durable.poller.poll_due import poll_due
from connector.durable.subscriptions import SubscriptionRequest, subscribe
from connector.runtime.connector import Connector
from connector.sandbox.banking.demo import HOUSE_BANK, MAIN_ACCOUNT
from connector.store.trust import credentials
from connector.store.trust.vault import Vault
from tests.durable.poller.chaos.host import PATIENT, SharedClock, run
from tests.durable.poller.chaos.temporal_server import Server
from tests.support import forked
from tests.support.running_sandbox import RunningSandbox

SPEED = 30.0
PAYMENT = {
    "account_id": MAIN_ACCOUNT,
    "creditor_name": "Kettenwerk Teile GmbH",
    "creditor_iban": "DE89370400440532013000",
    "amount": 1,
    "currency_code": "EUR",
    "description": "Rechnung 4711",
    "template_identifier": "SEPA_INSTANT",
}
STEPS = 3
"""An instant payment goes from initiated to authorizing, processing, settled."""


class Subscriber:
    """Takes deliveries and remembers each: under which message id, which item."""

    def __init__(self) -> None:
        self.bodies: dict[str, list[tuple[str, Any]]] = defaultdict(list)
        self.lock = threading.Lock()
        subscriber = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                with subscriber.lock:
                    subscriber.bodies[self.path].append((self.headers["webhook-id"], body))
                self.send_response(200)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *args: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 256

            def handle_error(self, request: Any, client_address: Any) -> None:
                pass  # a killed host hangs up in the middle

        self._server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def ids(self, path: str) -> set[str]:
        with self.lock:
            return {body["_id"] for _, body in self.bodies[path]}

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@dataclass
class Storm:
    """What is to happen, and what did."""

    sandbox: RunningSandbox
    data: str
    port: int
    transactions: int
    payments: int
    kills: int
    hosts: int = 1
    seed: int = 1
    temporal: Server | None = None
    """Hands out the work, and is killed now and then too."""
    anchor: float = field(default_factory=time.time)
    arrived: list[str] = field(default_factory=list)
    settled: list[str] = field(default_factory=list)
    reached: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    async def prepare(self, subscriber: Subscriber) -> None:
        """Subscribes to three triggers and registers the webhook URL, as the host's own API would."""
        self.sandbox.order("/limits", limit=10_000_000)
        self.sandbox.order("/credits", balance=1_000_000)
        connector, clock = Connector(self.data), SharedClock(self.anchor, SPEED)
        context = JobContext(
            connector,
            connector.database,
            Vault(self.data),
            "prepare",
            public_url=f"http://127.0.0.1:{self.port}",
            allow_private_targets=True,
            allow_loopback_hooks=True,
            clock=clock,
            settings=PATIENT,
        )
        credential = Credential(self.sandbox.url, "sandbox-key")
        id = await context.write(lambda c: credentials.save(c, context.vault, credential, context.now()))
        for trigger, inputs in (
            ("new_transaction", {"connection_id": HOUSE_BANK, "include_pending": True, "include_duplicates": True}),
            ("payment_settled", {}),
            ("payment_update", {}),
        ):
            await subscribe(
                context, id, SubscriptionRequest(trigger, inputs, f"{subscriber.url}/{trigger}"), context.now()
            )
        await ensure(context, id)
        await poll_due(context, context.now())  # what comes from here on is news
        await context.aclose()
        connector.close()

    def rain(self) -> None:
        """All that happens at the banks, in bursts."""
        dice = random.Random(self.seed)
        waiting: list[tuple[str, int]] = []
        left, payments = self.transactions, self.payments
        while left or payments or waiting:
            if left:
                count = min(left, dice.choice((1, 7, 40, 90)))
                answer = self.sandbox.order(f"/bank-connections/{HOUSE_BANK}/refresh", transactions=count)
                self.arrived += answer["data"]["transactions"]
                left -= count
            for _ in range(min(payments, dice.choice((1, 3, 6)))):
                created = self.sandbox.api.post("/v2/banking/payments", json=PAYMENT).json()["data"]
                self.reached[created["id"]].add(created["status"])
                waiting.append((created["id"], STEPS))
                payments -= 1
            dice.shuffle(waiting)
            moving, waiting = waiting[:8], waiting[8:]
            for id, steps in moving:
                moved = self.sandbox.order(f"/payments/{id}/step")["data"]
                self.reached[id].add(moved["status"])
                if steps > 1:
                    waiting.append((id, steps - 1))
                else:
                    self.settled.append(id)
            time.sleep(dice.uniform(0.05, 0.25))

    def blow(self, raining: Callable[[], bool]) -> int:
        """Starts hosts and kills them at random moments; returns how many times. Ends with hosts that live."""
        dice = random.Random(self.seed + 1)
        running = [self._start() for _ in range(self.hosts)]
        killed = 0
        try:
            while killed < self.kills or raining():
                time.sleep(dice.uniform(0.1, 1.0) if killed < self.kills else 0.1)
                if killed < self.kills:
                    victim = dice.randrange(len(running))
                    forked.kill(running[victim])
                    killed += 1
                    running[victim] = self._start()
                    if self.temporal is not None and killed % 7 == 0:
                        self.temporal.kill()
                        self.temporal.start()
            return killed
        finally:
            self._running = running

    def stop(self) -> None:
        for process in self._running:
            forked.kill(process)

    def _start(self) -> BaseProcess:
        temporal = self.temporal.address if self.temporal is not None else None
        return forked.start(run, self.data, self.port, self.anchor, SPEED, temporal, env=os.environ)


@contextmanager
def storm_over(storm: Storm, subscriber: Subscriber, patience: float) -> Iterator[int]:
    """Lets the storm pass, then waits until everything has been told or patience is at its end."""
    with ThreadPoolExecutor(1) as pool:
        rain = pool.submit(storm.rain)
        try:
            killed = storm.blow(lambda: not rain.done())
            rain.result()
        except BaseException:
            storm.stop()
            raise
    try:
        ends = time.monotonic() + patience
        while time.monotonic() < ends and not _all_told(storm, subscriber):
            time.sleep(0.2)
        yield killed
    finally:
        storm.stop()


def _all_told(storm: Storm, subscriber: Subscriber) -> bool:
    return set(storm.arrived) <= subscriber.ids("/new_transaction") and {
        f"{id}:settled" for id in storm.settled
    } <= subscriber.ids("/payment_settled")
