"""Runs the migrations that a database lacks. Imports Alembic, so this module itself is imported only when needed."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

FOLDER = Path(__file__).parent


def migrate(connection: Connection, target: str = "head") -> None:
    """Run the missing migrations in the caller's transaction, and record which code may use the database afterwards."""
    config = _config()
    config.attributes["connection"] = connection
    command.upgrade(config, target)
    oldest = {"oldest": oldest_code(target)}
    connection.execute(text("UPDATE kontor_database SET oldest_code = :oldest"), oldest)
    # Code from before Alembic knows only this table, and refuses a number above its own.
    connection.execute(text("UPDATE schema_version SET version = :oldest"), oldest)


def oldest_code(target: str = "head") -> int:
    """Return the oldest revision whose code may use a database at `target`: the highest that a migration states."""
    revisions = ScriptDirectory.from_config(_config()).walk_revisions("base", target)
    return max(cast("int", revision.module.oldest_code) for revision in revisions)


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config
