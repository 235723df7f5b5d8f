"""The rate windows of one database: shared by all processes, remembered, and independent of the wall clock."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from connector.client.governor import Governor
from connector.client.permits import MAX_BLOCK, Report, Request
from connector.runtime.records.rate_windows import SharedWindows
from connector.store import Database, open_database
from connector.store.rates import rate_windows
from connector.store.rates.rate_windows import WindowBusy
from connector.store.schema import rate_windows as table

SCOPE = "0123456789abcdef"


@pytest.fixture
def windows(database: Database) -> Iterator[SharedWindows]:
    windows = connect(database)
    yield windows
    windows.close()


def connect(database: Database) -> SharedWindows:
    return SharedWindows(lambda: database, lambda: database)


def ask(
    windows: SharedWindows, permits: int = MAX_BLOCK, for_writes: int = 0, *, window: float = 900.0, limit: int = 200
) -> int:
    """Return how many permits are granted."""
    request = Request(time.monotonic(), permits, for_writes, limit, window, Report())
    while True:
        try:
            granted = windows.exchange(SCOPE, request, 1.0).result()
            return granted.permits + granted.for_writes
        except WindowBusy:
            time.sleep(0.001)


def taken(windows: SharedWindows) -> int:
    return windows.exchange(SCOPE, Request(time.monotonic(), 0, 0, 200, 900.0, Report()), 1.0).result().window.used()


def test_a_window_is_remembered_when_the_database_is_opened_again(location: str) -> None:
    database = open_database(location)
    windows = connect(database)
    assert ask(windows) == MAX_BLOCK
    windows.close()
    database.close()
    database = open_database(location)
    windows = connect(database)
    assert taken(windows) == MAX_BLOCK
    windows.close()
    database.close()


def test_many_connections_at_once_never_hand_out_more_than_the_limit(database: Database) -> None:
    granted: list[int] = []

    def process() -> None:
        windows = connect(database)
        while got := ask(windows):
            granted.append(got)
        windows.close()

    threads = [threading.Thread(target=process) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(granted) == 180
    windows = connect(database)
    assert sum(ask(windows, 0, MAX_BLOCK) for _ in range(10)) == 20
    windows.close()


def test_permits_come_back_after_the_window_and_the_validity(
    windows: SharedWindows, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("connector.client.rate_window.VALIDITY", 0.2)
    started = time.monotonic()
    assert ask(windows, window=0.4, limit=5) == 4
    while not ask(windows, 1, window=0.4, limit=5):
        assert time.monotonic() - started < 30
        time.sleep(0.01)
    assert time.monotonic() - started >= 0.6


def test_keys_do_not_share_a_window(windows: SharedWindows) -> None:
    assert ask(windows) == MAX_BLOCK
    assert windows.exchange("another", Request(1.0, 0, 0, 200, 900.0, Report()), 1.0).result().window.used() == 0


def test_a_step_of_the_wall_clock_changes_nothing(windows: SharedWindows, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ask(windows) == MAX_BLOCK
    real = time.time
    for step in (86400.0, -86400.0):
        monkeypatch.setattr(rate_windows.time, "time", lambda step=step: real() + step)
        assert taken(windows) == MAX_BLOCK


@pytest.mark.parametrize(
    ("up", "wall", "left"),
    [
        (30.0, 60.0, 5),  # started again a moment later
        (30.0, 86400.0, 5),  # the wall clock was set forward while it was off: at most the time since the start counts
        (30.0, -86400.0, 5),  # or backward
        (5000.0, 2000.0, 0),  # another machine, or half an hour later
        (5000.0, 60.0, 5),  # another machine that has been running for long
    ],
)
def test_after_a_restart_of_the_machine_a_wrong_clock_can_only_make_us_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, up: float, wall: float, left: int
) -> None:
    database = open_database(str(tmp_path))
    windows = connect(database)
    assert ask(windows) == MAX_BLOCK
    windows.close()
    real = time.time()
    monkeypatch.setattr(rate_windows, "boot_id", lambda: "another-start")
    monkeypatch.setattr(rate_windows, "seconds_since_start", lambda: up)
    monkeypatch.setattr(rate_windows.time, "time", lambda: real + wall)
    windows = connect(database)
    assert taken(windows) == left
    windows.close()
    database.close()


BUSY = """
import sys, time
from connector.client.permits import Report, Request
from connector.store import open_database
from connector.store.rates.rate_windows import RateWindows, WindowBusy
windows = RateWindows(open_database(sys.argv[1]).engine)
print("busy", flush=True)
while True:
    try:
        windows.exchange("0123456789abcdef", Request(time.monotonic(), 1, 0, 10**6, 900.0, Report()), 1.0)
    except WindowBusy:
        pass
"""


def test_a_process_that_freezes_while_it_changes_a_window_holds_up_nobody(postgres_url: str) -> None:
    database = open_database(postgres_url)
    windows = connect(database)
    busy = subprocess.Popen([sys.executable, "-c", BUSY, postgres_url], stdout=subprocess.PIPE, text=True)
    try:
        assert busy.stdout
        assert busy.stdout.readline() == "busy\n"
        for _ in range(20):
            time.sleep(random.uniform(0.01, 0.03))
            busy.send_signal(signal.SIGSTOP)
            started = time.monotonic()
            assert ask(windows, 1, limit=10**6) == 1
            assert time.monotonic() - started < 1
            busy.send_signal(signal.SIGCONT)
    finally:
        busy.kill()
        busy.wait()
        windows.close()
        database.close()


def test_the_store_holds_neither_key_nor_base_url(database: Database, windows: SharedWindows) -> None:
    ask(windows)
    row = database.read(lambda connection: connection.execute(select(table)).one())
    assert row.scope == SCOPE
    assert row.state.startswith("[")


def test_a_governor_whose_database_cannot_be_opened_counts_for_itself() -> None:
    def broken() -> Database:
        raise OSError("no such disk")

    shared = SharedWindows(broken)
    governor = Governor()
    shared.share(governor, SCOPE)
    permit = governor.enqueue(writes=False)
    assert governor.try_acquire(permit, 1.0) > 0
    asked = governor.ask(1.0, 1.0)
    if asked is not None:
        asked.result(5)
    assert governor.try_acquire(permit, 1.1) == 0
    shared.close()


def test_a_database_that_comes_back_is_used_again(location: str) -> None:
    database = open_database(location)
    broken = True

    def open_later() -> Database:
        if broken:
            raise OSError("not yet")
        return database

    shared = SharedWindows(open_later)
    governor = Governor()
    shared.share(governor, SCOPE)
    for now in (1.0, 2.0, 3.0):
        permit = governor.enqueue(writes=False)
        while governor.try_acquire(permit, now) > 0:
            asked = governor.ask(now, 1.0)
            if asked is not None:
                asked.result(5)
        governor.release(permit, now)
    broken = False
    permit = governor.enqueue(writes=False)
    started = time.monotonic()
    governor.ask(10.0, 1.0)  # the thread asks, while the caller goes on
    while governor.try_acquire(permit, 10.1) > 0 and time.monotonic() - started < 5:
        time.sleep(0.01)
    shared.close()
    windows = connect(database)
    assert taken(windows) >= 3
    windows.close()
    database.close()
