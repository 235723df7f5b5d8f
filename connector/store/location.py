"""Where the state is kept. Imports no database."""

from __future__ import annotations

import os
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
