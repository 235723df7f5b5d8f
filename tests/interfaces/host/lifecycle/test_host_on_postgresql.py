"""The promises that go through all of a host, once more with its state in PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.interfaces.host.running_host import PAYMENT, RunningHost, running
from tests.interfaces.host.triggers.test_host_subscriptions import (
    flow,
    test_a_polled_trigger_reaches_the_flow_signed,
    test_a_settlement_at_the_bank_reaches_the_flow_signed,
    test_an_ended_subscription_hears_nothing_more_and_says_why,
    test_credentials_are_listed_without_keys_rotated_and_revoked,
    test_deliveries_are_listed_and_replayed,
)
from tests.store.postgres import postgres_server, postgres_url
from tests.support.running_sandbox import RunningSandbox

__all__ = [
    "flow",
    "postgres_server",
    "postgres_url",
    "test_a_polled_trigger_reaches_the_flow_signed",
    "test_a_settlement_at_the_bank_reaches_the_flow_signed",
    "test_an_ended_subscription_hears_nothing_more_and_says_why",
    "test_credentials_are_listed_without_keys_rotated_and_revoked",
    "test_deliveries_are_listed_and_replayed",
]


@pytest.fixture
def host(sandbox: RunningSandbox, tmp_path: Path, postgres_url: str) -> Iterator[RunningHost]:
    with running(sandbox, tmp_path, data=postgres_url) as host:
        assert host.state.database.engine.dialect.name == "postgresql"
        yield host


def test_the_same_key_pays_once(host: RunningHost, sandbox: RunningSandbox) -> None:
    first, second = (host.run("initiate_payment", PAYMENT, key="run-1/step-1").json() for _ in range(2))
    assert (first["replayed"], second["replayed"]) == (False, True)
    assert second["output"] == first["output"]
    assert len([one for one in sandbox.requests() if one["method"] == "POST"]) == 1
