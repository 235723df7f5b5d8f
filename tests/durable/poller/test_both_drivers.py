"""What the engine promises, on both of its drivers: the loop in the host, and Temporal."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Any

import pytest

from connector.durable.subscriptions import SubscriptionRequest, subscribe
from tests.durable.poller.chaos.temporal_server import Server
from tests.durable.poller.engine_host import BANK, EngineHost, arrive
from tests.durable.poller.test_engine_loop import first_poll, pause_and_resume, running, told, until
from tests.support.running_sandbox import Receiver

SWEPT_SECONDS = 60
"""Temporal's timers do not see that a test advances the clock: its sweep, every 30 seconds, finds what is due."""
Drive = Callable[[], AbstractAsyncContextManager[Any]]
"""Runs an engine as long as its context is open."""


@pytest.fixture(scope="module")
def temporal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("temporal"))
    yield server
    server.kill()


@pytest.fixture(params=["embedded", pytest.param("temporal", marks=pytest.mark.temporal)])
async def drive(request: pytest.FixtureRequest, engine_host: EngineHost) -> Drive:
    if request.param == "embedded":
        return partial(running, engine_host)
    pytest.importorskip("temporalio", reason="the extra [temporal] is not installed")
    from tests.durable.poller.test_temporal import connected, working

    server: Server = request.getfixturevalue("temporal")
    await connected(server)
    return partial(working, engine_host, server)


async def test_a_paused_subscription_loses_nothing(engine_host: EngineHost, flow: Receiver, drive: Drive) -> None:
    async with drive() as engine:
        await pause_and_resume(engine_host, flow, engine)


async def test_a_slow_answer_does_not_hold_up_other_polls(engine_host: EngineHost, drive: Drive) -> None:
    slow = await engine_host.subscribe("new_mobility_customer")
    engine_host.sandbox.order("/faults", kind="slow", seconds=3, times=1, match={"path": "/v2/mobility"})
    async with drive() as engine:
        await until(lambda: any("/v2/mobility" in entry["path"] for entry in engine_host.sandbox.requests()))
        quick = await engine_host.subscribe("new_bank_account")
        engine.context.wake()
        await first_poll(engine_host, quick)
        assert engine_host.cursor(slow).polled_at is None
        engine_host.sandbox.heal()


async def test_what_a_stopped_engine_has_not_delivered_the_next_one_delivers(
    engine_host: EngineHost, flow: Receiver, drive: Drive
) -> None:
    flow.answers = [503]
    async with drive() as engine:
        request = SubscriptionRequest("new_transaction", {"connection_id": BANK}, flow.url)
        subscription, *_ = await subscribe(engine.context, engine_host.credential_id, request, engine_host.now())
        await first_poll(engine_host, subscription)
        ids = arrive(engine_host.sandbox, 3)
        engine_host.clock.advance(seconds=400)
        engine.context.wake()
        assert (await told(flow))["_id"] == ids[0]
    engine_host.clock.advance(seconds=3600)
    async with drive() as engine:
        engine.context.wake()
        async with asyncio.timeout(SWEPT_SECONDS):
            while flow.events.qsize() < len(ids):  # noqa: ASYNC110
                await asyncio.sleep(0.05)
    assert sorted(flow.next()["_id"] for _ in ids) == sorted(ids), "the one that was not taken, and the others once"
    assert flow.events.empty()
