"""Durable 200s per second through the hub's intake, against a bare Starlette endpoint with the same durability.

Both are Starlette on uvicorn in a process of their own, both commit to SQLite (WAL, synchronous=FULL) in groups before
they answer, and the same clients send the same events to one and to the other by turns. The bare one checks nothing
but that the body is JSON: it stores the event's name and the body, and answers.
"""

from __future__ import annotations

import contextlib
import json
import queue
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

CLIENTS = 16
EVENTS = 400
ROUNDS = 25
TOKEN = "bench-token"


def ratio() -> float:
    """The median of rounds in which the two take turns."""
    with _serving("bare") as bare, _serving("hub") as hub:
        for url in (bare, hub):
            _rate(url, 0, EVENTS)  # warm
        shares = []
        for number in range(1, ROUNDS + 1):  # short ones, so that the disk's moods meet both alike
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
    """Answered events per second: each client sends one after the other on its own kept-alive socket."""
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
                answers.append(line.recv(4096).split(b"\r\n", 1)[0])

    clients = [threading.Thread(target=send, args=(first,)) for first in range(CLIENTS)]
    started = time.perf_counter()
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    seconds = time.perf_counter() - started
    assert len(answers) == count
    assert all(answer.split()[1] == b"200" for answer in answers), set(answers)
    return count / seconds


@contextlib.contextmanager
def _serving(kind: str) -> Iterator[tuple[str, int]]:
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            [sys.executable, "-m", "bench.ingestion", kind, folder], stdout=subprocess.PIPE, text=True
        )
        try:
            assert process.stdout
            yield "127.0.0.1", int(process.stdout.readline())
        finally:
            process.terminate()
            process.wait()


def _serve(answer: Callable[[Any], Any]) -> None:
    import uvicorn
    from starlette.applications import Starlette
    from starlette.routing import Route

    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.bind(("127.0.0.1", 0))
    listening.listen(512)
    print(listening.getsockname()[1], flush=True)
    app = Starlette(routes=[Route("/hooks/{token}", answer, methods=["POST"])])
    config = uvicorn.Config(app, http="httptools", lifespan="off", log_config=None, access_log=False)
    uvicorn.Server(config).run([listening])


def _serve_hub(folder: str) -> None:
    from starlette.requests import Request
    from starlette.responses import Response

    from connector.hub.buckets import Rate
    from connector.hub.ingest import Intake
    from connector.store import hooks, open_database
    from connector.store.hooks import Hook

    database = open_database(folder)
    hook = Hook(hooks.digest(TOKEN), "c1", "sealed", None, False, "active", None, None, None)
    database.write(lambda connection: hooks.keep(connection, hook)).result()
    plenty = Rate(per_second=1e9, at_once=1e9)  # the bounds are looked at as always, but one machine sends it all
    intake = Intake(database, per_source=plenty, per_token=plenty)

    async def answer(request: Request) -> Response:
        source = request.scope["client"][0]
        kind = request.headers.get("content-type", "")
        return Response(
            status_code=await intake.receive(request.path_params["token"], await request.body(), kind, source)
        )

    _serve(answer)


def _serve_bare(folder: str) -> None:
    import asyncio

    from starlette.requests import Request
    from starlette.responses import Response

    waiting: queue.SimpleQueue[tuple[str, str, asyncio.Future[None]]] = queue.SimpleQueue()

    def write() -> None:
        handle = sqlite3.connect(Path(folder) / "bare.db", isolation_level=None)
        for pragma in ("journal_mode=WAL", "synchronous=FULL"):
            handle.execute(f"PRAGMA {pragma}")
        handle.execute("CREATE TABLE events (id INTEGER PRIMARY KEY, event TEXT NOT NULL, body TEXT NOT NULL)")
        while True:
            batch = [waiting.get()]
            with contextlib.suppress(queue.Empty):
                while len(batch) < 256:
                    batch.append(waiting.get_nowait())
            handle.execute("BEGIN IMMEDIATE")
            handle.executemany("INSERT INTO events (event, body) VALUES (?, ?)", [one[:2] for one in batch])
            handle.execute("COMMIT")
            batch[0][2].get_loop().call_soon_threadsafe(_tell, [one[2] for one in batch])

    def _tell(futures: list[asyncio.Future[None]]) -> None:
        for future in futures:
            future.set_result(None)

    async def answer(request: Request) -> Response:
        body = (await request.body()).decode()
        stored = asyncio.get_running_loop().create_future()
        waiting.put((json.loads(body)["event"], body, stored))
        await stored
        return Response(status_code=200)

    threading.Thread(target=write, daemon=True).start()
    _serve(answer)


if __name__ == "__main__":
    {"hub": _serve_hub, "bare": _serve_bare}[sys.argv[1]](sys.argv[2])
