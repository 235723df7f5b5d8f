"""A bare server with constant answers, in its own process."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from bench.processes import module, serve
from bench.transaction_page import body_of

LIMITS = [(b"ratelimit-limit", b"200"), (b"ratelimit-remaining", b"199"), (b"ratelimit-reset", b"900")]
JSON = [(b"content-type", b"application/json"), *LIMITS]
ENTRY = (
    b'{"erstellungsdatum":"2026-11-15T10:00:00+01:00","waehrung":"EUR","kassenname":"Hauptkasse","betrag":119.00,'
    b'"belegzeilen":[{"gegenkonto":"8400","betrag":119.00,"belegnummer":"K-1"}],"platform":{"neuesGuthaben":990}}'
)


def running() -> AbstractContextManager[str]:
    """Run the server; its base URL is what it yields."""
    return module("servers.constant_server")


def main() -> None:
    transactions = body_of()

    async def answer(scope: Any, receive: Any, send: Any) -> None:
        while (await receive()).get("more_body"):
            pass
        body = transactions if scope["path"] == "/v2/banking/transactions" else ENTRY
        headers = [*JSON, (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    serve(answer)


if __name__ == "__main__":
    main()
