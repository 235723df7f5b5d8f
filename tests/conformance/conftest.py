"""A session on the sandbox, and what goes over the wire between the two."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from connector import Connector, Credential
from connector.core.service.wire import Wire
from connector.runtime.session import Session
from tests.durable.inbox.hub_fixtures import hub, hub_host
from tests.support.running_sandbox import RunningSandbox

__all__ = ["hub", "hub_host"]
Opened = Callable[..., Session]


class Wiretap(httpx.BaseTransport):
    """Goes to the service and keeps every request with its answer."""

    def __init__(self) -> None:
        self._service = httpx.HTTPTransport()
        self.exchanges: list[tuple[httpx.Request, httpx.Response]] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        answer = self._service.handle_request(request)
        answer.read()
        self.exchanges.append((request, answer))
        return answer

    def close(self) -> None:
        self._service.close()


@pytest.fixture
def opened(sandbox: RunningSandbox, tmp_path: Path) -> Iterator[Opened]:
    """Opens sessions on the sandbox: with another key, label or wire names, or through a transport."""
    sandbox.order("/limits", limit=1_000_000)
    connector = Connector(str(tmp_path))
    with ExitStack() as stack:

        def open(
            key: str = "sandbox-key",
            quelle: str = "n8n",
            wire: Any = None,
            transport: httpx.BaseTransport | None = None,
        ) -> Session:
            credential = Credential(sandbox.url, key, quelle=quelle, wire=Wire.with_overrides(wire or {}))
            return stack.enter_context(connector.open(credential, transport=transport))

        yield open
    connector.close()


@pytest.fixture
def session(opened: Opened) -> Session:
    return opened()


@pytest.fixture
def wiretap() -> Wiretap:
    return Wiretap()


@pytest.fixture
def tapped(opened: Opened, wiretap: Wiretap) -> Session:
    """A session whose requests and answers `wiretap` keeps."""
    return opened(transport=wiretap)


def items(session: Session, action: str, **inputs: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = session.invoke(action, inputs).output["items"]
    return found
