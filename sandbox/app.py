"""The ASGI application: the service under /v2/, the control interface under /sandbox/."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import parse_qsl

from connector.sandbox.control import handle_control_request
from connector.sandbox.service import Service
from connector.sandbox.traffic.http_messages import HttpRequest, HttpResponse, encode
from connector.sandbox.traffic.request_pipeline import handle_request

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

ABORT = "sandbox.abort"
"""The scope extension that aborts the TCP connection."""


class SandboxApp:
    def __init__(self, service: Service) -> None:
        self.service = service

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        elif scope["type"] == "http":
            http_request = await _read(scope, receive)
            if http_request is not None:
                await _send_response(await self._respond(http_request), scope, receive, send)

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        await receive()
        await self.service.start()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self.service.stop()
        await send({"type": "lifespan.shutdown.complete"})

    async def _respond(self, http_request: HttpRequest) -> HttpResponse:
        if http_request.path.startswith("/v2/"):
            return await handle_request(self.service, http_request)
        if http_request.path.startswith("/sandbox"):
            return await handle_control_request(self.service, http_request)
        return HttpResponse(404, encode({"error": "Not found."}))


async def _read(scope: Message, receive: Receive) -> HttpRequest | None:
    """Read the whole request; None if the client disconnected, so that a partial body is never processed."""
    parts, more = [], True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        parts.append(message.get("body", b""))
        more = message.get("more_body", False)
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
    return HttpRequest(
        method=scope["method"],
        path=scope["path"],
        query=dict(parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)),
        headers=headers,
        body=b"".join(parts),
        client_ip=scope["client"][0] if scope.get("client") else "127.0.0.1",
        base_url=f"{scope['scheme']}://{headers.get('host', 'localhost')}",
    )


async def _send_response(response: HttpResponse, scope: Message, receive: Receive, send: Send) -> None:
    if response.ending != "dropped":
        content_length = len(response.body)
        sent = response.body[: content_length // 2] if response.ending == "truncated" else response.body
        headers = [("Content-Type", response.content_type), ("Content-Length", str(content_length)), *response.headers]
        raw = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
        await send({"type": "http.response.start", "status": response.status, "headers": raw})
        await send({"type": "http.response.body", "body": sent, "more_body": response.ending == "truncated"})
    if response.ending != "whole":
        scope["extensions"][ABORT]["cut"]()
        await receive()  # returns when the server has noticed the disconnect
