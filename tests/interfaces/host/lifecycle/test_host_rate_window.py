"""Several processes on one key: together they stay under the limit, and no payment is starved."""

from __future__ import annotations

import statistics
import time
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from cryptography.fernet import Fernet

from connector.store import open_database
from tests.interfaces.host.kontor_processes import LIMIT, WINDOW, HostProcess, command_line, environment, hosts
from tests.interfaces.host.running_host import PAYMENT
from tests.store.postgres import postgres_server, postgres_url
from tests.support.running_sandbox import RunningSandbox

__all__ = ["postgres_server", "postgres_url"]

READ = "/v1/actions/list_bank_accounts/run"
PAY = "/v1/actions/initiate_payment/run"


def most_in_a_window(rows: list[dict[str, Any]], window: float = WINDOW) -> int:
    """Return the largest number of requests that the service received within one window."""
    recent: deque[float] = deque()
    most = 0
    for row in rows:
        at = datetime.fromisoformat(row["at"]).timestamp()
        recent.append(at)
        while recent[0] <= at - window:
            recent.popleft()
        most = max(most, len(recent))
    return most


def reader(host: HostProcess, count: int, waits: list[float]) -> Callable[[], None]:
    def read() -> None:
        for _ in range(count):
            started = time.monotonic()
            answer = host.http.post(READ, json={"inputs": {}})
            assert answer.status_code == 200, answer.text
            waits.append(time.monotonic() - started)

    return read


@pytest.mark.parametrize(
    ("processes", "calls"),
    [pytest.param(2, 250, marks=pytest.mark.slow), pytest.param(4, 1000, marks=pytest.mark.slow)],
    ids=["2", "4"],
)
def test_hosts_and_command_lines_on_one_key_never_meet_a_429_and_starve_no_payment(
    sandbox: RunningSandbox, tmp_path: Path, processes: int, calls: int
) -> None:
    sandbox.order("/limits", limit=LIMIT, window=WINDOW, style="sliding", headers=False)
    env = environment(sandbox.url, str(tmp_path))
    commands_each, threads_each = 5, 5
    reads_each = calls // (processes * threads_each)
    told: list[Any] = []
    paid: list[float] = []
    waits: list[float] = []

    def commands() -> None:
        for _ in range(commands_each):
            told.append(command_line(env, "run", "list_bank_accounts"))

    def pay(host: HostProcess) -> None:
        while len(sandbox.requests()) < calls / 3:
            time.sleep(0.1)
        for number in range(3):
            started = time.monotonic()
            answer = host.http.post(PAY, json={"inputs": PAYMENT, "key": f"run-{number}"})
            paid.append(time.monotonic() - started)
            assert answer.status_code == 200, answer.text

    with hosts(processes, env) as running, ThreadPoolExecutor(processes * (threads_each + 1) + 1) as pool:
        work = [pool.submit(reader(host, reads_each, waits)) for host in running for _ in range(threads_each)]
        work += [pool.submit(commands) for _ in range(processes)]
        work.append(pool.submit(pay, running[0]))
        for one in work:
            one.result()

    rows = sandbox.requests()
    assert Counter(row["status"] for row in rows).keys() <= {200, 201}
    assert len(rows) >= calls
    assert most_in_a_window(rows) <= LIMIT
    assert [one["ok"] for one in told] == [True] * processes * commands_each
    assert len(paid) == 3
    assert max(waits) > WINDOW / 2, "reads had to wait, so there was something to be starved by"
    assert statistics.median(paid) < WINDOW / 2, f"payments took {paid} s, the slowest read {max(waits):.1f} s"
    assert max(paid) < WINDOW + 1, "a payment waited for a whole window"


@pytest.mark.slow
@pytest.mark.parametrize("headers", [True, False])
def test_two_hosts_on_postgresql_share_one_window(
    sandbox: RunningSandbox, tmp_path: Path, postgres_url: str, headers: bool
) -> None:
    sandbox.order("/limits", limit=LIMIT, window=WINDOW, style="sliding", headers=headers)
    env = environment(sandbox.url, postgres_url, KONTOR_DATA_KEY=Fernet.generate_key().decode())
    open_database(postgres_url).close()
    waits: list[float] = []
    with hosts(2, env) as running, ThreadPoolExecutor(8) as pool:
        work = [pool.submit(reader(host, 25, waits)) for host in running for _ in range(4)]
        for one in work:
            one.result()
    rows = sandbox.requests()
    assert Counter(row["status"] for row in rows) == {200: 200}
    assert most_in_a_window(rows) <= LIMIT


@pytest.mark.slow
def test_what_a_killed_host_has_used_counts_for_the_other(sandbox: RunningSandbox, tmp_path: Path) -> None:
    sandbox.order("/limits", limit=LIMIT, window=WINDOW, style="sliding", headers=False)
    env = environment(sandbox.url, str(tmp_path))
    with hosts(2, env) as [killed, other], ThreadPoolExecutor(8) as pool:
        dying = [pool.submit(reader(killed, 100, [])) for _ in range(4)]
        while len(sandbox.requests()) < LIMIT / 2:
            time.sleep(0.02)
        killed.process.kill()
        surviving = [pool.submit(reader(other, 20, [])) for _ in range(4)]
        assert all(isinstance(one.exception(), httpx.HTTPError) for one in dying)
        for one in surviving:
            one.result()
    rows = sandbox.requests()
    assert Counter(row["status"] for row in rows)[429] == 0
    assert most_in_a_window(rows) <= LIMIT
