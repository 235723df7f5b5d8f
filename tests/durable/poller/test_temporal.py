"""The driver for Temporal, on a real server with a database file: what the embedded driver promises holds on it too."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest
from chaos.temporal_server import Server
from chaos.test_chaos import weather
from cryptography.fernet import Fernet
from engine_host import BANK, EngineHost, arrive
from service_desk import Desk, Receiver
from test_engine_loop import first_poll, told, until

from connector.durable.settings import Settings
from connector.durable.subscribe import SubscriptionRequest, subscribe

pytest.importorskip("temporalio", reason="the extra [temporal] is not installed")
from temporalio.client import Client
from temporalio.worker import Replayer, UnsandboxedWorkflowRunner

from connector.durable.temporal.engine import QUEUE, TemporalEngine
from connector.durable.temporal.key_workflow import TYPE, KeyWorkflow

pytestmark = pytest.mark.temporal
START_SECONDS = 60


@pytest.fixture(scope="module")
def temporal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("temporal"))
    yield server
    server.kill()


@asynccontextmanager
async def working(engine_host: EngineHost, server: Server) -> AsyncIterator[TemporalEngine]:
    engine = TemporalEngine(
        server.address,
        engine_host.connector,
        engine_host.connector.database,
        engine_host.vault,
        allow_private_targets=True,
        clock=engine_host.clock,
        settings=Settings(tick=0.2),
    )
    task = asyncio.create_task(engine.run())
    try:
        yield engine
    finally:
        await engine.stop()
        await asyncio.wait_for(task, 60)


async def connected(server: Server) -> Client:
    async with asyncio.timeout(START_SECONDS):
        while True:
            try:
                return await Client.connect(server.address)
            except RuntimeError:
                await asyncio.sleep(0.2)


async def test_workers_poll_and_deliver_and_their_histories_can_be_replayed(
    engine_host: EngineHost, flow: Receiver, temporal: Server
) -> None:
    client = await connected(temporal)
    async with working(engine_host, temporal) as engine, working(engine_host, temporal) as other:
        request = SubscriptionRequest("new_transaction", {"connection_id": BANK}, flow.url)
        subscription, *_ = await subscribe(engine.context, engine_host.credential_id, request, engine_host.now())
        await first_poll(engine_host, subscription)
        ids = arrive(engine_host.desk, 3)
        engine_host.clock.advance(seconds=400)
        engine.context.wake()
        assert [(await told(flow))["_id"] for _ in ids] == ids
        await until(lambda: engine.done["deliveries"] + other.done["deliveries"] == 3)
        handle = client.get_workflow_handle(f"kontor-key-{engine_host.credential_id}")
        history = await handle.fetch_history()
    assert "fingerprint" not in history.to_json()
    assert "sandbox-key" not in history.to_json()
    replayer = Replayer(workflows=[KeyWorkflow], workflow_runner=UnsandboxedWorkflowRunner())
    await replayer.replay_workflow(history)


async def test_a_server_that_is_killed_and_comes_back_loses_nothing(
    engine_host: EngineHost, flow: Receiver, temporal: Server
) -> None:
    await connected(temporal)
    async with working(engine_host, temporal) as engine:
        request = SubscriptionRequest("new_transaction", {"connection_id": BANK}, flow.url)
        subscription, *_ = await subscribe(engine.context, engine_host.credential_id, request, engine_host.now())
        await first_poll(engine_host, subscription)
        temporal.kill()
        ids = arrive(engine_host.desk, 2)
        engine_host.clock.advance(seconds=400)
        engine.context.wake()
        temporal.start()
        async with asyncio.timeout(2 * START_SECONDS):
            while flow.events.qsize() < len(ids):  # noqa: ASYNC110
                await asyncio.sleep(0.1)
        assert [(await told(flow))["_id"] for _ in ids] == ids


def test_workflow_types_and_queue_keep_their_names() -> None:
    """Running workflows know them: a change is a new type beside the old one."""
    assert (TYPE, QUEUE) == ("KeyV1", "kontor")


async def test_two_workers_and_the_server_killed_lose_nothing(
    desk: Desk, postgres_url: str, unused_port: int, temporal: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KONTOR_DATA_KEY", Fernet.generate_key().decode())
    size = {"transactions": 200, "payments": 17, "kills": 20}  # three events for each payment
    await weather(desk, postgres_url, unused_port, temporal=temporal, hosts=2, **size)
