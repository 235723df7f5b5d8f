from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import httpx
import pytest

from connector.sandbox.banking.demo import MAIN_ACCOUNT
from connector.sandbox.clock import Clock
from connector.sandbox.server import SandboxServer, serve
from connector.sandbox.traffic.http_messages import encode
from connector.sandbox.world import demo_world

NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)


def test_the_same_seed_makes_the_same_world() -> None:
    assert encode(demo_world(7, NOON)) == encode(demo_world(7, NOON))
    assert encode(demo_world(7, NOON)) != encode(demo_world(8, NOON))


def test_a_world_written_to_a_file_comes_back_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "world.json"
    with SandboxServer(data=file) as server:
        api = httpx.Client(base_url=server.url, headers={"x-api-key": "sandbox-key"}, trust_env=False)
        api.put("/v2/banking/webhook-url", json={"webhook_url": "https://example.com/hook"})
        api.post("/sandbox/transactions", content=b'{"amount": 12345678901234.567}')
        api.post("/sandbox/clock", json={"advance": 86400})
        listed = api.get("/v2/banking/transactions", params={"account_id": MAIN_ACCOUNT, "sort": "id"}).content
        now = datetime.fromisoformat(api.get("/sandbox/state").json()["now"])
    with SandboxServer(data=file, seed=99) as server:
        api = httpx.Client(base_url=server.url, headers={"x-api-key": "sandbox-key"}, trust_env=False)
        assert api.get("/v2/banking/webhook-url").json()["data"]["webhook_url"] == "https://example.com/hook"
        again = api.get("/v2/banking/transactions", params={"account_id": MAIN_ACCOUNT, "sort": "id"}).content
        assert again == listed
        assert datetime.fromisoformat(api.get("/sandbox/state").json()["now"]) >= now
        assert server.world.seed == 1
        assert server.world.banking.accounts[MAIN_ACCOUNT].transactions[-1].amount == Decimal("12345678901234.567")
    assert [path.name for path in file.parent.iterdir()] == ["world.json"]


def test_a_file_that_holds_no_world_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "world.json"
    file.write_text('{"seed": "x"}')
    with pytest.raises(ValueError, match="does not hold a sandbox's world"):
        SandboxServer(data=file)
    assert file.read_text() == '{"seed": "x"}'


def test_a_taken_port_raises_an_os_error() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(OSError, match="in use"):
            serve(port=taken.getsockname()[1])


def test_an_interrupt_ends_the_server_cleanly_and_saves(tmp_path: Path) -> None:
    file = tmp_path / "world.json"
    program = (
        "from pathlib import Path; from sandbox.server import serve; import sys; "
        f"serve(port=0, data=Path({str(file)!r}), on_ready=lambda url: print(url, flush=True))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ
    ) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert httpx.get(f"{url}/sandbox/state", trust_env=False).status_code == 200
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (0, "", "")
    assert json.loads(file.read_text())["seed"] == 1


def test_the_clock_speeds_up_stops_and_never_runs_backwards() -> None:
    real = [100.0]
    clock = Clock(NOON, speed=60, monotonic=lambda: real[0])
    real[0] += 2
    assert clock.now() == NOON + timedelta(minutes=2)
    clock.set_speed(0)
    real[0] += 1000
    assert clock.now() == NOON + timedelta(minutes=2)
    clock.advance(30)
    assert clock.now() == NOON + timedelta(minutes=2, seconds=30)
    assert clock.real_seconds_until(NOON + timedelta(hours=1)) is None
    clock.set_speed(10)
    assert clock.real_seconds_until(clock.now() + timedelta(seconds=30)) == 3.0
    with pytest.raises(ValueError, match="forward"):
        clock.set(NOON)


def test_a_request_that_breaks_off_in_its_body_does_nothing() -> None:
    with SandboxServer() as server:
        address = ("127.0.0.1", int(server.url.rsplit(":", 1)[1]))
        body = b'{"webhook_url": "https://example.com/hook"}'
        head = (
            b"PUT /v2/banking/webhook-url HTTP/1.1\r\nhost: x\r\nx-api-key: sandbox-key\r\n"
            b"content-type: application/json\r\ncontent-length: %d\r\n\r\n" % (len(body) + 10)
        )
        with socket.create_connection(address) as line:
            line.sendall(head + body)
        assert httpx.get(f"{server.url}/sandbox/record", trust_env=False).json()["data"] == []
        assert server.world.banking.webhook_urls == {}
