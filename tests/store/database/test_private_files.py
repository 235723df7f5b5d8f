"""The data folder and the database are private to their owner, whatever the umask and whatever was there before."""

from __future__ import annotations

import stat
import subprocess
import sys
from pathlib import Path

import pytest

from connector.store import open_database

SCRIPT = """
import os, stat, sys
from pathlib import Path
os.umask(int(sys.argv[2], 8))
from sqlalchemy import text
from connector.store import open_database
database = open_database(sys.argv[1])
database.write(lambda connection: connection.execute(text("UPDATE schema_version SET version = version"))).result()
for path in sorted([Path(sys.argv[1]), *Path(sys.argv[1]).iterdir()]):
    print(path.name, oct(stat.S_IMODE(path.stat().st_mode)))
"""


def modes(folder: Path, umask: str) -> dict[str, str]:
    """Open the database in a process with this umask, and return the modes while it is open."""
    done = subprocess.run([sys.executable, "-c", SCRIPT, folder, umask], check=True, capture_output=True, text=True)
    return dict(line.split() for line in done.stdout.splitlines())


PRIVATE = {"kontor.db": "0o600", "kontor.db-wal": "0o600", "kontor.db-shm": "0o600"}


@pytest.mark.parametrize("umask", ["000", "022", "077"])
def test_a_new_folder_and_its_database_are_private(tmp_path: Path, umask: str) -> None:
    assert modes(tmp_path / "data", umask) == {"data": "0o700", **PRIVATE}


def test_a_folder_that_was_there_and_open_becomes_private(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    folder.chmod(0o755)
    assert modes(folder, "022") == {"data": "0o700", **PRIVATE}


def test_a_database_that_was_open_to_others_becomes_private_with_the_files_beside_it(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    database = open_database(str(folder))
    for path in folder.iterdir():
        path.chmod(0o644)
    assert modes(folder, "022") == {"data": "0o700", **PRIVATE}
    database.close()


def test_a_folder_for_everybody_stays_so_and_the_database_in_it_is_private(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o1777)
    open_database(str(folder)).close()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o1777
    assert stat.S_IMODE((folder / "kontor.db").stat().st_mode) == 0o600
