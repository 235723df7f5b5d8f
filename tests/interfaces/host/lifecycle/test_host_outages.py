"""A host whose PostgreSQL is killed, restarted or frozen: not ready meanwhile, ready afterwards, two lines of log."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.interfaces.host.running_host import RunningHost, running
from tests.store.breakable_postgres import BreakablePostgres, breakable_postgres
from tests.store.postgres import postgres_server
from tests.support.running_sandbox import RunningSandbox
from tests.support.waiting import until

__all__ = ["breakable_postgres", "postgres_server"]

pytestmark = pytest.mark.slow


def is_ready(host: RunningHost) -> bool:
    return host.http.get("/readyz").status_code == 200


def logged(host: RunningHost) -> list[dict[str, Any]]:
    """Return the lines about something else than requests."""
    lines = [json.loads(line) for line in host.log().splitlines()]
    return [line for line in lines if line["level"] in {"warning", "error", "critical"}]


def stored(host: RunningHost) -> httpx.Response:
    """Call a route that needs the database."""
    return host.http.get("/v1/subscriptions")


def test_a_killed_server_costs_one_line_and_the_host_comes_back_by_itself(
    sandbox: RunningSandbox, tmp_path: Path, breakable_postgres: BreakablePostgres
) -> None:
    with running(sandbox, tmp_path, data=breakable_postgres.url) as host:
        until(lambda: is_ready(host))
        assert stored(host).status_code == 200
        breakable_postgres.kill()
        until(lambda: not is_ready(host))
        answer = stored(host)
        assert (answer.status_code, answer.json()["kind"], answer.json()["retryable"]) == (503, "store_down", True)
        time.sleep(3)  # the engine's jobs go on failing
        assert host.http.get("/healthz").status_code == 200
        breakable_postgres.restart()
        until(lambda: is_ready(host))
        assert stored(host).status_code == 200
        lines = logged(host)
    assert [line["message"].split(":")[0].split(",")[0] for line in lines] == [
        "the database does not answer",
        "the database answers again",
    ]
    assert not [line for line in lines if "trace" in line]


def test_a_frozen_server_costs_one_line_and_the_host_comes_back_by_itself(
    sandbox: RunningSandbox, tmp_path: Path, breakable_postgres: BreakablePostgres
) -> None:
    with running(sandbox, tmp_path, data=breakable_postgres.url) as host:
        until(lambda: is_ready(host))
        with breakable_postgres.frozen():
            until(lambda: not is_ready(host))
            time.sleep(12)  # longer than a statement may take
            assert host.http.get("/healthz").status_code == 200
        until(lambda: is_ready(host))
        assert stored(host).status_code == 200
        lines = logged(host)
    assert [line["message"].split(":")[0].split(",")[0] for line in lines] == [
        "the database does not answer",
        "the database answers again",
    ]
    assert not [line for line in lines if "trace" in line]
