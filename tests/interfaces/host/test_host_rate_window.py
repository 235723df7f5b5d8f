"""Several processes on one key: together they stay under the limit, and no payment is starved."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from kontor_processes import WINDOW, command_line, environment, hosts
from postgres import postgres_server, postgres_url
from running_host import PAYMENT
from service_desk import Desk

__all__ = ["postgres_server", "postgres_url"]

LIMIT = 200
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


def reader(client: httpx.Client, count: int, waits: list[float]) -> Callable[[], None]:
    def read() -> None:
        for _ in range(count):
            started = time.monotonic()
            answer = client.post(READ, json={"inputs": {}})
            assert answer.status_code == 200, answer.text
            waits.append(time.monotonic() - started)

    return read


def test_4_hosts_and_4_command_lines_make_1000_calls_without_a_429(desk: Desk, tmp_path: Path) -> None:
    desk.order("/limits", limit=LIMIT, window=WINDOW, style="sliding", headers=False)
    env = environment(desk.url, str(tmp_path))
    told: list[Any] = []
    paid: list[float] = []
    waits: list[float] = []

    def commands() -> None:
        for _ in range(5):
            told.append(command_line(env, "run", "list_bank_accounts"))

    def pay(client: httpx.Client) -> None:
        while len(desk.record()) < 400:
            time.sleep(0.1)
        for number in range(3):
            started = time.monotonic()
            answer = client.post(PAY, json={"inputs": PAYMENT, "key": f"run-{number}"})
            paid.append(time.monotonic() - started)
            assert answer.status_code == 200, answer.text
            time.sleep(WINDOW / 3)

    with hosts(4, env) as clients, ThreadPoolExecutor(21) as pool:
        work = [pool.submit(reader(client, 60, waits)) for client in clients for _ in range(4)]
        work += [pool.submit(commands) for _ in range(4)]
        work.append(pool.submit(pay, clients[0]))
        for one in work:
            one.result()

    rows = desk.record()
    assert Counter(row["status"] for row in rows).keys() <= {200, 201}
    assert len(rows) >= 1000 - 20
    assert most_in_a_window(rows) <= LIMIT
    assert [one["ok"] for one in told] == [True] * 20
    assert len(paid) == 3
    assert max(paid) < WINDOW / 2, f"a payment waited for {max(paid):.1f} s, the slowest read {max(waits):.1f} s"
    assert max(waits) > WINDOW / 2, "the reads had to wait, so there was something to be starved by"


@pytest.mark.parametrize("headers", [True, False])
def test_two_hosts_on_postgresql_share_one_window(desk: Desk, tmp_path: Path, postgres_url: str, headers: bool) -> None:
    desk.order("/limits", limit=LIMIT, window=WINDOW, style="sliding", headers=headers)
    env = environment(desk.url, postgres_url, KONTOR_DATA_KEY="correct horse battery staple of a host")
    waits: list[float] = []
    with hosts(2, env) as clients, ThreadPoolExecutor(8) as pool:
        work = [pool.submit(reader(client, 60, waits)) for client in clients for _ in range(4)]
        for one in work:
            one.result()
    rows = desk.record()
    assert Counter(row["status"] for row in rows) == {200: 480}
    assert most_in_a_window(rows) <= LIMIT


def test_a_host_that_was_killed_is_remembered_by_the_next(desk: Desk, tmp_path: Path) -> None:
    desk.order("/limits", limit=LIMIT, window=WINDOW, style="sliding", headers=False)
    env = environment(desk.url, str(tmp_path))
    waits: list[float] = []
    for _ in range(2):
        with hosts(1, env) as clients, ThreadPoolExecutor(4) as pool:
            for one in [pool.submit(reader(clients[0], 40, waits)) for _ in range(4)]:
                one.result()
    rows = desk.record()
    assert Counter(row["status"] for row in rows) == {200: 320}
    assert most_in_a_window(rows) <= LIMIT
