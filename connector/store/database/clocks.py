"""The clock that all processes on one database share, which no step of a host's wall clock disturbs.

PostgreSQL has its own. With SQLite all processes are on one machine: seconds since it was started, suspended time
included; they can only be compared until it is started again, so the clock has a name.
"""

from __future__ import annotations

import time
from functools import cache
from pathlib import Path

from sqlalchemy import Connection, Float, cast, func, select
from sqlalchemy.sql.elements import ColumnElement

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


def seconds_since_start() -> float:
    """Return the seconds since the start, suspended time included where the system counts it."""
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()


@cache
def boot_id() -> str:
    """Return what identifies this start of the machine, where that is known.

    Where it is not, a time before the start lies in the past or in the future: both only make us wait longer.
    """
    try:
        return BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        return "boot"


OF_POSTGRESQL = "database"
POSTGRESQL_SECONDS: ColumnElement[float] = cast(func.extract("epoch", func.clock_timestamp()), Float(53))


def name_and_seconds(connection: Connection) -> tuple[str, float]:
    """Return the clock's name and its time."""
    if connection.dialect.name == "postgresql":
        return OF_POSTGRESQL, connection.execute(select(POSTGRESQL_SECONDS)).scalar_one()
    return boot_id(), seconds_since_start()
