"""Carries operations out: on the host that the environment names, over HTTP, else on the data of this machine."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from connector.core import errors
from connector.core.errors import InputError, KontorError, ServiceDown
from connector.core.messages import Text, say
from connector.core.service.credential import Credential, is_loopback
from connector.core.service.wire import Wire
from connector.interfaces.cli.language import language
from connector.interfaces.cli.session import open_store

if TYPE_CHECKING:
    from connector.durable.context import JobContext
    from connector.operations.operation import Operation
    from connector.runtime.session import AsyncSession

URL, TOKEN, KEY = "KONTOR_HOST_URL", "KONTOR_HOST_TOKEN", "KONTOR_API_KEY"
TIMEOUT = 60.0
Document = dict[str, Any]
Call = Callable[..., Document]
"""Takes an operation and its inputs by name; None counts as left out."""


def call(operation: Operation[...], **inputs: Any) -> Document:
    """Carry one operation out, and return its document."""
    with caller() as call:
        return call(operation, **inputs)


@contextmanager
def caller() -> Iterator[Call]:
    """Yield what carries operations out, one after the other: the host that the environment names, or this machine."""
    host = named_host()
    if host is not None:
        yield lambda operation, **inputs: _ask_host(host, operation, _given(inputs))
        return
    with asyncio.Runner() as runner, _opened(runner) as context:
        access = EnvironmentAccess(context)
        yield lambda operation, **inputs: runner.run(operation.carry_out(access, None, _given(inputs)))


def named_host() -> str | None:
    """Return the address of the host that the environment names, with a token for it; None when it names none."""
    host = os.environ.get(URL, "").strip().rstrip("/")
    return host if host and os.environ.get(TOKEN, "").strip() else None


def on_this_machine(function: Callable[[JobContext], Awaitable[Document]]) -> Document:
    """Return the document of what acts on the data of this machine only."""

    async def act(context: JobContext) -> Document:
        return await function(context)

    with asyncio.Runner() as runner, _opened(runner) as context:
        return runner.run(act(context))


class EnvironmentAccess:
    """What the owner of this machine may see: everything stored, and the service with the environment's API key."""

    sandboxed = False

    def __init__(self, context: JobContext) -> None:
        self.context = context

    @asynccontextmanager
    async def session(self, *, calls_service: bool = False) -> AsyncIterator[AsyncSession]:
        """Yield a session with the environment's credential."""
        async with self.context.connector.open() as session:
            yield session

    async def workspace(self) -> None:
        """All workspaces."""

    def credential(self, api_key: str) -> Credential:
        """Return a credential with this API key, and with the environment's base URL, label and wire names."""
        env = os.environ
        return Credential(env.get("KONTOR_BASE_URL", ""), api_key, env.get("KONTOR_QUELLE", ""), Wire.load(env))


@contextmanager
def _opened(runner: asyncio.Runner) -> Iterator[JobContext]:
    from connector.durable.context import JobContext
    from connector.runtime.connector import Connector
    from connector.store.database.files import data_location
    from connector.store.people import people
    from connector.store.trust.register_rows import open_sealed_vault

    connector = Connector()
    try:
        database = open_store(connector)
        vault = open_sealed_vault(database, data_location())
        people.take_over(database, datetime.now(UTC))
        context = JobContext(connector, database, vault, "command line")
        try:
            yield context
        finally:
            runner.run(context.aclose())
    finally:
        connector.close()


def _given(inputs: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in inputs.items() if value is not None}


def _ask_host(host: str, operation: Operation[...], inputs: Mapping[str, Any]) -> Document:
    """Return the host's answer; raise the error that it tells."""
    import httpx

    from connector.core.values import json
    from connector.operations.operation import API_KEY

    if urlsplit(host).scheme != "https" and not is_loopback(urlsplit(host).hostname or ""):
        raise InputError(say("host_url_plain_http"), remedy=say("host_url_plain_http_remedy"), field=URL)
    headers = {
        "authorization": f"Bearer {os.environ[TOKEN].strip()}",
        "accept-language": language(),
        "x-kontor-platform": "cli",
    }
    key = os.environ.get(KEY, "").strip()
    if operation.needs_access and key:  # a token of the whole host works in that key's workspace; others need none
        headers[API_KEY] = key
    parts: dict[str, dict[str, Any]] = {"path": {}, "query": {}, "header": headers, "body": {}}
    whole = {}
    for input in operation.inputs:
        if input.name not in inputs:
            continue
        value = inputs[input.name]
        if input.place == "whole body":
            whole = value
        else:
            parts[input.place][input.sent_as] = (
                value.isoformat(timespec="seconds") if isinstance(value, datetime) else value
            )
    path = operation.path.format_map({name: quote(str(value), safe="") for name, value in parts["path"].items()})
    content = {**whole, **parts["body"]} if operation.placed("body", "whole body") else None
    try:
        answer = httpx.request(
            operation.method, host + path, params=parts["query"], json=content, headers=headers, timeout=TIMEOUT
        )
        document: Document = json.decode(answer.content)
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        message, remedy = say("host_unreachable", why=type(error).__name__), say("host_unreachable_remedy")
        raise ServiceDown(message, remedy=remedy, field=URL, outcome="unknown") from None
    if not document.get("ok") and "kind" in document:
        raise _error(document)
    return document


def _error(document: Document) -> KontorError:
    """Return the error that the host tells, with the exit status of its kind."""
    classes = {cls.kind: cls for cls in vars(errors).values() if isinstance(cls, type) and issubclass(cls, KontorError)}
    kind, words, remedy = str(document.get("kind")), str(document.get("message", "")), document.get("remedy") or {}
    error = classes.get(kind, errors.RightMissing if kind == "host_token" else KontorError)
    advice = Text(str(remedy.get("en", words)), str(remedy.get("de", words)))
    return error(Text(words, words), remedy=advice, field=document.get("field"), outcome=document.get("outcome"))
