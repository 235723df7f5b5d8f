"""The driver for Temporal, on a real server with a database file: what the embedded driver promises holds on it too."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet

from connector.durable.outbox.deliver_due import DeliverWork
from connector.durable.poller.poll_due import PollWork
from connector.durable.settings import Settings
from connector.durable.subscriptions import SubscriptionRequest, subscribe
from connector.durable.upkeep.housekeeping import SealWork
from connector.store.triggers import due_work, overdue
from tests.durable.poller.chaos.temporal_server import Server
from tests.durable.poller.chaos.test_chaos import weather
from tests.durable.poller.engine_host import BANK, TARGET, EngineHost, arrive
from tests.durable.poller.test_engine_loop import first_poll, told, until
from tests.support.running_sandbox import Receiver, RunningSandbox

pytest.importorskip("temporalio", reason="the extra [temporal] is not installed")
from temporalio.bridge.worker import Worker as BridgeWorker
from temporalio.client import Client, WorkflowHistory
from temporalio.worker import Replayer, UnsandboxedWorkflowRunner

from connector.durable.temporal.engine import SWEEP_SECONDS, TemporalEngine
from connector.durable.temporal.key_workflow import QUEUE, TYPE, KeyWorkflow, queue_of

pytestmark = pytest.mark.temporal
START_SECONDS = 60
RECORDED = Path(__file__).with_name("key_v1_history.json")
"""What the first test has recorded, on the shape that is in use."""


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


async def replay(history: WorkflowHistory) -> None:
    replayer = Replayer(workflows=[KeyWorkflow], workflow_runner=UnsandboxedWorkflowRunner())
    replayed = await replayer.replay_workflow(history, raise_on_replay_failure=False)
    assert replayed.replay_failure is None


async def test_workers_poll_and_deliver_and_their_histories_can_be_replayed(
    engine_host: EngineHost, flow: Receiver, temporal: Server
) -> None:
    client = await connected(temporal)
    async with working(engine_host, temporal) as engine, working(engine_host, temporal) as other:
        request = SubscriptionRequest("new_transaction", {"connection_id": BANK}, flow.url)
        subscription, *_ = await subscribe(engine.context, engine_host.credential_id, request, engine_host.now())
        await first_poll(engine_host, subscription)
        ids = arrive(engine_host.sandbox, 3)
        engine_host.clock.advance(seconds=400)
        engine.context.wake()
        assert [(await told(flow))["_id"] for _ in ids] == ids
        await until(lambda: engine.done["deliveries"] + other.done["deliveries"] == 3)
        handle = client.get_workflow_handle(f"kontor-key-{engine_host.credential_id}")
        history = await handle.fetch_history()
    assert "fingerprint" not in history.to_json()
    assert "sandbox-key" not in history.to_json()
    await replay(history)


async def test_a_history_of_before_can_be_replayed() -> None:
    """A change of the workflow's shape fails here: it needs a new type beside this one."""
    recorded = WorkflowHistory.from_json("recorded", RECORDED.read_text(encoding="utf-8"))
    assert recorded.events[0].workflow_execution_started_event_attributes.workflow_type.name == TYPE
    await replay(recorded)


async def test_a_server_that_is_killed_and_comes_back_loses_nothing(
    engine_host: EngineHost, flow: Receiver, temporal: Server
) -> None:
    await connected(temporal)
    async with working(engine_host, temporal) as engine:
        request = SubscriptionRequest("new_transaction", {"connection_id": BANK}, flow.url)
        subscription, *_ = await subscribe(engine.context, engine_host.credential_id, request, engine_host.now())
        await first_poll(engine_host, subscription)
        temporal.kill()
        ids = arrive(engine_host.sandbox, 2)
        engine_host.clock.advance(seconds=400)
        engine.context.wake()
        temporal.start()
        async with asyncio.timeout(2 * START_SECONDS):
            while flow.events.qsize() < len(ids):  # noqa: ASYNC110
                await asyncio.sleep(0.1)
        assert [(await told(flow))["_id"] for _ in ids] == ids


def test_workflow_types_and_queue_keep_their_names() -> None:
    """Running workflows know them: a change is a new type beside the old one."""
    assert (TYPE, QUEUE, queue_of("polls")) == ("KeyV1", "kontor", "kontor-polls")


