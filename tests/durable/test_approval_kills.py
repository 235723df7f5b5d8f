"""Killed at any moment between asking, approving and sending: nothing is paid twice, nothing unapproved, all ends."""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from connector import Connector
from connector.core.timing import Clock
from connector.store.runs import approvals, runs
from tests.durable import approving_process
from tests.support import forked
from tests.support.running_sandbox import RunningSandbox

KILLS = 100
AT_ONCE = 4
ENDED = {"done", "unknown", "sending", "awaiting_approval"}
"""Done, parked, or not approved: then it was never sent."""


def process(sandbox: RunningSandbox, data: Path, first: int) -> BaseProcess:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("KONTOR_")}
    env = {**inherited, "KONTOR_BASE_URL": sandbox.url, "KONTOR_DATA": str(data)}
    return forked.start(approving_process.run, sandbox.url, first, env=env)


@pytest.mark.slow
def test_killed_at_a_hundred_moments_nothing_is_paid_twice_or_unapproved(
    sandbox: RunningSandbox, tmp_path: Path
) -> None:
    sandbox.order("/limits", limit=1_000_000)
    dice = random.Random(4711)
    moments = [dice.uniform(0.0, 2.0) for _ in range(KILLS)]

    def kill_once(number: int) -> None:
        """Kill a process a moment after its start, which is measured by the time that its start has taken."""
        began = time.monotonic()
        victim = process(sandbox, tmp_path, 10 * number)
        time.sleep(moments[number] * (time.monotonic() - began))
        forked.kill(victim)

    kill_once(0)  # creates the database alone
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(kill_once, range(1, KILLS)))
    connector = Connector(str(tmp_path))
    survivor = process(sandbox, tmp_path, 100_000)
    try:
        approved_and_open = [("?", "?")]
        deadline = time.monotonic() + 120
        while approved_and_open and time.monotonic() < deadline:
            time.sleep(1)
            in_state = connector.database.read(lambda connection: approvals.in_state(connection, "approved"))
            approved_and_open = [(approval.run, approval.state) for approval in in_state]
        assert approved_and_open == [], "every approved run is sent or parked"
        time.sleep(3)
    finally:
        forked.kill(survivor)
    rows = sandbox.api.get("/v2/banking/payments").json()["data"]
    paid = Counter(
        key for row in rows if (key := (row.get("custom_fields") or {}).get("kontor_key", "")).startswith("k-")
    )
    assert paid, "some were paid"
    assert {key: count for key, count in paid.items() if count > 1} == {}
    used = connector.database.read(lambda connection: {row.run for row in approvals.in_state(connection, "used")})
    written = connector.database.read(
        lambda connection: runs.listed(connection, "default", Clock().utcnow(), limit=100_000)
    )
    by_key = {run.key: run for run in written}
    assert {key for key in paid if by_key[key].id not in used} == set(), "nothing was paid without an approval"
    asked = {run.key: run.state for run in written if connector.database.read(partial(approvals.find, run=run.id))}
    assert len(asked) > KILLS / 2, "most of them came that far"
    # One that was being sent when its host died is listed among the unknown ones.
    assert {key: state for key, state in asked.items() if state not in ENDED} == {}
    connector.close()
