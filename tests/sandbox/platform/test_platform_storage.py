from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest

from connector.sandbox import world as storage_module
from connector.sandbox.world import Storage, World, demo_world


class _EnoughError(Exception):
    pass


def test_a_changed_world_is_written_while_the_sandbox_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage_module, "SAVE_INTERVAL_SECONDS", 0)
    file, world = tmp_path / "world.json", demo_world(3, datetime(2026, 11, 1, tzinfo=UTC))
    storage = Storage(file)

    def first_then_enough() -> World:
        if file.exists():
            raise _EnoughError
        storage.mark_changed()  # changes again while it is being written
        return world

    storage.mark_changed()
    with pytest.raises(_EnoughError):
        asyncio.run(asyncio.wait_for(storage.save_on_change(first_then_enough), 10))
    assert Storage(file).load() == world
