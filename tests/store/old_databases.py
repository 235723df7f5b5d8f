"""Loads the old databases that `databases/README.md` describes."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from sqlalchemy import Engine, create_engine

FOLDER = Path(__file__).parent / "databases"
NAMES = ("first", "second", "last")


def load(name: str, location: str) -> None:
    """Load a dump into the empty database at `location`."""
    if "://" not in location:
        Path(location).mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(Path(location) / "kontor.db")
        connection.executescript((FOLDER / f"{name}.sqlite.sql").read_text(encoding="utf-8"))
        connection.close()
        return
    engine = create_engine(location)
    with engine.begin() as loading:
        loading.exec_driver_sql((FOLDER / f"{name}.postgresql.sql").read_text(encoding="utf-8"))
    engine.dispose()


def plain_engine(location: str) -> Engine:
    """Return an engine that neither creates nor migrates anything."""
    return create_engine(location if "://" in location else f"sqlite:///{Path(location) / 'kontor.db'}")
