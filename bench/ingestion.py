"""Events stored per second by a whole host, against a bare Starlette endpoint with the same durability.

Both run on uvicorn in their own process, both group-commit to SQLite (WAL, synchronous=FULL) before they answer, and
the same clients send the same events to both in alternation. The host is `kontor serve` with its engine running. The
bare endpoint does the same durable work: it encrypts the body (AES-GCM) and stores it in the same columns, under the
same key and index, with the same commit; its key is a digest of the body. It validates nothing, and tells nobody.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import socket
import sqlite3
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from bench.processes import process
from connector.interfaces.host.server import listen
from connector.store import open_database
from connector.store.triggers import hooks
from connector.store.triggers.hooks import Hook

CLIENTS = 16
EVENTS = 400
ROUNDS = 25
TOKEN = "bench-token"
UNREACHABLE = "http://127.0.0.1:9"
END_OF_HEAD = b"\r\n\r\n"


def ratio() -> float:
    """Return the median ratio over alternating rounds."""
    with _bare() as bare, _host() as hub:
        for url in (bare, hub):
            _rate(url, 0, EVENTS)  # warm
        shares = []
        for number in range(1, ROUNDS + 1):  # short rounds, so that variations of the disk affect both alike
            shares.append(_rate(hub, number, EVENTS) / _rate(bare, number, EVENTS))
    return statistics.median(shares)


def _event(round_: int, number: int) -> bytes:
    attributes = {
        "amount": "297.50",
        "currency_code": "EUR",
        "description": f"Rechnung {number}",
        "creditor_iban": "DE02120300000000202051",
        "creditor_name": "Reifen Voss KG",
        "debtor_iban": "DE89370400440532013000",
        "end_to_end_id": f"V-{number}",
    }
    data = {
        "payment_id": str(number),
        "status": "settled",
        "template_identifier": "SEPA",
        "raw_provider_status": "ACCC",
    }
    envelope = {
        "event": "payment_update",
        "data": {**data, "payment_attributes": attributes},
        "received_at": f"2026-11-15T10:{round_:02}:{number // 100:02}.{number % 100:02}0Z",
    }
    return json.dumps(envelope).encode()


def _rate(address: tuple[str, int], round_: int, count: int) -> float:
    """Return the answered events per second; each client sends sequentially on its own kept-alive socket."""
    bodies = [_event(round_, number) for number in range(count)]
    requests = [
        b"POST /hooks/%b HTTP/1.1\r\nhost: bench\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b"
        % (TOKEN.encode(), len(body), body)
        for body in bodies
    ]
    answers: list[bytes] = []

    def send(first: int) -> None:
        with socket.create_connection(address) as line:
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for request in requests[first::CLIENTS]:
                line.sendall(request)
                answers.append(_status(line))

    clients = [threading.Thread(target=send, args=(first,)) for first in range(CLIENTS)]
    started = time.perf_counter()
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    seconds = time.perf_counter() - started
    assert len(answers) == count
    assert set(answers) == {b"200"}, set(answers)
    return count / seconds


def _status(line: socket.socket) -> bytes:
    """Read one whole answer and return its status."""
    answer = line.recv(4096)
    while END_OF_HEAD not in answer:
        answer += line.recv(4096)
    head, _, body = answer.partition(END_OF_HEAD)
    length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
    while len(body) < length:
        body += line.recv(4096)
    return head.split(maxsplit=2)[1]


@contextlib.contextmanager
def _host() -> Iterator[tuple[str, int]]:
    """Run a host with one hook."""
    with tempfile.TemporaryDirectory() as folder:
        database = open_database(folder)
        hook = Hook(hooks.digest(TOKEN), "c1", "sealed", None, False, "active", None, None, None)
        database.write(lambda connection: hooks.save(connection, hook)).result()
        database.close()
        kontor = str(Path(sys.executable).parent / "kontor")
        env = {**os.environ, "KONTOR_DATA": folder, "KONTOR_BASE_URL": UNREACHABLE, "KONTOR_HOST_TOKEN": "bench" * 8}
        with process([kontor, "serve", "--no-console", "--json", "--port", "0"], env) as told:
            place = urlsplit(json.loads(told)["base_url"])
            yield str(place.hostname), int(place.port or 0)


@contextlib.contextmanager
def _bare() -> Iterator[tuple[str, int]]:
    command = [sys.executable, "-m", "bench.ingestion"]
    with tempfile.TemporaryDirectory() as folder, process([*command, folder]) as port:
        yield "127.0.0.1", int(port)


def main() -> None:
    """Run the bare endpoint."""
    import asyncio
    from datetime import UTC, datetime
    from hashlib import sha256

    import uvicorn
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    from sqlalchemy.dialects import sqlite
    from sqlalchemy.schema import CreateIndex, CreateTable
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

    from connector.store.schema import events

    waiting: queue.SimpleQueue[tuple[bytes, asyncio.Future[None]]] = queue.SimpleQueue()

    key = AESGCM(os.urandom(32))

    def encrypted(body: bytes) -> bytes:
        nonce = os.urandom(12)
        return nonce + key.encrypt(nonce, body, None)

    def write() -> None:
        handle = sqlite3.connect(Path(sys.argv[1]) / "bare.db", isolation_level=None)
        for pragma in ("journal_mode=WAL", "synchronous=FULL"):
            handle.execute(f"PRAGMA {pragma}")
        for definition in (CreateTable(events), *map(CreateIndex, events.indexes)):
            handle.execute(str(definition.compile(dialect=sqlite.dialect())))
        names = "credential_id, event_id, event, body, state, repeats, tries, next_at, arrived_at"
        insert = f"INSERT INTO events ({names}) VALUES ('c1', ?, 'payment_update', ?, 'new', 0, 0, ?, ?)"
        while True:
            batch = [waiting.get()]
            with contextlib.suppress(queue.Empty):
                while len(batch) < 256:
                    batch.append(waiting.get_nowait())
            handle.execute("BEGIN IMMEDIATE")
            now = datetime.now(UTC).isoformat(" ")
            handle.executemany(insert, [(sha256(body).hexdigest(), encrypted(body), now, now) for body, _ in batch])
            handle.execute("COMMIT")
            batch[0][1].get_loop().call_soon_threadsafe(tell, [stored for _, stored in batch])

    def tell(futures: list[asyncio.Future[None]]) -> None:
        for future in futures:
            future.set_result(None)

    async def answer(request: Request) -> Response:
        stored = asyncio.get_running_loop().create_future()
        waiting.put((await request.body(), stored))
        await stored
        return Response(status_code=200)

    threading.Thread(target=write, daemon=True).start()
    listening = listen("127.0.0.1", 0)
    print(listening.getsockname()[1], flush=True)
    app = Starlette(routes=[Route("/hooks/{token}", answer, methods=["POST"])])
    config = uvicorn.Config(app, http="httptools", lifespan="off", log_config=None, access_log=False)
    uvicorn.Server(config).run([listening])


if __name__ == "__main__":
    main()
