"""The sandbox as an ASGI application: the service under /v2/, its control interface under /sandbox/."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import parse_qsl

from sandbox import encoding
from sandbox.control import answer_control
from sandbox.exchange import exchange
from sandbox.messages import Answer, Call
from sandbox.service import Service

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

ABORT = "sandbox.abort"
"""The scope extension that cuts the TCP connection."""


class SandboxApp:
    def __init__(self, service: Service) -> None:
        self.service = service

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            call = await _read(scope, receive)
            if call is not None:
                await _reply(await self._answer(call), scope, receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        await self.service.start()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self.service.stop()
        await send({"type": "lifespan.shutdown.complete"})

    async def _answer(self, call: Call) -> Answer:
        if call.path.startswith("/v2/"):
            return await exchange(self.service, call)
        if call.path.startswith("/sandbox"):
            return await answer_control(self.service, call)
        return Answer(404, encoding.encode({"error": "Not found."}))


async def _read(scope: Message, receive: Receive) -> Call | None:
    """Read a request to its end; None when the caller hung up before that, so that half a body never acts."""
    parts, more = [], True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        parts.append(message.get("body", b""))
        more = message.get("more_body", False)
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
    return Call(
        method=scope["method"],
        path=scope["path"],
        query=dict(parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)),
        headers=headers,
        body=b"".join(parts),
        client_ip=scope["client"][0] if scope.get("client") else "127.0.0.1",
        base_url=f"{scope['scheme']}://{headers.get('host', 'localhost')}",
    )


async def _reply(answer: Answer, scope: Message, receive: Receive, send: Send) -> None:
    if answer.ending != "dropped":
        announced = len(answer.body)
        sent = answer.body[: announced // 2] if answer.ending == "truncated" else answer.body
        headers = [("Content-Type", answer.content_type), ("Content-Length", str(announced)), *answer.headers]
        raw = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
        await send({"type": "http.response.start", "status": answer.status, "headers": raw})
        await send({"type": "http.response.body", "body": sent, "more_body": answer.ending == "truncated"})
    if answer.ending != "whole":
        scope["extensions"][ABORT]["cut"]()
        await receive()  # returns when the server has noticed that the connection is gone
