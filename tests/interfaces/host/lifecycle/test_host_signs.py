"""Signs of life that tell the truth, and metrics that move with what happens."""

from __future__ import annotations

import re
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from connector.durable import kinds
from connector.store.triggers import events
from connector.store.triggers.events import IncomingEvent
from tests.interfaces.host.running_host import PAYMENT, RunningHost, running
from tests.support.running_sandbox import RunningSandbox

pytestmark = pytest.mark.long


def metric(host: RunningHost, line: str) -> float:
    found = re.search(rf"^{re.escape(line)} (\S+)$", host.http.get("/metrics").text, re.MULTILINE)
    assert found, line
    return float(found[1])


def test_a_host_that_works_is_ready(host: RunningHost) -> None:
    answer = host.http.get("/readyz")
    assert (answer.status_code, answer.json()["database"], answer.json()["engine"]) == (200, "writable", "running")


def test_a_host_whose_database_cannot_be_written_to_is_not_ready(
    host: RunningHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr("connector.interfaces.host.routes.health.leases.set_timer", full)
    answer = host.http.get("/readyz")
    assert (answer.status_code, answer.json()["ok"], answer.json()["database"]) == (503, False, "unwritable")
    assert host.http.get("/healthz").status_code == 200


def test_a_host_whose_engine_has_ended_is_not_ready(host: RunningHost) -> None:
    task = host.state.engine_task
    assert task is not None
    task.get_loop().call_soon_threadsafe(task.cancel)
    while not task.done():
        host.http.get("/healthz")
    answer = host.http.get("/readyz")
    assert (answer.status_code, answer.json()["engine"]) == (503, "stopped")


def test_a_host_whose_overdue_work_nobody_takes_is_not_ready(
    sandbox: RunningSandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kinds, "KINDS", ())
    monkeypatch.setattr(kinds, "STANDSTILL_SECONDS", 2.0)
    with running(sandbox, tmp_path) as host:
        context = host.state.context
        hour_ago = context.now() - timedelta(hours=1)
        context.database.write(
            lambda c: events.insert(c, [IncomingEvent("c", "e", "card_blocked", "{}")], hour_ago)
        ).result()
        first = host.http.get("/readyz")
        assert (first.status_code, first.json()["stalled"]) == (200, [])
        time.sleep(2.5)
        answer = host.http.get("/readyz")
        assert (answer.status_code, answer.json()["ok"], answer.json()["stalled"]) == (503, False, ["events"])
        context.database.write(lambda c: events.set_state(c, [1], "unknown", hour_ago)).result()
        time.sleep(1.1)  # a probe is cached for a second
        assert host.http.get("/readyz").json()["stalled"] == []


def test_a_host_that_is_closing_is_not_ready(host: RunningHost) -> None:
    host.state.closing = True
    assert host.http.get("/readyz").status_code == 503


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("UPDATE kontor_database SET oldest_code = 9999", "neuere Version"),
        ("UPDATE alembic_version SET version_num = '0001'", "älteres Schema"),
        ("UPDATE kontor_database SET key_check = 'of-another-key'", "Datenschlüssel"),
    ],
)
def test_a_host_whose_database_it_must_not_use_any_more_is_not_ready(host: RunningHost, change: str, said: str) -> None:
    from sqlalchemy import text

    host.state.database.write(lambda one: one.execute(text(change))).result()
    answer = host.http.get("/readyz")
    assert (answer.status_code, answer.json()["ok"], answer.json()["database"]) == (503, False, "refused")
    assert said in answer.json()["reason"]["de"]
    assert host.log().count("the host is not ready") == 1


def test_a_host_whose_database_was_exchanged_for_that_of_another_program_is_not_ready(host: RunningHost) -> None:
    from sqlalchemy import text

    for table in ("kontor_database", "schema_version"):
        rename = text(f"ALTER TABLE {table} RENAME TO wp_{table}")
        host.state.database.write(lambda one, rename=rename: one.execute(rename)).result()
    answer = host.http.get("/readyz")
    assert (answer.status_code, answer.json()["database"]) == (503, "refused")
    assert "another program" in answer.json()["reason"]["en"]


