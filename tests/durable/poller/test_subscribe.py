"""Requests for subscriptions that two hosts get at once: unique rows decide, and one of them creates."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import update

from connector.core.errors import InputError
from connector.durable.subscriptions import Subscribed, SubscriptionRequest, subscribe
from connector.store.schema import subscriptions as subscription_table
from connector.store.triggers import subscriptions
from tests.durable.poller.engine_host import TARGET, EngineHost, ManualClock
from tests.support.running_sandbox import RunningSandbox


@pytest.fixture(params=["sqlite", "postgresql"])
async def hosts(
    sandbox: RunningSandbox, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[list[EngineHost]]:
    """Three hosts on one database."""
    monkeypatch.setenv("KONTOR_DATA_KEY", "a" * 43 + "=")
    data = str(tmp_path) if request.param == "sqlite" else str(request.getfixturevalue("postgres_url"))
    hosts = [EngineHost(sandbox, data, ManualClock()) for _ in range(3)]
    for host in hosts:
        host.credential_id = hosts[0].credential_id
    yield hosts
    for host in hosts:
        await host.close()


async def at_once(hosts: list[EngineHost], *requests: SubscriptionRequest) -> list[Subscribed | BaseException]:
    asked = [subscribe(host.context, host.credential_id, request, host.now()) for request in requests for host in hosts]
    return await asyncio.gather(*asked, return_exceptions=True)


def active(host: EngineHost) -> list[str]:
    return [subscription.id for subscription in host.read(lambda c: subscriptions.active(c, host.credential_id))]


@pytest.mark.parametrize("key", [None, "run-1"])
async def test_equal_requests_at_two_hosts_make_one_subscription(hosts: list[EngineHost], key: str | None) -> None:
    for number in range(5):
        request = SubscriptionRequest("new_payment", {}, f"{TARGET}/{number}", key=key and f"{key}/{number}")
        answers = await at_once(hosts, request)
        assert not [answer for answer in answers if isinstance(answer, BaseException)]
        subscribed = [answer for answer in answers if isinstance(answer, Subscribed)]
        assert (
            len({answer.subscription.id for answer in subscribed}) == len({answer.secret for answer in subscribed}) == 1
        )
        assert [answer.existing for answer in subscribed].count(False) == 1
        assert len(active(hosts[0])) == number + 1


async def test_of_different_requests_under_one_key_one_is_refused(hosts: list[EngineHost]) -> None:
    for number in range(5):
        requests = [
            SubscriptionRequest(trigger, {}, f"{TARGET}/{number}", key=f"run-{number}")
            for trigger in ("new_payment", "new_bank_account")
        ]
        pairs = zip(hosts, requests, strict=False) if number % 2 else ((hosts[0], request) for request in requests)
        asked = [subscribe(host.context, host.credential_id, request, host.now()) for host, request in pairs]
        answers = await asyncio.gather(*asked, return_exceptions=True)
        assert len([answer for answer in answers if isinstance(answer, Subscribed)]) == 1
        assert len([answer for answer in answers if isinstance(answer, InputError)]) == 1
        assert len(active(hosts[0])) == number + 1, "what was refused is undone"


async def test_a_subscription_from_before_there_were_digests_is_found_too(hosts: list[EngineHost]) -> None:
    first = await hosts[0].subscribe("new_payment")
    hosts[0].write(lambda c: c.execute(update(subscription_table).values(digest=None)))
    second = await hosts[1].subscribe("new_payment")
    assert second.id == first.id


async def test_an_existing_subscription_is_not_polled_for_being_asked_for_again(hosts: list[EngineHost]) -> None:
    subscription = await hosts[0].subscribe("new_payment")
    await hosts[0].poll()
    due = hosts[0].cursor(subscription).next_at
    await hosts[0].subscribe("new_payment")
    assert hosts[0].cursor(subscription).next_at == due
