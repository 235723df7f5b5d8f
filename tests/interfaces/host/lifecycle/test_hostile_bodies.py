"""Whatever body is sent, it gets a clear answer or none, nothing leaves for the service, and the host goes on."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.client import HTTPResponse
from typing import Any

import httpx
import pytest

from connector.core import limits
from connector.core.values import json as decoding
from connector.interfaces.host.guards import bodies
from tests.interfaces.host.lifecycle.hostile_bodies import HOSTILE, Hostile
from tests.interfaces.host.running_host import KEY, PAYMENT, TOKEN, RunningHost, running
from tests.support.running_sandbox import RunningSandbox

RUN = "/v1/actions/list_bank_accounts/run"
LARGE = 3 * limits.MEGABYTE


@pytest.fixture(scope="module")
def host(_server: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningHost]:
    sandbox = RunningSandbox(_server)
    sandbox.order("/reset", seed=1)
    with running(sandbox, tmp_path_factory.mktemp("hostile")) as host:
        yield host
    sandbox.close()


@pytest.fixture(autouse=True)
def _without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_PAUSE_SECONDS", 0.0)


def answer(host: RunningHost, hostile: Hostile, path: str, token: str = TOKEN) -> tuple[int, dict[str, Any]]:
    """Status and document of the answer; 0 where there is none."""
    place = httpx.URL(host.url)
    with socket.create_connection((place.host, place.port or 0), timeout=10) as line:
        line.sendall(hostile.head(path, token).replace(b"\r\n\r\n", f"\r\nx-api-key: {KEY}\r\n\r\n".encode()))
        with suppress(OSError):
            for part in hostile.parts():
                line.sendall(part)
        if not hostile.answers:
            line.settimeout(0.2)
        told = HTTPResponse(line)
        try:
            told.begin()
            is_problem = told.getheader("content-type") == "application/problem+json"
            return told.status, json.loads(told.read()) if is_problem else {}
        except OSError:
            return 0, {}


@pytest.mark.long
@pytest.mark.parametrize("hostile", HOSTILE, ids=lambda hostile: hostile.name)
def test_a_hostile_body_gets_a_clear_answer_or_none(host: RunningHost, hostile: Hostile) -> None:
    status, problem = answer(host, hostile, RUN)
    assert status in (hostile.answers or (0,))
    if problem:
        assert problem["message"]
        assert problem["remedy"]["de"]
        assert len(json.dumps(problem)) < 3000
    assert host.http.post("/v1/lookups/bank_accounts", json={}).status_code == 200


@pytest.mark.long
@pytest.mark.parametrize("path", ["/mcp", "/hooks/guessed", "/v1/tokens", "/console/login"])
@pytest.mark.parametrize("hostile", [one for one in HOSTILE if one.answers][::4], ids=lambda hostile: hostile.name)
def test_it_is_answered_at_every_other_door_too(host: RunningHost, hostile: Hostile, path: str) -> None:
    status, _ = answer(host, hostile, path)
    assert 400 <= status < 500


def test_too_much_is_told_in_the_callers_language(host: RunningHost) -> None:
    body = b"[" + b"{}," * limits.MAX_MEMBERS + b"{}]"
    refused = host.http.post(RUN, content=body, headers={"accept-language": "de"})
    assert (refused.status_code, refused.json()["kind"]) == (413, "too_large")
    assert refused.json()["message"] == "Der Body wird nicht gelesen: es enthält mehr als 100000 Werte."
    packed = host.http.post(RUN, content=b"{}", headers={"accept-language": "de", "content-encoding": "br"})
    assert (packed.status_code, packed.json()["field"]) == (415, "content-encoding")


def test_over_mcp_too_much_is_refused_as_a_message(host: RunningHost) -> None:
    params = {"name": "call_api", "arguments": {"method": "GET", "path": "/v2/x", "body": [{}] * limits.MAX_MEMBERS}}
    refused = host.http.post(
        "/mcp",
        json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params},
        headers={"accept": "application/json, text/event-stream"},
    )
    assert refused.status_code == 413, refused.text
    assert "100000" in refused.json()["message"]


def test_a_stranger_sends_nothing_that_is_taken_in(host: RunningHost) -> None:
    large = Hostile("large", b"a" * 1024, 1000)
    assert answer(host, large, "/hooks/guessed", "")[0] == 404
    assert answer(host, large, "/console/login", "")[0] in (401, 413)
    assert answer(host, large, RUN, "wrong")[0] == 401


@pytest.mark.long
def test_the_largest_booking_and_file_are_read(host: RunningHost) -> None:
    action = host.state.connector.action("create_cash_book_entry")
    [lines_of] = [field for field in action.inputs if field.name == "belegzeilen"]
    lines = [{field.name: "1" for field in lines_of.fields}] * limits.MAX_ITEMS
    file = "QUJD" * (20 * limits.MEGABYTE // 3)
    asked = {"inputs": {"belegzeilen": lines, "belegbilder": [{"datei": file}]}}
    read = host.http.post("/v1/actions/create_cash_book_entry/run", json=asked)
    assert (read.status_code, read.json()["kind"]) == (422, "input")
    assert "kassenname" in read.json()["details"]["also"]


@pytest.mark.long
def test_large_bodies_take_turns_off_the_event_loop_and_leave_their_places(
    host: RunningHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading, threads = threading.Semaphore(1), set()
    decode = decoding.decode_unambiguous

    def decode_alone(body: bytes) -> Any:
        assert reading.acquire(blocking=False), "another one is being read"
        try:
            threads.add(threading.current_thread().name)
            return decode(body)
        finally:
            reading.release()

    monkeypatch.setattr(decoding, "decode_unambiguous", decode_alone)
    body = json.dumps({"inputs": PAYMENT, "dry_run": True, "key": "x" * LARGE}).encode()
    place = httpx.URL(host.url)
    head = f"POST /v1/actions/initiate_payment/run HTTP/1.1\r\nhost: h\r\nauthorization: Bearer {TOKEN}\r\n"
    rest = {}
    for _ in range(3 * limits.MAX_LARGE_BODIES_EACH):
        line = socket.create_connection((place.host, place.port or 0), timeout=30)
        line.sendall(f"{head}x-api-key: {KEY}\r\ncontent-length: {len(body)}\r\n\r\n".encode())
        line.setblocking(False)  # those without a place are not taken in, so that sending would wait
        rest[line] = body
    statuses = []
    while rest:
        for line in list(rest):
            with suppress(BlockingIOError):
                if rest[line]:
                    rest[line] = rest[line][line.send(rest[line]) :]
                else:
                    statuses.append(line.recv(65_536).split(b" ")[1])
                    line.close()
                    del rest[line]
    assert statuses == [b"422"] * 3 * limits.MAX_LARGE_BODIES_EACH, "the key is too long"
    assert threads
    assert "host" not in threads, "that is the thread of the event loop"


def test_a_customer_cannot_take_all_places(sandbox: RunningSandbox) -> None:
    import asyncio

    async def places() -> tuple[int, bool]:
        large = bodies.LargeBodies()
        taken = []
        with suppress(TimeoutError):
            while True:
                taken.append(await asyncio.wait_for(large.take("greedy"), 0.05))
        other = await asyncio.wait_for(large.take("other"), 0.05)
        for give_back in (*taken, other):
            give_back()
        return len(taken), bool(await asyncio.wait_for(large.take("greedy"), 0.05))

    assert asyncio.run(places()) == (limits.MAX_LARGE_BODIES_EACH, True)
