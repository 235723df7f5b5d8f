"""Writes the world to a file and reads it back."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from threading import Lock

import msgspec

from sandbox import encoding
from sandbox.world import World

SECONDS_BETWEEN_SAVES = 1.0


class Storage:
    """Keeps one file current: at most once a second while the world changes, and once at the end."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._touched = asyncio.Event()
        self._writing = Lock()

    def load(self) -> World | None:
        if not self._file.exists():
            return None
        try:
            return msgspec.json.decode(self._file.read_bytes(), type=World)
        except msgspec.DecodeError as problem:
            raise ValueError(f"{self._file} does not hold a sandbox's world: {problem}") from None

    def touch(self) -> None:
        self._touched.set()

    async def keep_saving(self, world: Callable[[], World]) -> None:
        while True:
            await self._touched.wait()
            self._touched.clear()
            # Encoded here, where nothing else runs, so that the file is of one moment; written aside.
            await asyncio.to_thread(self._write, encoding.encode(world()))
            await asyncio.sleep(SECONDS_BETWEEN_SAVES)

    def save(self, world: World) -> None:
        self._write(encoding.encode(world))

    def _write(self, content: bytes) -> None:
        """Replace the file in one step: whoever reads it finds the old or the new world, never half of one."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        half = self._file.with_name(f".{self._file.name}.new")
        # The last save may begin while a thread still writes an earlier one.
        with self._writing:
            with half.open("wb") as out:
                out.write(content)
                out.flush()
                os.fsync(out.fileno())
            half.replace(self._file)
