"""Callers' sessions: one per key and label, kept while they are used, closed when idle or too many."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from connector import Connector
from connector.core.errors import KeyRefused
from connector.interfaces.host.callers import Caller, SessionPool
from connector.interfaces.host_state import HostSettings

URL = "http://127.0.0.1:1"


@pytest.fixture
async def pool(tmp_path: Path) -> AsyncIterator[SessionPool]:
    pool = SessionPool(Connector(str(tmp_path)), HostSettings(max_sessions=2, session_idle_seconds=0.01))
    yield pool
    await pool.aclose()


def caller(key: str, quelle: str = "n8n", flow: str = "") -> Caller:
    return Caller(URL, key, quelle, flow)


async def test_the_same_key_finds_its_session_again(pool: SessionPool) -> None:
    async with pool.acquire(caller("one-key")) as first:
        pass
    async with pool.acquire(caller("one-key")) as second:
        assert second is first
    async with pool.acquire(caller("one-key", quelle="make")) as other:
        assert other is not first


async def test_the_one_not_used_for_longest_goes_first(pool: SessionPool) -> None:
    opened = []
    for key in ("one-key", "two-key", "one-key", "three-key"):
        async with pool.acquire(caller(key)) as session:
            opened.append(session)
    async with pool.acquire(caller("one-key")) as again:
        assert again is opened[0]
    assert len(pool) == 2
    assert opened[1].client.closed


async def test_a_session_in_use_is_never_closed(pool: SessionPool) -> None:
    async with pool.acquire(caller("one-key")) as busy:
        for key in ("two-key", "three-key", "four-key"):
            async with pool.acquire(caller(key)):
                pass
        await pool._close_idle(10)
        assert not busy.client.closed
    assert len(pool) == 1


async def test_a_key_that_cannot_be_one_opens_nothing(pool: SessionPool) -> None:
    with pytest.raises(KeyRefused):
        async with pool.acquire(caller("two words")):
            pass
    assert len(pool) == 0


def test_a_key_does_not_stand_in_the_pools_names() -> None:
    assert "one-key" not in str(caller("one-key").pool_key)
