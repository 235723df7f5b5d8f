"""The rate window through sessions: remembered in the store, shared, and never a reason for a read to fail."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from connector import Connector, Credential
from connector.client import Call, Client, KeyState, key_states
from connector.core.errors import RateLimited
from connector.core.service.wire import Wire

BY_ADDRESS = Wire.with_overrides({"rate": {"scope": "ip"}})


def used_by_next_process(data: str, credential: Credential) -> int:
    """Make one read as a process that has just been started, and return what the window then counts."""
    key_states._by_key.clear()
    connector = Connector(data)
    with connector.open(credential) as session:
        session.invoke("list_bank_accounts")
        used = session.state.governor.snapshot(session.clock.monotonic()).used
    connector.close()
    return used


def test_a_restart_remembers_the_window(sandbox: Any, tmp_path: Path) -> None:
    credential = Credential(sandbox.url, "sandbox-key")
    assert [used_by_next_process(str(tmp_path), credential) for _ in range(5)] == [1, 2, 3, 4, 5]


def test_another_key_has_a_window_of_its_own(sandbox: Any, tmp_path: Path) -> None:
    assert used_by_next_process(str(tmp_path), Credential(sandbox.url, "sandbox-key")) == 1
    assert used_by_next_process(str(tmp_path), Credential(sandbox.url, "sandbox-key-2")) == 1


@pytest.mark.conforms("authentication.rate_identity")
def test_where_the_service_counts_by_address_all_keys_share_a_window(sandbox: Any, tmp_path: Path) -> None:
    keys = [Credential(sandbox.url, name, wire=BY_ADDRESS) for name in ("sandbox-key", "sandbox-key-2")]
    assert [used_by_next_process(str(tmp_path), credential) for credential in keys] == [1, 2]
    assert key_states.key_state(keys[0]).governor is key_states.key_state(keys[1]).governor
    elsewhere = Credential(sandbox.url.replace("127.0.0.1", "localhost"), "sandbox-key", wire=BY_ADDRESS)
    assert key_states.rate_scope(elsewhere) != key_states.rate_scope(keys[0])


def test_keys_that_the_process_forgets_are_remembered_by_the_store(
    sandbox: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(key_states, "MAX_KEYS", 1)
    connector = Connector(str(tmp_path))
    for _ in range(3):
        for name in ("sandbox-key", "sandbox-key-2"):
            with connector.open(Credential(sandbox.url, name)) as session:
                session.invoke("list_bank_accounts")
                used = session.state.governor.snapshot(session.clock.monotonic()).used
    assert used == 3
    connector.close()


@pytest.mark.parametrize("odd", ["1", "0", "1000000000"])
def test_an_odd_limit_header_does_not_stop_reads(tmp_path: Path, odd: str) -> None:
    headers = {"ratelimit-limit": odd, "ratelimit-remaining": "0", "ratelimit-reset": "900"}
    answering = httpx.MockTransport(lambda _: httpx.Response(200, headers=headers, content=b'{"data": []}'))
    connector = Connector(str(tmp_path))
    with connector.open(Credential("https://service.example", "k"), transport=answering) as session:
        answers = [session.invoke("list_bank_accounts").output for _ in range(60)]
    connector.close()
    assert answers == 60 * [{"items": []}]


@pytest.mark.parametrize("data", ["/dev/null/kontor", "postgresql+psycopg://nobody@127.0.0.1:9/nothing"])
def test_a_store_that_cannot_be_reached_does_not_fail_reads(sandbox: Any, data: str) -> None:
    connector = Connector(data)
    started = time.monotonic()
    with connector.open(Credential(sandbox.url, "sandbox-key")) as session:
        for _ in range(10):
            session.invoke("list_bank_accounts")
    connector.close()
    assert time.monotonic() - started < 8


async def test_the_same_in_an_event_loop(sandbox: Any) -> None:
    connector = Connector("/dev/null/kontor")
    async with connector.open(Credential(sandbox.url, "sandbox-key")) as session:
        answers = [(await session.invoke("list_bank_accounts")).output for _ in range(10)]
    connector.close()
    assert all(one["items"] for one in answers)
    assert len(answers) == len(sandbox.requests())


def test_a_dry_run_needs_no_store(tmp_path: Path) -> None:
    connector = Connector(str(tmp_path / "state"))
    with connector.open(Credential("https://service.example", "k")) as session:
        session.invoke("list_bank_accounts", dry_run=True)
    connector.close()
    assert not (tmp_path / "state").exists()


def test_a_look_that_serves_a_write_uses_the_headroom(sandbox: Any) -> None:
    with Client(Credential(sandbox.url, "sandbox-key"), state=KeyState()) as client:
        read = Call("GET", "/v2/banking/payments", deadline=5)
        for _ in range(180):
            client.call(read)
        with pytest.raises(RateLimited):
            client.call(read)
        client.call(Call("GET", "/v2/banking/payments", deadline=5, serves_write=True))


def test_a_payment_that_shows_a_restored_service_lets_reads_go_on(sandbox: Any, tmp_path: Path) -> None:
    connector = Connector(str(tmp_path))
    with connector.open(Credential(sandbox.url, "sandbox-key")) as session:
        for _ in range(180):
            session.invoke("list_bank_accounts")
        time.sleep(1.2)  # only what was surely answered before is taken as forgotten by the service
        sandbox.order("/reset", seed=1)
        with pytest.raises(RateLimited):
            session.invoke("list_bank_accounts")
        session.client.call(Call("GET", "/v2/banking/payments", serves_write=True))
        session.invoke("list_bank_accounts")
    connector.close()
