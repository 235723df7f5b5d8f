"""Saves the world to a file and loads it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from threading import Lock

import msgspec

from connector.sandbox import encoding
from connector.sandbox.world import World

SAVE_INTERVAL_SECONDS = 1.0


class Storage:
    """Saves at most once per second after changes, and once at the end."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._changed = asyncio.Event()
        self._write_lock = Lock()

    def load(self) -> World | None:
        if not self._file.exists():
            return None
        try:
            return msgspec.json.decode(self._file.read_bytes(), type=World)
        except msgspec.DecodeError as problem:
            raise ValueError(f"{self._file} does not hold a sandbox's world: {problem}") from None

    def mark_changed(self) -> None:
        self._changed.set()

    async def save_on_change(self, world: Callable[[], World]) -> None:
        while True:
            await self._changed.wait()
            self._changed.clear()
            # Encode on the event loop for a consistent state; write in a thread.
            await asyncio.to_thread(self._write, encoding.encode(world()))
            await asyncio.sleep(SAVE_INTERVAL_SECONDS)

    def save(self, world: World) -> None:
        self._write(encoding.encode(world))

    def _write(self, content: bytes) -> None:
        """Replace the file atomically."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        temporary = self._file.with_name(f".{self._file.name}.new")
        # The final save may start while a thread is still writing.
        with self._write_lock:
            with temporary.open("wb") as out:
                out.write(content)
                out.flush()
                os.fsync(out.fileno())
            temporary.replace(self._file)
