"""Carries out administration: on the host that the environment names, else on the data of this machine."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from connector.core import errors
from connector.core.credential import is_loopback
from connector.core.errors import InputError, KontorError, ServiceDown
from connector.core.messages import Text, say
from connector.interfaces.cli.language import language
from connector.interfaces.cli.session import open_store

if TYPE_CHECKING:
    from connector.durable.context import JobContext

URL, TOKEN = "KONTOR_HOST_URL", "KONTOR_HOST_TOKEN"
TIMEOUT = 60.0
Document = dict[str, Any]


def administer(local: Callable[[JobContext], Awaitable[Document]], method: str, path: str, **request: Any) -> Document:
    """Return the document of an administrative command: by a request to the host, or by `local` on this machine."""
    host = named_host()
    return on_this_machine(local) if host is None else ask_host(host, method, path, **request)


def named_host() -> str | None:
    """Return the address of the host that the environment names, with a token for it; None when it names none."""
    host = os.environ.get(URL, "").strip().rstrip("/")
    return host if host and os.environ.get(TOKEN, "").strip() else None


def on_this_machine(local: Callable[[JobContext], Awaitable[Document]]) -> Document:
    """Return the document of a command that acts on the data of this machine only."""
    return asyncio.run(_on_this_machine(local))


def ask_host(
    host: str,
    method: str,
    path: str,
    *,
    body: Mapping[str, Any] | None = None,
    query: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Document:
    """Return the host's answer to a request; raise the error that it tells."""
    import httpx

    from connector.core.values import json

    if urlsplit(host).scheme != "https" and not is_loopback(urlsplit(host).hostname or ""):
        raise InputError(say("host_url_plain_http"), remedy=say("host_url_plain_http_remedy"), field=URL)
    token = f"Bearer {os.environ[TOKEN].strip()}"
    sent = {"authorization": token, "accept-language": language(), **(headers or {})}
    given = {name: value for name, value in (query or {}).items() if value is not None}
    content = None if body is None else {name: value for name, value in body.items() if value is not None}
    try:
        answer = httpx.request(method, host + path, params=given, json=content, headers=sent, timeout=TIMEOUT)
        document: Document = json.decode(answer.content)
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        message, remedy = say("host_unreachable", why=type(error).__name__), say("host_unreachable_remedy")
        raise ServiceDown(message, remedy=remedy, field=URL, outcome="unknown") from None
    if not document.get("ok") and "kind" in document:
        raise _error(document)
    return document


def _error(document: Document) -> KontorError:
    """Return the error that the host tells, with the exit status of its kind."""
    kinds = {one.kind: one for one in vars(errors).values() if isinstance(one, type) and issubclass(one, KontorError)}
    kind, words, remedy = str(document.get("kind")), str(document.get("message", "")), document.get("remedy") or {}
    found = kinds.get(kind, errors.RightMissing if kind == "host_token" else KontorError)
    message = Text(words, words)
    advice = Text(str(remedy.get("en", words)), str(remedy.get("de", words)))
    return found(message, remedy=advice, field=document.get("field"), outcome=document.get("outcome"))


async def _on_this_machine(local: Callable[[JobContext], Awaitable[Document]]) -> Document:
    from connector.durable.context import JobContext
    from connector.runtime.connector import Connector
    from connector.store.database import data_location
    from connector.store.key_check import open_vault

    connector = Connector()
    try:
        database = open_store(connector)
        context = JobContext(connector, database, open_vault(database, data_location()), "command line")
        try:
            return await local(context)
        finally:
            await context.aclose()
    finally:
        connector.close()