async def test_a_worker_that_fails_is_built_again(
    engine_host: EngineHost, temporal: Server, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    await connected(temporal)
    subscription = await engine_host.subscribe("new_payment")
    poll, failures = BridgeWorker.poll_activity_task, iter([RuntimeError("the server refuses")])

    async def fail_once(worker: BridgeWorker) -> Any:
        for failure in failures:
            raise failure
        return await poll(worker)

    monkeypatch.setattr(BridgeWorker, "poll_activity_task", fail_once)
    async with working(engine_host, temporal):
        await first_poll(engine_host, subscription)
    assert [record.getMessage() for record in caplog.records if record.name == "kontor.engine"] == [
        "no work from Temporal, tried again in 1 seconds: RuntimeError"
    ]


async def test_without_a_server_the_engine_does_what_needs_none(
    engine_host: EngineHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, sealed = Server(tmp_path), asyncio.Event()
    server.kill()
    claim = SealWork.claim

    async def note(work: SealWork, owner: str, most: int) -> Any:
        sealed.set()
        return await claim(work, owner, most)

    monkeypatch.setattr(SealWork, "claim", note)
    async with working(engine_host, server):
        await asyncio.wait_for(sealed.wait(), 5)
    subscription = await engine_host.subscribe("new_payment")
    async with working(engine_host, server):
        server.start()
        try:
            await connected(server)
            await first_poll(engine_host, subscription)
        finally:
            server.kill()


def test_a_worker_without_a_server_ends_cleanly(tmp_path: Path, unused_port: int) -> None:
    env = {name: value for name, value in os.environ.items() if not name.startswith("KONTOR_")}
    env |= {"KONTOR_DATA": str(tmp_path), "KONTOR_TEMPORAL": f"127.0.0.1:{unused_port}"}
    command = [str(Path(sys.executable).parent / "kontor"), "worker"]
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=60)
    assert (process.returncode, "Traceback" in errors) == (0, False), errors


async def test_the_text_of_an_error_stays_out_of_histories(
    engine_host: EngineHost, temporal: Server, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    client = await connected(temporal)
    look, failures = overdue.of_credential, iter([LookupError("secret-marker")])

    def fail_once(connection: Any, credential_id: str) -> Any:
        if credential_id == engine_host.credential_id:  # the server still knows keys of other tests
            for failure in failures:
                raise failure
        return look(connection, credential_id)

    async def fail(*_: Any) -> int:
        raise ValueError("secret-marker")

    await engine_host.subscribe("new_payment")
    monkeypatch.setattr(overdue, "of_credential", fail_once)
    monkeypatch.setattr(PollWork, "work", fail)
    handle, history = client.get_workflow_handle(f"kontor-key-{engine_host.credential_id}"), ""
    async with working(engine_host, temporal) as engine:
        async with asyncio.timeout(START_SECONDS):
            while not all(name in history for name in ("LookupError", "ValueError")):
                await asyncio.sleep(0.2)
                if engine._hinted:
                    history = (await handle.fetch_history()).to_json()
    assert "secret-marker" not in history
    logged = [record for record in caplog.records if record.exc_info]
    assert {record.getMessage() for record in logged} == {
        "the work looks failed: LookupError",
        "the work polls failed: ValueError",
    }


async def test_deliveries_that_hang_leave_room_for_polls(
    engine_host: EngineHost, temporal: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    await connected(temporal)
    released = asyncio.Event()

    async def hang(*_: Any) -> int:
        await released.wait()
        return 0

    monkeypatch.setattr(DeliverWork, "work", hang)
    monkeypatch.setattr(DeliverWork, "most", 2)
    queues = [await engine_host.subscribe("payment_settled", target=f"{TARGET}/{number}") for number in range(4)]
    async with working(engine_host, temporal) as engine:
        ids = [queue.id for queue in queues]
        engine_host.write(lambda c: due_work.schedule_each(c, due_work.DELIVERIES, ids, engine_host.now()))
        engine.context.wake()
        await until(lambda: engine.in_progress()["deliveries"] == 2)
        request = SubscriptionRequest("new_payment", {}, "http://127.0.0.1:9/flow")
        subscription, *_ = await subscribe(engine.context, engine_host.credential_id, request, engine_host.now())
        await first_poll(engine_host, subscription)
        assert engine.in_progress()["deliveries"] == 2
        released.set()
        await until(lambda: engine.in_progress()["deliveries"] == 0)


async def test_a_key_is_hinted_at_again_after_news_or_a_while(engine_host: EngineHost) -> None:
    class Signals(list[str]):
        async def start_workflow(self, _: str, credential_id: str, **__: Any) -> None:
            self.append(credential_id)

    await engine_host.subscribe("new_payment")
    signals: Any = Signals()
    engine = TemporalEngine("", engine_host.connector, engine_host.connector.database, engine_host.vault)
    for moment, expected in ((0.0, 1), (1.0, 1), (SWEEP_SECONDS, 2)):
        assert await engine._hint_at_due(signals, moment)
        assert signals == expected * [engine_host.credential_id]
    engine_host.write(lambda c: due_work.schedule(c, due_work.POLLS, engine_host.credential_id, engine_host.now()))
    assert await engine._hint_at_due(signals, SWEEP_SECONDS + 1)
    assert signals == 3 * [engine_host.credential_id]


async def test_two_workers_and_the_server_killed_lose_nothing(
    sandbox: RunningSandbox, postgres_url: str, unused_port: int, temporal: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KONTOR_DATA_KEY", Fernet.generate_key().decode())
    size = {"transactions": 200, "payments": 17, "kills": 20}  # three events for each payment
    await weather(sandbox, postgres_url, unused_port, temporal=temporal, hosts=2, **size)
