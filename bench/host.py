"""The host against bare FastAPI routes on the same server: an action, a warm dropdown, and 200 callers at once."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from bench.invoke import LEDGER, _sandbox
from bench.processes import module, process

BLOCKS = 7
BLOCK = 200
CONNECTIONS = 8
"""Concurrent connections while rates are compared."""
CALLERS = 200
CALLS_EACH = 5
TOKEN, KEY = "bench-host-token-of-more-than-32-characters", "sandbox-key"
END_OF_HEAD = b"\r\n\r\n"


def run_ratio() -> float:
    """Measure actions per second through the host, relative to a bare route that makes the same call with httpx."""
    with _both() as (host, bare):
        body = b'{"inputs": {}}'
        ours = _request(host, "POST", "/v1/actions/list_bank_accounts/run", body)
        return _ratio((host, ours), (bare, _request(bare, "POST", "/accounts", body)))


def lookup_ratio() -> float:
    """Measure cached dropdowns per second, relative to a bare route that returns the same options as a constant."""
    with _both() as (host, bare):
        body = json.dumps({"inputs": {"ledger_connection": LEDGER}}).encode()
        ours = _request(host, "POST", "/v1/lookups/cash_books", body)
        return _ratio((host, ours), (bare, _request(bare, "POST", "/constant", body)))


def concurrent() -> float:
    """Measure 200 concurrent callers: the 99th percentile of latency over the median. Any error is raised."""
    with _both() as (host, _):
        request = _request(host, "POST", "/v1/actions/list_bank_accounts/run", b'{"inputs": {}}')
        asyncio.run(_load(host, request, CONNECTIONS, BLOCK))
        waits = sorted(asyncio.run(_load(host, request, CALLERS, CALLERS * CALLS_EACH)))
        return waits[int(len(waits) * 0.99)] / statistics.median(waits)


def _ratio(ours: tuple[str, bytes], bare: tuple[str, bytes]) -> float:
    """Return the median over blocks of our rate divided by the bare one; the two alternate."""

    def seconds(url: str, request: bytes) -> float:
        started = time.perf_counter()
        asyncio.run(_load(url, request, CONNECTIONS, BLOCK))
        return time.perf_counter() - started

    for one in (ours, bare):
        seconds(*one)
    return statistics.median(seconds(*bare) / seconds(*ours) for _ in range(BLOCKS))


@contextlib.contextmanager
def _both() -> Iterator[tuple[str, str]]:
    """Run a host and a bare server in front of one sandbox, each in its own process."""
    with _sandbox() as sandbox, tempfile.TemporaryDirectory() as data:
        kontor = str(Path(sys.executable).parent / "kontor")
        env = {**os.environ, "KONTOR_BASE_URL": sandbox, "KONTOR_HOST_TOKEN": TOKEN, "KONTOR_DATA": data}
        serve = [kontor, "serve", "--no-console", "--json", "--port", "0"]
        with process(serve, env) as told, module("host", sandbox) as bare:
            yield json.loads(told)["base_url"], bare


def _request(url: str, method: str, path: str, body: bytes) -> bytes:
    head = [
        f"{method} {path} HTTP/1.1",
        f"host: {urlsplit(url).netloc}",
        f"authorization: Bearer {TOKEN}",
        f"x-api-key: {KEY}",
        "content-type: application/json",
        f"content-length: {len(body)}",
    ]
    return "\r\n".join(head).encode() + END_OF_HEAD + body


async def _load(url: str, request: bytes, connections: int, count: int) -> list[float]:
    """Send the request `count` times over so many connections; return the latency of each."""
    waits: list[float] = []
    remaining = iter(range(count))
    place = urlsplit(url)

    async def one_connection() -> None:
        reader, writer = await asyncio.open_connection(place.hostname, place.port)
        for _ in remaining:
            started = time.perf_counter()
            writer.write(request)
            head = await reader.readuntil(END_OF_HEAD)
            if not head.startswith(b"HTTP/1.1 200 "):
                raise RuntimeError(head.decode("latin-1"))
            length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
            await reader.readexactly(length)
            waits.append(time.perf_counter() - started)
        writer.close()

    await asyncio.gather(*(one_connection() for _ in range(connections)))
    return waits


def main() -> None:
    """Run the bare server."""
    import uvicorn
    from fastapi import FastAPI

    from connector.interfaces.host.server import address_of, listen

    sandbox = sys.argv[1]
    answer = httpx.get(
        f"{sandbox}/v2/ledger-duo/kassenbuecher", params={"connection_id": LEDGER}, headers={"x-api-key": KEY}
    )
    names = [entry["bezeichnung"] for entry in answer.raise_for_status().json()["data"]]
    constant = {"ok": True, "options": [{"value": n, "label": n, "hint": None} for n in names], "cached": True}
    app, client = FastAPI(), httpx.AsyncClient()

    @app.post("/accounts")
    async def accounts() -> object:
        answer = await client.get(f"{sandbox}/v2/banking/accounts", headers={"x-api-key": KEY})
        return answer.raise_for_status().json()

    @app.post("/constant")
    async def options() -> object:
        return constant

    with listen("127.0.0.1", 0) as listening:
        print(address_of(listening), flush=True)
        config = uvicorn.Config(app, http="httptools", lifespan="off", log_config=None, access_log=False)
        uvicorn.Server(config).run([listening])


if __name__ == "__main__":
    main()
