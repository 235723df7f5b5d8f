"""Runs a write of a case in Python: in a session of its own, against a service on this machine that answers as told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

import pytest

from connector import Connector, Credential
from connector.client import clients
from connector.core.callers import Intent
from connector.core.errors import KontorError
from connector.core.timing import Clock
from connector.core.values import json
from connector.store.runs import payees
from connector.store.trust.workspaces import DEFAULT
from connector.testing.cases.files import decoded, encoded
from connector.testing.cases.interpreter import NOW

NOT_ASKED = {"status": 400, "reply": {"error": "another query was expected"}}


@dataclass
class Service:
    """Where it listens, how often it was read and written to, and what was written last."""

    url: str = ""
    looked: int = 0
    sent: int = 0
    body: Any = None
    left: list[Mapping[str, Any]] = field(default_factory=list)
    """What the list shows next."""


def written(action: str, case: Mapping[str, Any], credential: Credential) -> dict[str, Any]:
    """What became of the write, and what the service saw of it."""
    with service_of(case) as service, TemporaryDirectory() as folder, _quick_pauses():
        connector = Connector(folder)
        try:
            told = _invoked(connector, replace(credential, base_url=service.url), action, case)
        finally:
            connector.close()
    return {**told, "sent": service.sent, "looked": service.looked, "body": service.body}


class ClockAt(Clock):
    """A clock that began to run at another moment."""

    def __init__(self, moment: str) -> None:
        super().__init__()
        self._ahead = datetime.fromisoformat(moment) - super().utcnow()

    def utcnow(self) -> datetime:
        return super().utcnow() + self._ahead


def _invoked(connector: Connector, credential: Credential, action: str, case: Mapping[str, Any]) -> dict[str, Any]:
    """What became of it; where it was run before, that time too."""
    if "first_at" not in case:
        return _invoked_by(connector, credential, action, case, Clock())
    _invoked_by(connector, credential, action, case, ClockAt(case["first_at"]))
    return _invoked_by(connector, credential, action, case, ClockAt(case.get("now", NOW.isoformat())))


def _invoked_by(
    connector: Connector, credential: Credential, action: str, case: Mapping[str, Any], clock: Clock
) -> dict[str, Any]:
    intent = Intent.of({**case, "key": case.get("with_key")})
    _mark_payees_as_read(connector, credential, clock)
    with connector.open(credential, clock=clock) as session:
        try:
            result = session.perform(action, decoded(case["inputs"]), intent)
        except KontorError as error:
            return {
                "error": {"kind": error.kind, "field": error.field, "outcome": error.outcome, "message": error.reason}
            }
    warnings = [warning.as_dict() for warning in result.warnings]
    return {"output": encoded(result.output), "replayed": result.replayed, "warnings": warnings}


def _mark_payees_as_read(connector: Connector, credential: Credential, clock: Clock) -> None:
    """Keeps whom the service's list shows as paid from being read: packages without a host remember no payees."""
    keep = partial(payees.keep_read, workspace=DEFAULT, credential=credential.fingerprint, paid=[], now=clock.utcnow())
    connector.database.write(keep).result()


@contextmanager
def _quick_pauses() -> Iterator[None]:
    """Lets pauses between attempts and between looks pass fifty times as fast."""
    sleep = clients.time.sleep
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clients.time, "sleep", lambda seconds: sleep(seconds / 50))
        yield


@contextmanager
def service_of(case: Mapping[str, Any]) -> Iterator[Service]:
    """A service that answers reads by the looks of a case, one after the other, and writes by its answer."""
    service = Service(left=list(case.get("looks", ())))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            service.looked += 1
            shown = service.left.pop(0) if len(service.left) > 1 else service.left[0]
            query = self.path.partition("?")[2]
            self._answer(shown if shown.get("asked", query) == query else NOT_ASKED)

        def do_POST(self) -> None:
            service.sent += 1
            body = self.rfile.read(int(self.headers["content-length"]))
            service.body = encoded(json.decode(body)) if body else None
            self._answer(case)

        def _answer(self, answer: Mapping[str, Any]) -> None:
            if "lost" in answer:
                self.close_connection = True
                return
            content = answer["raw"].encode() if "raw" in answer else json.encode(decoded(answer.get("reply")))
            self.send_response(decoded(answer.get("status")) or 200)
            for name, value in {**answer.get("headers", {}), "content-length": str(len(content))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def date_time_string(self, timestamp: float | None = None) -> str:
            return ""

        def log_message(self, *arguments: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    service.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield service
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
