"""The clock that all processes on one database share, which no step of a host's wall clock disturbs.

PostgreSQL has its own. With SQLite all processes are on one machine: seconds since it was started, suspended time
included; they can only be compared until it is started again, so the clock has a name.
"""

from __future__ import annotations

from sqlalchemy import Connection, Float, cast, func, select
from sqlalchemy.sql.elements import ColumnElement

from connector.store.machine_clock import boot_id, seconds_since_start

OF_POSTGRESQL = "database"
POSTGRESQL_SECONDS: ColumnElement[float] = cast(func.extract("epoch", func.clock_timestamp()), Float(53))


def name_and_seconds(connection: Connection) -> tuple[str, float]:
    """Return the clock's name and its time."""
    if connection.dialect.name == "postgresql":
        return OF_POSTGRESQL, connection.execute(select(POSTGRESQL_SECONDS)).scalar_one()
    return boot_id(), seconds_since_start()
