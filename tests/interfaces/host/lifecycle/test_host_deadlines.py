"""Connections that send nothing, half a head or half a body lock nobody out."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from connector.core import limits
from tests.interfaces.host.running_host import KEY, TOKEN, RunningHost

pytestmark = pytest.mark.long

HEAD = (
    b"POST /v1/actions/list_bank_accounts/run HTTP/1.1\r\nhost: h\r\n"
    + f"authorization: Bearer {TOKEN}\r\nx-api-key: {KEY}\r\n".encode()
)
HALVES = {
    "nothing": b"",
    "half a head": HEAD,
    "half a body": HEAD + b"content-length: 100\r\n\r\n{",
}


@pytest.fixture
def connections(host: RunningHost) -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def connect(host: RunningHost, stack: ExitStack) -> socket.socket:
    address, _, port = host.url.removeprefix("http://").partition(":")
    return stack.enter_context(socket.create_connection((address, int(port)), timeout=10))


def is_closed(connection: socket.socket) -> bool:
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True
    except TimeoutError:
        return False


@pytest.mark.parametrize("half", HALVES.values(), ids=HALVES.keys())
def test_a_request_that_does_not_arrive_is_given_up(
    host: RunningHost, connections: ExitStack, half: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "HEAD_SECONDS", 1.0)
    monkeypatch.setattr(limits, "BODY_IDLE_SECONDS", 1.0)
    connection = connect(host, connections)
    connection.sendall(half)
    began = time.monotonic()
    assert is_closed(connection)
    assert 0.5 < time.monotonic() - began < 9


def test_one_byte_now_and_then_does_not_keep_a_head_open(
    host: RunningHost, connections: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "HEAD_SECONDS", 1.0)
    connection = connect(host, connections)
    connection.settimeout(0.2)
    began = time.monotonic()
    for byte in HEAD:
        try:
            connection.sendall(bytes([byte]))
        except OSError:
            break
        if is_closed(connection):
            break
    assert time.monotonic() - began < 6


def test_many_silent_connections_lock_nobody_out(host: RunningHost, connections: ExitStack) -> None:
    host.server.connections.most = 40
    for _ in range(120):
        connect(host, connections)
    with host.caller() as caller:
        assert caller.post("/v1/actions/list_bank_accounts/run", json={}).status_code == 200
    assert len(host.server.server_state.connections) <= 41


def test_a_connection_that_rests_between_requests_stays(host: RunningHost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "HEAD_SECONDS", 0.5)
    assert host.http.get("/healthz").status_code == 200
    time.sleep(2)
    assert host.http.get("/healthz").status_code == 200
    assert len(host.server.server_state.connections) == 1


@pytest.mark.parametrize(
    ("inputs", "status", "field"),
    [
        ({f"unknown_{number}": number for number in range(200_000)}, 413, None),
        ({f"unknown_{number}": number for number in range(90_000)}, 422, "inputs"),
        ({"account_id": "1", "custom_fields": {}, **{f"x{number}": "" for number in range(50_000)}}, 422, "inputs"),
    ],
    ids=["more than is read", "many unknown ones", "many empty ones"],
)
def test_finding_7_many_inputs_hold_up_nobody(
    host: RunningHost, inputs: dict[str, object], status: int, field: str | None
) -> None:
    began = time.monotonic()
    json.loads(json.dumps(inputs))
    written_and_read = time.monotonic() - began
    began = time.monotonic()
    refused = host.run("initiate_payment", inputs)
    assert (refused.status_code, refused.json()["field"]) == (status, field)
    assert len(refused.content) < 3000
    assert time.monotonic() - began < max(3, 20 * written_and_read)
