"""A host that is told to stop while it is busy finishes what is under way, and loses nothing of it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import httpx
from sqlalchemy import select

from connector.store import open_database
from connector.store.schema import events, runs
from tests.interfaces.host.running_host import PAYMENT, RunningHost, running
from tests.support.running_sandbox import RunningSandbox

CALLERS = 24


def payments_of(sandbox: RunningSandbox) -> set[str]:
    found = sandbox.world.banking.payments.values()
    return {payment.custom_fields["kontor_key"] for payment in found if "kontor_key" in (payment.custom_fields or {})}


def test_payments_under_way_when_the_host_is_stopped_are_answered_and_journalled(
    sandbox: RunningSandbox, tmp_path: Path
) -> None:
    sandbox.order("/credits", balance=1_000_000)
    sandbox.order(
        "/faults", kind="slow", times=None, seconds=0.4, match={"method": "POST", "path": "/v2/banking/payments"}
    )
    begun = Barrier(CALLERS + 1)
    with running(sandbox, tmp_path) as host, ThreadPoolExecutor(CALLERS) as pool:
        assert host.run("list_bank_accounts").status_code == 200
        answers = [pool.submit(_pay, host, number, begun) for number in range(CALLERS)]
        begun.wait()
        while not [entry for entry in sandbox.requests() if entry["method"] == "POST"]:
            continue
        host.server.should_exit = True
        told = [answer.result() for answer in answers]
    done = {key for key, status in told if status == 200}
    assert done
    assert {status for _, status in told} <= {200, None}  # answered whole, or never let in
    assert payments_of(sandbox) == done
    database = open_database(str(tmp_path))
    entered = database.read(lambda one: dict(one.execute(select(runs.c.key, runs.c.state)).all()))  # type: ignore[arg-type]
    database.close()
    assert {key: entered[key] for key in done} == dict.fromkeys(done, "done")


def _pay(host: RunningHost, number: int, begun: Barrier) -> tuple[str, int | None]:
    key = f"pay-{number}"
    with host.caller() as caller:
        caller.get("/healthz")  # the line is open before the host is told to stop
        begun.wait()
        try:
            answer = caller.post("/v1/actions/initiate_payment/run", json={"inputs": PAYMENT, "key": key})
        except httpx.TransportError:
            return key, None
    return key, answer.status_code


def test_every_event_that_was_answered_with_200_is_on_disk_after_a_stop(
    sandbox: RunningSandbox, tmp_path: Path
) -> None:
    taken: list[str] = []
    with running(sandbox, tmp_path) as host:
        while host.http.get("/readyz").json()["hub"] != "active":
            continue
        path = httpx.URL(sandbox.api.get("/v2/banking/webhook-url").json()["data"]["webhook_url"]).path
        with ThreadPoolExecutor(8) as pool:
            sending = [pool.submit(_send, host, path, number) for number in range(8)]
            while not host.state.database.read(lambda one: one.execute(select(events.c.id)).first()):
                continue
            host.server.should_exit = True
            for one in sending:
                taken += one.result()
    database = open_database(str(tmp_path))
    stored = database.read(lambda one: set(one.execute(select(events.c.event)).scalars()))
    database.close()
    assert taken
    assert set(taken) <= stored


def _send(host: RunningHost, path: str, sender: int) -> list[str]:
    taken: list[str] = []
    with host.caller(token=None, key=None) as service:
        for number in range(200):
            name = f"made_up_{sender}_{number}"
            try:
                answer = service.post(path, json={"event": name, "data": {}})
            except httpx.TransportError:
                break
            if answer.status_code == 200:
                taken.append(name)
    return taken
