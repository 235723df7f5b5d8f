"""Who has a token gets in, whoever else holds connections; and no customer takes all of them."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from http.client import HTTPResponse
from pathlib import Path

import httpx
import pytest

from connector.core import limits
from connector.interfaces.host.guards.connections import is_among, max_connections, network_of
from tests.interfaces.host.running_host import TOKEN, RunningHost, running
from tests.interfaces.host.two_customers import two_customers
from tests.support.running_sandbox import RunningSandbox

WRONG = b"POST /v1/runs HTTP/1.1\r\nhost: h\r\nauthorization: Bearer kontor_wrong\r\ncontent-length: 1000\r\n\r\n{"
STRANGERS = {
    "nothing": b"",
    "half a head": b"GET /v1/runs HTTP/1.1\r\nhost: h\r\n",
    "half a body without a token": WRONG.replace(b"authorization: Bearer kontor_wrong\r\n", b""),
    "half a body with a wrong token": WRONG,
    "half a log-in": b"POST /console/login HTTP/1.1\r\nhost: h\r\ncontent-length: 1000\r\n\r\ntoken=",
    "an open connection after an answer": b"GET /healthz HTTP/1.1\r\nhost: h\r\n\r\n",
}
MOST = 24
Connect = Callable[..., socket.socket]


@pytest.fixture
def connect(host: RunningHost) -> Iterator[Connect]:
    with ExitStack() as stack:
        yield lambda *given, **more: opened(host, stack, *given, **more)


def opened(host: RunningHost, stack: ExitStack, sent: bytes = b"", source: str = "127.0.0.2") -> socket.socket:
    place = httpx.URL(host.url)
    connection = socket.create_connection((place.host, place.port or 0), timeout=5, source_address=(source, 0))
    stack.callback(connection.close)
    connection.sendall(sent)
    return connection


def read_answer(connection: socket.socket) -> tuple[int, bytes]:
    """Read one whole answer, however it arrives; return its status and body."""
    with HTTPResponse(connection) as answer:
        answer.begin()
        return answer.status, answer.read()


def answered(connection: socket.socket) -> int:
    """Read one whole answer; return its status."""
    return read_answer(connection)[0]


def is_open(connection: socket.socket) -> bool:
    """Whether the host has not closed it; what it has answered is read."""
    connection.setblocking(False)
    with suppress(BlockingIOError):
        try:
            while connection.recv(65_536):
                pass
        except ConnectionResetError:
            pass
        return False
    return True


def eventually(check: Callable[[], bool], what: str) -> None:
    for _ in range(100):
        if check():
            return
        time.sleep(0.05)
    raise AssertionError(what)


def settled(host: RunningHost) -> None:
    """Wait until the host has seen what was sent."""
    for _ in range(3):
        assert host.http.get("/v1/connector").status_code == 200


@pytest.mark.parametrize("sent", STRANGERS.values(), ids=STRANGERS.keys())
def test_strangers_who_hold_every_connection_keep_nobody_out(host: RunningHost, connect: Connect, sent: bytes) -> None:
    host.server.connections.most = MOST
    for number in range(4 * MOST):
        connect(sent, f"127.0.0.{2 + number % 40}")
    for _ in range(5):
        with host.caller() as caller:
            assert caller.get("/v1/actions").status_code == 200
    assert len(host.server.server_state.connections) <= MOST + 1


@pytest.mark.long
@pytest.mark.parametrize("sent", ["half a body with a wrong token", "an open connection after an answer"])
def test_whoever_has_a_token_gets_in_again_and_again_while_820_strangers_come(
    host: RunningHost, connect: Connect, sent: str
) -> None:
    host.server.connections.most = 768
    for number in range(820):
        connect(STRANGERS[sent], f"127.0.0.{2 + number % 49}")
        if number % 20 == 19 or number > 760:
            with host.caller() as caller:
                assert caller.get("/v1/connector").status_code == 200, number
    assert len(host.server.server_state.connections) <= 768 + 1


def test_of_strangers_the_oldest_goes_and_a_caller_stays(host: RunningHost, connect: Connect) -> None:
    host.server.connections.most = MOST
    with host.caller() as caller:
        caller.get("/v1/actions")
        kept, *_ = [one for one in host.server.server_state.connections if getattr(one, "owner", None)]
        settled(host)
        oldest, *others = [connect(source=f"127.0.0.{2 + number}") for number in range(MOST - 2)]
        settled(host)
        assert is_open(oldest)
        connect(source="127.0.0.60")
        settled(host)
        assert not is_open(oldest)
        assert all(map(is_open, others[5:]))
        assert kept in host.server.server_state.connections


def test_one_address_of_strangers_has_a_share_and_a_trusted_proxy_has_all(host: RunningHost, connect: Connect) -> None:
    host.server.connections.most = 10 * MOST
    share = int(10 * MOST * limits.ADDRESS_SHARE)
    other = connect(source="127.0.0.3")
    many = [connect(source="127.0.0.2") for _ in range(share + 5)]
    proxied = [connect(source="127.0.0.1") for _ in range(share + 5)]
    settled(host)
    assert [is_open(one) for one in many] == [False] * 5 + [True] * share
    assert is_open(other)
    assert all(map(is_open, proxied))


def test_a_connection_belongs_to_whoever_sent_the_last_request(host: RunningHost, connect: Connect) -> None:
    right = f"GET /v1/connector HTTP/1.1\r\nhost: h\r\nauthorization: Bearer {TOKEN}\r\n\r\n".encode()
    line = connect(right)
    assert answered(line) == 200
    [one] = host.server.server_state.connections
    assert one.owner == "token host"  # type: ignore[union-attr]
    is_open(line)
    line.setblocking(True)
    line.sendall(right.replace(TOKEN.encode(), b"wrong"))
    assert answered(line) == 401
    assert one.owner is None  # type: ignore[union-attr]


def test_a_customer_who_holds_too_many_connections_is_told_and_another_is_served(
    sandbox: RunningSandbox, tmp_path: Path
) -> None:
    with two_customers(sandbox, tmp_path) as customers, ExitStack() as stack:
        host = customers.host
        host.server.connections.most = MOST
        share = int(MOST * limits.WORKSPACE_SHARE)
        token = customers.first.tokens["admin"]
        head = f"HTTP/1.1\r\nhost: h\r\nauthorization: Bearer {token}\r\n"
        half = f"POST /v1/actions/list_payments/run {head}content-length: 100\r\n\r\n{{".encode()
        whole = f"GET /v1/connector {head}\r\n".encode()
        resting = [opened(host, stack, whole) for _ in range(3)]
        assert all(answered(connection) == 200 for connection in resting)
        held = [opened(host, stack, half) for _ in range(share)]
        eventually(lambda: not any(map(is_open, resting)), "those that rest make room")
        assert all(map(is_open, held))
        status, body = read_answer(opened(host, stack, half))
        assert status == 429
        assert b"rate_limited" in body
        with customers.caller(customers.second.tokens["admin"]) as other:
            assert other.get("/v1/runs").status_code == 200


def test_what_comes_after_the_answer_is_taken_in_for_a_while_so_that_the_answer_is_read(
    host: RunningHost, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = connect(WRONG)
    assert answered(line) == 401
    line.sendall(b"a" * 999 + WRONG)
    assert answered(line) == 401, "the next request on it is answered too"
    monkeypatch.setattr(limits, "REST_SECONDS", 0.0)

    def ends() -> bool:
        with suppress(OSError):
            line.send(b"a")
        return not is_open(line)

    eventually(ends, "it goes on for ever")


@pytest.mark.long
def test_a_body_has_to_arrive_with_a_least_rate(
    host: RunningHost, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "BODY_GRACE_SECONDS", 1.0)
    head = f"POST /v1/actions/list_payments/run HTTP/1.1\r\nhost: h\r\nauthorization: Bearer {TOKEN}\r\n"
    length = 1_000_000
    slow, fast = (connect(f"{head}content-length: {length}\r\n\r\n".encode()) for _ in range(2))

    def ends() -> bool:
        with suppress(OSError):
            slow.send(b" ")
        fast.setblocking(True)
        fast.sendall(b" " * 2000)
        assert is_open(fast)
        return not is_open(slow)

    eventually(ends, "one byte now and then keeps it open")


@pytest.mark.long
def test_who_never_reads_his_answers_is_left(
    host: RunningHost, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "UNREAD_ANSWER_SECONDS", 1.0)
    line = connect()
    asked = f"GET /openapi.json HTTP/1.1\r\nhost: h\r\nauthorization: Bearer {TOKEN}\r\n\r\n".encode() * 200
    line.setblocking(False)

    def ends() -> bool:
        try:
            line.send(asked)
        except BlockingIOError:
            return False
        except OSError:
            return True
        return False

    eventually(ends, "it is still open")


def test_a_resting_connection_ends_even_if_something_came_after_its_answer(
    host: RunningHost, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = connect(WRONG)
    assert answered(line) == 401
    line.sendall(b"a" * 999)
    monkeypatch.setattr(limits, "KEEP_ALIVE_SECONDS", 0)
    eventually(lambda: not is_open(line), "it is still open")


def test_addresses_are_counted_by_what_one_subscriber_has() -> None:
    assert network_of("192.0.2.7") == "192.0.2.7"
    assert network_of("2001:db8::1") == network_of("2001:db8::ffff:1")
    assert network_of("2001:db8:0:1::1") != network_of("2001:db8::1")
    assert network_of("") == ""
    among = is_among("10.0.0.7, 10.1.0.0/16,::1")
    assert [among(one) for one in ("10.0.0.7", "10.1.2.3", "::1", "10.0.0.8", "")] == [True, True, True, False, False]


def test_there_are_files_left_for_the_database_and_the_service(monkeypatch: pytest.MonkeyPatch) -> None:
    import resource

    for files, most in ((1024, 768), (100, 64), (1_000_000, 16_384), (resource.RLIM_INFINITY, 16_384)):
        monkeypatch.setattr(resource, "getrlimit", lambda _, files=files: (files, files))
        assert max_connections() == most


def test_a_burst_of_connections_opens_no_more_files_than_there_are(sandbox: RunningSandbox, tmp_path: Path) -> None:
    with running(sandbox, tmp_path) as host:
        assert host.server.config.backlog == limits.ACCEPTED_AT_ONCE < limits.OTHER_FILES
