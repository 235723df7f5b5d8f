"""A bare service in which there is nothing: each list is empty. It counts the requests, and runs in its own process."""

from __future__ import annotations

import json
import urllib.request
from contextlib import AbstractContextManager
from typing import Any

from bench.processes import module
from bench.servers.constant_server import JSON

EMPTY = b'{"data":[]}'
BANK_CONNECTION = b'{"data":{"id":"1","status":"active","next_refresh_possible_at":null,"consent_expires_at":null}}'


def running() -> AbstractContextManager[str]:
    """Run the server; its base URL is what it yields."""
    return module("servers.empty_server")


def requests_made(url: str) -> int:
    """Return how many requests the server has answered."""
    with urllib.request.urlopen(f"{url}/made") as answer:
        return int(json.load(answer)["made"])


def main() -> None:
    import socket

    import uvicorn

    made = 0

    async def answer(scope: Any, receive: Any, send: Any) -> None:
        nonlocal made
        while (await receive()).get("more_body"):
            pass
        if scope["path"] == "/made":
            body = b'{"made":%d}' % made
        else:
            made += 1
            body = BANK_CONNECTION if scope["path"].startswith("/v2/banking/connections/") else EMPTY
        headers = [*JSON, (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.bind(("127.0.0.1", 0))
    listening.listen(512)
    print(f"http://127.0.0.1:{listening.getsockname()[1]}", flush=True)
    config = uvicorn.Config(answer, http="httptools", lifespan="off", log_config=None, access_log=False)
    uvicorn.Server(config).run([listening])


if __name__ == "__main__":
    main()