def test_a_webhook_url_that_somebody_replaced_is_told_without_taking_the_host_out(
    host: RunningHost, sandbox: RunningSandbox
) -> None:
    from sqlalchemy import update

    from connector.store.schema import hooks

    while host.http.get("/readyz").json()["hub"] != "active":
        continue
    host.state.database.write(lambda one: one.execute(update(hooks).values(state="drifted"))).result()
    while host.http.get("/readyz").json()["hub"] != "drifted":
        continue
    assert host.http.get("/readyz").status_code == 200


def test_metrics_count_calls_credits_and_what_waits(host: RunningHost, sandbox: RunningSandbox) -> None:
    host.run("list_transactions", {"account_id": PAYMENT["account_id"]})
    host.run("list_transactions", {"account_id": "none"})
    host.run("list_transactions", {})
    host.http.get("/v1/lookups/bank_accounts")
    host.http.get("/v1/triggers/new_payment/poll")
    assert metric(host, 'kontor_calls_total{id="list_transactions",kind="action",outcome="done"}') == 1
    assert metric(host, 'kontor_calls_total{id="list_transactions",kind="action",outcome="input"}') == 1
    assert metric(host, 'kontor_calls_total{id="bank_accounts",kind="lookup",outcome="done"}') == 1
    assert metric(host, 'kontor_calls_total{id="new_payment",kind="poll",outcome="done"}') == 1
    assert metric(host, 'kontor_call_credits_total{id="list_transactions",kind="action"}') == 1
    host.state.connector.shared.usage.flush()
    host.state.database.write(lambda _: None).result()
    assert metric(host, 'kontor_credits_spent_total{id="list_transactions"}') == 1
    for line in (
        'kontor_deliveries{state="waiting"}',
        'kontor_events{state="forged"}',
        "kontor_unconfirmed_events",
        "kontor_parked_writes",
        'kontor_queue_age_seconds{queue="deliveries"}',
        'kontor_queue_age_seconds{queue="events"}',
    ):
        assert metric(host, line) == 0
    fingerprint = host.state.settings.own_credential.fingerprint  # type: ignore[union-attr]
    assert 0 < metric(host, f'kontor_rate_window_remaining{{credential="{fingerprint}"}}') < 1_000_000


def test_a_poll_that_is_overdue_shows_as_lag(sandbox: RunningSandbox, tmp_path: Path) -> None:
    from connector.durable.settings import Settings

    with running(sandbox, tmp_path, engine=Settings(tick=3600)) as host:
        wish = {"trigger": "new_payment", "target_url": "https://flow.example/hook"}
        sandbox.order("/faults", kind="slow", times=None, seconds=2, match={"path": "/v2/banking/payments"})
        assert host.http.post("/v1/subscriptions", json=wish).status_code == 201
        assert metric(host, 'kontor_poll_lag_seconds{trigger="new_payment"}') > 0


def test_a_made_up_method_or_address_adds_no_line_of_its_own(host: RunningHost) -> None:
    for number in range(3):
        host.http.request(f"MADEUP{number}", f"/nowhere/{number}")
        host.http.get(f"/hooks/{number}")
    lines = [line for line in host.http.get("/metrics").text.splitlines() if "nowhere" in line or "MADEUP" in line]
    assert lines == []


def test_the_metrics_say_what_is_due_and_what_was_done(host: RunningHost) -> None:
    from connector.store.triggers import due_work

    now = host.state.context.now()
    host.state.database.write(lambda one: due_work.schedule(one, "elsewhere", "k", now)).result()
    assert metric(host, 'kontor_work_due{kind="elsewhere"}') == 1
    wish = {"trigger": "new_payment", "target_url": "https://flow.example/hook"}
    assert host.http.post("/v1/subscriptions", json=wish).status_code == 201
    ends = time.monotonic() + 20
    while 'kontor_work_done_total{kind="polls"} 1.0' not in host.http.get("/metrics").text:
        assert time.monotonic() < ends
        time.sleep(0.1)
