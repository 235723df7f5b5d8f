"""Reads of the same moment are one read of the database."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from connector.durable.context import BatchedReads
from connector.store import Database, open_database


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = open_database(str(tmp_path))
    yield database
    database.close()


@pytest.fixture
def reads(database: Database, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Every read of the database."""
    reads: list[Any] = []
    read = database.read

    def counted(query: Any) -> Any:
        reads.append(query)
        return read(query)

    monkeypatch.setattr(database, "read", counted)
    return reads


async def test_what_is_asked_at_the_same_moment_is_one_read(database: Database, reads: list[Any]) -> None:
    looks = BatchedReads(database)
    asked = (looks.read(lambda connection, n=n: connection.exec_driver_sql(f"SELECT {n}").scalar()) for n in range(9))
    assert await asyncio.gather(*asked) == list(range(9))
    assert len(reads) == 1


async def test_what_is_asked_while_a_read_runs_is_read_afterwards(database: Database, reads: list[Any]) -> None:
    looks, begun, go_on = BatchedReads(database), Event(), Event()

    def slow(_: Any) -> str:
        begun.set()
        go_on.wait(10)
        return "first"

    first = asyncio.create_task(looks.read(slow))
    assert await asyncio.to_thread(begun.wait, 10)
    second = asyncio.create_task(looks.read(lambda _: "second"))
    assert await second == "second"
    go_on.set()
    assert await first == "first"
    assert len(reads) == 2


async def test_a_failure_concerns_one_moment_only(database: Database) -> None:
    looks = BatchedReads(database)

    def fail(connection: Any) -> None:
        raise LookupError

    both = await asyncio.gather(looks.read(fail), looks.read(lambda _: "sound"), return_exceptions=True)
    assert [type(error) for error in both] == [LookupError, LookupError]
    assert await looks.read(lambda _: "sound") == "sound"


async def test_who_is_cancelled_holds_up_no_other(database: Database) -> None:
    looks = BatchedReads(database)
    tired, other = (asyncio.create_task(looks.read(lambda _, n=n: n)) for n in range(2))
    await asyncio.sleep(0)
    tired.cancel()
    assert await other == 1
