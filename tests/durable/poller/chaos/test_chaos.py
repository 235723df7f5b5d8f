from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest
from cryptography.fernet import Fernet

from connector.client import key_states
from tests.durable.poller.chaos.storm import Storm, Subscriber, storm_over
from tests.durable.poller.chaos.temporal_server import Server
from tests.support.running_sandbox import RunningSandbox

SIZE = {"transactions": 2000, "payments": 167, "kills": 100}  # three events for each payment


@pytest.fixture(autouse=True)
def _own_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_states, "_by_key", {})
    monkeypatch.setenv("KONTOR_DATA_KEY", Fernet.generate_key().decode())


async def weather(sandbox: RunningSandbox, data: str, port: int, temporal: Server | None = None, **size: int) -> None:
    subscriber = Subscriber()
    storm = Storm(sandbox, data, port, temporal=temporal, **size)
    try:
        await storm.prepare(subscriber)
        with storm_over(storm, subscriber, patience=90) as killed:
            assert killed == size["kills"]
            nothing_is_lost(storm, subscriber)
            nothing_fires_wrongly(storm, subscriber)
            every_repeat_carries_the_same_id(subscriber)
    finally:
        subscriber.close()


def nothing_is_lost(storm: Storm, subscriber: Subscriber) -> None:
    assert set(storm.arrived) - subscriber.ids("/new_transaction") == set()
    assert {f"{id}:settled" for id in storm.settled} - subscriber.ids("/payment_settled") == set()
    assert len(storm.arrived) == storm.transactions
    assert len(storm.settled) == storm.payments


def nothing_fires_wrongly(storm: Storm, subscriber: Subscriber) -> None:
    by_payment = {row["payment_id"] for _, row in subscriber.bodies["/new_transaction"] if row.get("payment_id")}
    delivered = {
        row["id"] for _, row in subscriber.bodies["/new_transaction"] if row.get("payment_id") not in storm.reached
    }
    assert delivered == set(storm.arrived)
    assert by_payment <= set(storm.settled)  # a settled payment shows as a transaction too
    assert subscriber.ids("/payment_settled") == {f"{id}:settled" for id in storm.settled}
    for _, body in subscriber.bodies["/payment_update"]:
        assert body["status"] in storm.reached[body["payment_id"]]


def every_repeat_carries_the_same_id(subscriber: Subscriber) -> None:
    for path, bodies in subscriber.bodies.items():
        messages: dict[str, set[str]] = defaultdict(set)
        contents: dict[str, Any] = {}
        for message, body in bodies:
            messages[body["_id"]].add(message)
            assert contents.setdefault(message, body) == body
        assert all(len(ids) == 1 for ids in messages.values()), path


@pytest.mark.slow
async def test_a_host_killed_a_hundred_times_loses_nothing(
    sandbox: RunningSandbox, tmp_path: Any, unused_port: int
) -> None:
    await weather(sandbox, str(tmp_path), unused_port, **SIZE)


@pytest.mark.slow
async def test_two_hosts_on_postgresql_killed_a_hundred_times_lose_nothing(
    sandbox: RunningSandbox, postgres_url: str, unused_port: int
) -> None:
    await weather(sandbox, postgres_url, unused_port, hosts=2, **SIZE)
