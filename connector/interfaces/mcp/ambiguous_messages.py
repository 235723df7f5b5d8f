"""Refuses messages in which an object gives a member twice, of which the SDK would silently take the last one, and
messages that hold more than is read."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, cast

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, ErrorData, JSONRPCError
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from connector.core.errors import InputError
from connector.core.messages import say
from connector.core.values import json
from connector.core.values.json_members import HoldsTooMuch
from connector.interfaces.mcp.results import to_json_types
from connector.interfaces.request_body import read_body


def refusal(message: bytes | str, lang: str) -> JSONRPCError | None:
    """Return the answer to a message that is refused for what it holds; None to any other."""
    problem = json.problem_of(message)
    if isinstance(problem, json.GivenTwice):
        name = problem.name[:64]
        id = None if name == "id" else _id_of(message)
        return _answer(id, InputError(say("given_twice", name=name), field=name), lang)
    if isinstance(problem, HoldsTooMuch):
        return _answer(None, InputError(say("mcp_holds_too_much", why=problem.text)), lang)
    return None


def _answer(id: str | int | None, error: InputError, lang: str) -> JSONRPCError:
    told = ErrorData(code=INVALID_REQUEST, message=error.message.in_(lang), data=to_json_types(error.as_dict(lang)))
    return JSONRPCError(jsonrpc="2.0", id=id, error=told)


class UnambiguousLines:
    """The lines of stdin without ambiguous messages, which are answered on `replies`."""

    replies: Any

    def __init__(self, lang: str) -> None:
        self._lang = lang

    async def __aiter__(self) -> AsyncIterator[str]:
        async for line in await anyio.open_file(0, encoding="utf-8", errors="replace", closefd=False):
            refused = refusal(line, self._lang)
            if refused is None:
                yield line
            elif refused.id is None or "method" in _members(line):
                await self.replies.send(SessionMessage(refused))
            else:  # the answer to a question of the server, which hears that it got none
                yield refused.model_dump_json(by_alias=True, exclude_unset=True)


class UnambiguousBodies:
    """An ASGI application that passes on all requests but those with an ambiguous message."""

    def __init__(self, app: ASGIApp, lang: str, max_body: int) -> None:
        self._app, self._lang, self._max_body = app, lang, max_body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read the body, unless it is too large for the application anyway."""
        read: list[Message] = []
        size, more = 0, scope["method"] == "POST"
        while more and size <= self._max_body:
            read.append(await receive())
            size += len(read[-1].get("body", b""))
            more = read[-1].get("more_body", False)
        body = b"".join(one.get("body", b"") for one in read)
        refused = None if more else await read_body(scope, lambda text: refusal(text, self._lang), body)
        if refused is not None:
            answer = refused.model_dump_json(by_alias=True, exclude_unset=True)
            await Response(answer, 400, media_type="application/json")(scope, receive, send)
            return

        async def receive_again() -> Message:
            return read.pop(0) if read else await receive()

        await self._app(scope, receive_again, send)


def _id_of(message: bytes | str) -> str | int | None:
    id = _members(message).get("id")
    return id if isinstance(id, str | int) and not isinstance(id, bool) else None


def _members(message: bytes | str) -> dict[str, Any]:
    try:
        found = json.decode(message)
    except ValueError:
        return {}
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}
