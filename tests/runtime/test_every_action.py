"""What every action passes by existing: it need not be named here."""

from __future__ import annotations

import ast
import socket
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from connector import Connector, Credential
from connector.client import Client, KeyState, clients
from connector.core.errors import (
    BudgetHeld,
    InputError,
    KeyRefused,
    KontorError,
    NotFound,
    OutcomeUnknown,
    RateLimited,
    ReconnectNeeded,
    Refused,
    RightMissing,
    ServiceDown,
    ServiceNotBooked,
)
from connector.core.timing import Clock
from connector.core.values import json
from tests.support.filled_in import all_inputs, required_inputs
from tests.support.fitting import RESOURCES, misfits

CONNECTOR = Connector("unused")
ACTIONS = sorted(CONNECTOR.actions)
CODE = Path(__file__).parents[2]
each_action = pytest.mark.parametrize("id", ACTIONS)


@pytest.fixture
def session(sandbox, tmp_path):
    sandbox.order("/limits", limit=1_000_000)
    connector = Connector(str(tmp_path))
    with connector.open(Credential(sandbox.url, "sandbox-key", quelle="n8n")) as session:
        yield session
    connector.close()


@pytest.mark.conforms(
    "service.json_over_http",
    "service.key_and_cost_of_each_call",
    "service.ledger_area",
    "service.banking_area",
    "service.mobility_area",
    "cash_book_entry.response",
    "costs.ledger",
)
@each_action
def test_it_goes_to_the_sandbox_and_back_and_its_output_fits_its_resource(id, session):
    action = CONNECTOR.action(id)
    result = session.invoke(id, all_inputs(action, session))
    assert result.credits.cost == action.cost.credits
    outputs = result.output["items"] if action.is_list else [result.output]
    assert outputs
    for output in outputs if action.resource in RESOURCES else []:
        assert misfits(action.resource, output) == []
        assert set(output) & set(RESOURCES[action.resource]["fields"]), "not one field is known"


@each_action
def test_it_works_with_no_more_than_the_required_inputs(id, session):
    assert session.invoke(id, required_inputs(CONNECTOR.action(id), session)).output is not None


@each_action
def test_a_dry_run_sends_nothing_and_shows_the_request_that_is_then_sent(id, session, sandbox):
    inputs = all_inputs(CONNECTOR.action(id), session)
    key = "run-1-step-1" if CONNECTOR.action(id).writes else None
    before = len(sandbox.requests())
    shown = session.invoke(id, inputs, key=key, dry_run=True).output
    assert len(sandbox.requests()) == before
    session.invoke(id, inputs, key=key)
    sent = sandbox.requests()[-1]  # a payment is looked up first
    url = httpx.URL(shown["url"])
    assert (shown["method"], url.path, dict(url.params)) == (sent["method"], sent["path"], sent["query"])
    assert json.encode(shown["body"]) == json.encode(sent["body"])
    assert "sandbox-key" not in str(shown)


@pytest.mark.conforms("endpoints.required_body_fields")
@each_action
def test_each_required_input_is_asked_for_by_name_before_anything_is_sent(id, session, sandbox):
    action = CONNECTOR.action(id)
    inputs = required_inputs(action, session)
    before = len(sandbox.requests())
    for field in action.inputs:
        for absent in ("leave out", "", None) if field.required else ():
            given = {name: value for name, value in inputs.items() if name != field.name}
            if absent != "leave out":
                given[field.name] = absent
            with pytest.raises(InputError) as caught:
                session.invoke(id, given)
            assert caught.value.field == field.name
            assert caught.value.outcome == "not_sent"
    with pytest.raises(InputError, match="nonsense"):
        session.invoke(id, {**inputs, "nonsense": 1})
    assert len(sandbox.requests()) == before


LEDGER_CODES = {
    "ledger_connection_invalid": ReconnectNeeded,
    "ledger_export_service_missing": ServiceNotBooked,
    "ledger_endpoint_not_authorized": RightMissing,
}


@pytest.mark.conforms("errors.connection_invalid", "errors.service_missing", "errors.right_missing")
@each_action
def test_every_kind_of_answer_is_told_by_its_consequence(id, session):
    action = CONNECTOR.action(id)
    inputs = required_inputs(action, session)
    if id == "call_api":
        inputs = {**inputs, "method": "POST"}
    told = {400: Refused, 401: KeyRefused, 402: BudgetHeld, 404: NotFound, 409: Refused, 429: RateLimited}
    told[403] = ServiceNotBooked if action.carries_quelle and not action.writes else RightMissing
    told[500] = told[503] = OutcomeUnknown if action.writes else ServiceDown
    if action.writes:  # what the description does not tell of proves nothing
        told |= dict.fromkeys((409, 429), OutcomeUnknown)
    cases = [(status, {"error": "so"}, kind) for status, kind in told.items()]
    cases += [(403, {"error": "so", "code": code}, kind) for code, kind in LEDGER_CODES.items()]
    for number, (status, body, kind) in enumerate(cases):
        error = answered_with(session, id, inputs, status, json.encode(body).decode(), key=f"k{number}")
        assert type(error) is kind, (status, body)
    unreadable = answered_with(session, id, inputs, 200, "<html>", key="k-html")
    assert unreadable.outcome == "unknown"
    assert unreadable.exit_status == (6 if action.writes else 5)


