"""Where the state is kept, and that only its owner can read it. Imports no database."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path

FILE = "kontor.db"


def data_location(env: Mapping[str, str] = os.environ) -> str:
    """Return `KONTOR_DATA` (a folder, or the URL of a PostgreSQL database), or the user's data folder."""
    given = env.get("KONTOR_DATA", "").strip()
    if given:
        return given
    home = env.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return str(Path(home) / "kontor")


OTHERS = stat.S_IRWXG | stat.S_IRWXO
BESIDE = ("", "-wal", "-shm", "-journal")
"""SQLite gives the files beside a database the mode of the database; older ones may have another."""


def create_private(folder: Path, database: Path) -> None:
    """Create the folder and an empty database file if needed, and close both to other users."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    mode = folder.stat().st_mode
    if not mode & stat.S_ISVTX:  # a folder such as /tmp is meant for many
        _close_to_others(folder, mode)
    os.close(os.open(database, os.O_RDWR | os.O_CREAT, 0o600))
    for suffix in BESIDE:
        path = database.with_name(database.name + suffix)
        try:
            _close_to_others(path, path.stat().st_mode)
        except FileNotFoundError:
            continue


def _close_to_others(path: Path, mode: int) -> None:
    if mode & OTHERS:
        try:
            path.chmod(stat.S_IMODE(mode) & ~OTHERS)
        except PermissionError:  # another user's, who shares it on purpose
            return
