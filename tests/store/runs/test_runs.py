from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, event

from connector.store import open_database
from connector.store.runs import runs

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
QUERIES: dict[str, Callable[[Connection], Any]] = {
    "heartbeats": lambda connection: runs.beat(connection, ["owner"], NOW),
    "unknown runs": lambda connection: runs.listed(connection, "default", NOW, state="unknown"),
    "keys with unresolved runs": lambda connection: runs.credentials_with_unresolved(connection, NOW),
    "runs that are looked for": lambda connection: runs.looked_for(connection, "default", NOW),
}


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_open_runs_are_found_by_an_index_however_many_have_ended(
    tmp_path: Path, query: Callable[[Connection], Any]
) -> None:
    database = open_database(str(tmp_path))
    sent: list[tuple[str, Any]] = []
    with database.engine.connect() as connection:
        event.listen(connection, "before_cursor_execute", lambda *given: sent.append((given[2], given[3])))
        query(connection)
        statement, parameters = sent[0]
        plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters).all()
    database.close()
    indexes = "runs_open", "runs_looked_for"
    assert any(f"INDEX {index}" in step[3] for index in indexes for step in plan), plan
