"""The vault: encrypts API keys and secrets before they are stored, with a key that is not in the database.

The key comes from `KONTOR_DATA_KEY`, or from the file `kontor.key` beside the database, which is made when it is first
needed and readable by its owner only. A PostgreSQL database is shared by several hosts, which must all have the same
key: there, it is never made up, but taken from the environment or from that file in the user's data folder.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from cryptography.fernet import Fernet, InvalidToken

from connector.core.errors import InputError
from connector.core.messages import say
from connector.store.database import data_location as usual_location

VARIABLE = "KONTOR_DATA_KEY"
FILE = "kontor.key"


class Vault:
    """Seals texts and opens them again."""

    def __init__(self, data_location: str | None = None, env: Mapping[str, str] = os.environ) -> None:
        """`data_location` is the database's: a folder, or the URL of a PostgreSQL database."""
        self._fernet = _fernet(data_location or usual_location(env), env)

    def seal(self, text: str) -> str:
        """The text, encrypted."""
        return self._fernet.encrypt(text.encode()).decode()

    def open(self, sealed: str) -> str:
        """The text again."""
        try:
            return self._fernet.decrypt(sealed.encode()).decode()
        except InvalidToken:
            raise InputError(say("vault_wrong_key"), remedy=say("vault_wrong_key_remedy"), field=VARIABLE) from None


def _fernet(location: str, env: Mapping[str, str]) -> Fernet:
    given = env.get(VARIABLE, "").strip()
    source = VARIABLE
    if not given:
        shared = "://" in location
        folder = usual_location({**env, "KONTOR_DATA": ""}) if shared else location
        path = Path(folder).expanduser() / FILE
        given, source = _read(path, may_make=not shared), str(path)
    try:
        return Fernet(given)
    except ValueError:
        raise InputError(
            say("vault_key_invalid", source=source), remedy=say("vault_key_remedy"), field=VARIABLE
        ) from None


def _read(path: Path, *, may_make: bool) -> str:
    try:
        if may_make and not path.exists():
            _make(path)
        return path.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        raise InputError(say("vault_key_missing"), remedy=say("vault_key_remedy"), field=VARIABLE) from None
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or type(error).__name__
        message = say("vault_key_unreadable", path=path, why=why)
        raise InputError(message, remedy=say("vault_key_remedy"), field=VARIABLE) from None


def _make(path: Path) -> None:
    """Makes the key file whole or not at all; of two hosts that make it at once, both use the first one's."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, aside = tempfile.mkstemp(dir=path.parent, prefix=f".{FILE}")  # readable by its owner only
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(Fernet.generate_key())
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileExistsError):
            os.link(aside, path)
    finally:
        Path(aside).unlink()
