"""A bare server of transactions in pages by `from_id`, in its own process."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from typing import Any
from urllib.parse import parse_qs

from bench.processes import module, serve
from bench.servers.constant_server import JSON
from bench.transaction_page import COUNT, transaction
from connector.core.values.json import encode

FIRST = int(transaction(0)["id"])


def running(pages: int) -> AbstractContextManager[str]:
    """Run the server; its base URL is what it yields."""
    return module("servers.page_server", str(pages))


def body_after(last: int, pages: int) -> bytes:
    """Return the page after an id; an empty one after the last row."""
    first = max(0, last - FIRST + 1)
    return encode({"data": [transaction(number) for number in range(first, min(first + COUNT, pages * COUNT))]})


def main(pages: int) -> None:
    cached = {0: body_after(0, pages)}  # the first page is requested repeatedly

    async def answer(scope: Any, receive: Any, send: Any) -> None:
        while (await receive()).get("more_body"):
            pass
        last = int(parse_qs(scope["query_string"].decode()).get("from_id", ["0"])[0])
        body = cached.get(last) or body_after(last, pages)
        headers = [*JSON, (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    serve(answer)


if __name__ == "__main__":
    main(int(sys.argv[1]))
