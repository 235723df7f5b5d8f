"""The simulated service on a socket, with what a test wants of it: its clock, its faults, what it was asked."""

from __future__ import annotations

import json
from datetime import timedelta
from decimal import Decimal
from types import TracebackType
from typing import Any, Self

import httpx

from connector.core.service.credential import Credential
from connector.sandbox.server import SandboxServer
from connector.sandbox.traffic.faults import RequestFaultKind

KEY = "sandbox-key"


class Sandbox:
    """A running sandbox, for a `with` block. `GET {url}/sandbox/` lists all that can be ordered of it."""

    def __init__(self, *, seed: int = 1, auto_payments: bool = False, server: SandboxServer | None = None) -> None:
        """`auto_payments` lets payments go on by themselves until they are settled; `server` is one made otherwise."""
        self._server = server or SandboxServer(seed=seed, auto_payments=auto_payments, allow_loopback_webhooks=True)
        self._control = httpx.Client(base_url=f"{self._server.url}/sandbox", trust_env=False)

    @property
    def url(self) -> str:
        """Its base URL."""
        return self._server.url

    def credential(self, quelle: str = "python") -> Credential:
        """Return a credential that it takes."""
        return Credential(self.url, KEY, quelle=quelle)

    def advance(self, by: timedelta) -> None:
        """Move its clock."""
        self.order("/clock", advance=by.total_seconds())

    def fail(self, kind: RequestFaultKind, *, method: str | None = None, path: str | None = None, **more: Any) -> None:
        """Let requests whose path begins so fail: once, or with `times=None` always."""
        match = {name: value for name, value in (("method", method), ("path", path)) if value is not None}
        self.order("/faults", kind=kind, match=match, **more)

    def heal(self) -> None:
        """End all faults."""
        self._control.delete("/faults").raise_for_status()

    def step_payment(self, id: str) -> None:
        """Move a payment to its next status."""
        self.order(f"/payments/{id}/step")

    def requests(self) -> list[dict[str, Any]]:
        """Return what it was asked: `method`, `path`, and whether it has `acted`."""
        answer = self._control.get("/record", params={"limit": 100_000}).raise_for_status()
        requests: list[dict[str, Any]] = _exact(answer)["data"]
        return requests

    def order(self, path: str, **body: Any) -> Any:
        """Send an order to its control interface; raise `ValueError` with its answer when it takes none such."""
        answer = self._control.post(path, json=body)
        if answer.is_error:
            raise ValueError(answer.text)
        return _exact(answer)

    def __enter__(self) -> Self:
        self._server.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._control.close()
        self._server.__exit__(kind, error, trace)


def _exact(answer: httpx.Response) -> Any:
    """What it answered, with amounts to the digit."""
    return json.loads(answer.text, parse_float=Decimal)