def answered_with(session, id, inputs, status: int, body: str, key: str) -> KontorError:
    """The error of an invocation whose every request is answered so."""
    clock, headers = HurriedClock(), {"content-type": "application/json"}
    answering = httpx.MockTransport(lambda _: httpx.Response(status, headers=headers, content=body.encode()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session._procedures.workspace, "_given", key)  # an equal write that is unknown would hold it back
        patch.setattr(session, "client", Client(session.credential, state=KeyState(), transport=answering))
        patch.setattr(session._procedures, "_sender", replace(session.sender, clock=clock, state=KeyState()))
        patch.setattr(clients.time, "sleep", clock.pass_by)
        with pytest.raises(KontorError) as caught:
            session.invoke(id, inputs, key=key if CONNECTOR.action(id).read_back is None else None)
    return caught.value


class HurriedClock(Clock):
    """A clock on which every wait passes at once."""

    def __init__(self) -> None:
        self._now = 0.0

    def monotonic(self) -> float:
        return self._now

    def utcnow(self):
        return datetime(2026, 11, 15, tzinfo=UTC) + timedelta(seconds=self._now)

    def real(self, seconds: float) -> float:
        return seconds

    def pass_by(self, seconds: float) -> None:
        self._now += seconds


class Forwarding:
    """Hands every request on to the sandbox, and remembers it."""

    def __init__(self, sandbox) -> None:
        self.sandbox = sandbox
        self.seen: list[tuple] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        assert request.url.host == "service.example"
        url = httpx.URL(self.sandbox.url).copy_with(raw_path=request.url.raw_path)
        self.seen.append((request.method, request.url.path, request.content))
        headers = [(name, value) for name, value in request.headers.items() if name != "host"]
        answer = self.sandbox.api.request(request.method, url, headers=headers, content=request.content)
        kept = {name: value for name, value in answer.headers.items() if name not in UNPACKED}
        return httpx.Response(answer.status_code, headers=kept, content=answer.content)


UNPACKED = {"content-encoding", "content-length", "transfer-encoding"}


@pytest.fixture
def forwarding(sandbox, monkeypatch):
    """A transport, and no other way to the service: its name does not resolve."""
    resolve = socket.getaddrinfo

    def only_loopback(host, *more, **named):
        assert host in {"127.0.0.1", "localhost"}, f"{host} was looked up past the transport"
        return resolve(host, *more, **named)

    monkeypatch.setattr(socket, "getaddrinfo", only_loopback)
    sandbox.order("/limits", limit=1_000_000)
    return Forwarding(sandbox)


def assert_all_seen(forwarding: Forwarding, sandbox, before: int, cost: object, action) -> None:
    recorded = sandbox.requests()[before:]
    assert [(method, path) for method, path, _ in forwarding.seen] == [(one["method"], one["path"]) for one in recorded]
    assert recorded
    assert cost == action.cost.credits
    bodies = [json.decode(body) if body else None for *_, body in forwarding.seen]
    assert [json.encode(body) for body in bodies] == [json.encode(one["body"]) for one in recorded]


@each_action
def test_a_callers_transport_sees_every_request_and_nothing_goes_past_it(id, sandbox, session, forwarding, tmp_path):
    action, inputs = CONNECTOR.action(id), all_inputs(CONNECTOR.action(id), session)
    connector, before = Connector(str(tmp_path / "other")), len(sandbox.requests())
    elsewhere = Credential("https://service.example", "sandbox-key", quelle="n8n")
    with connector.open(elsewhere, transport=httpx.MockTransport(forwarding)) as kontor:
        result = kontor.invoke(id, inputs)
    connector.close()
    assert_all_seen(forwarding, sandbox, before, result.credits.cost, action)


@each_action
async def test_the_same_in_an_event_loop(id, sandbox, session, forwarding, tmp_path):
    action, inputs = CONNECTOR.action(id), all_inputs(CONNECTOR.action(id), session)
    connector, before = Connector(str(tmp_path / "other")), len(sandbox.requests())
    elsewhere = Credential("https://service.example", "sandbox-key", quelle="n8n")
    async with connector.open(elsewhere, transport=httpx.MockTransport(forwarding)) as kontor:
        result = await kontor.invoke(id, inputs)
    connector.close()
    assert_all_seen(forwarding, sandbox, before, result.credits.cost, action)


FORBIDDEN = {"os", "sys", "io", "socket", "ssl", "time", "random", "pathlib", "subprocess", "threading", "asyncio",
             "httpx", "requests", "urllib", "sqlite3", "sqlalchemy", "logging", "uuid", "tempfile"}  # fmt: skip


@pytest.mark.parametrize(
    "path", [*CODE.glob("actions/*/*.py"), *CODE.glob("triggers/*/*.py")], ids=lambda path: path.stem
)
def test_code_beside_a_manifest_is_pure(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        for name in names:
            assert name.split(".")[0] not in FORBIDDEN
            assert not name.startswith(("connector.client", "connector.store", "connector.runtime"))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in {"open", "print", "input", "exec", "eval", "__import__"}
        if isinstance(node, ast.Attribute):
            assert node.attr not in {"now", "today", "utcnow"}, "the time is given, not asked for"
        assert not isinstance(node, ast.Global | ast.Nonlocal)
