"""Encrypts API keys and secrets before they are stored, with a key that is not in the database.

The key comes from `KONTOR_DATA_KEY`, or from the file `kontor.key` beside the database, which is created when first
needed and readable by its owner only. A PostgreSQL database is shared by several hosts, which all need the same key:
there, it is never generated, but read from the environment or from that file in the user's data folder.
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
    """Encrypts and decrypts texts."""

    def __init__(
        self, data_location: str | None = None, env: Mapping[str, str] = os.environ, *, may_create: bool = True
    ) -> None:
        """`data_location` is that of the database: a folder, or the URL of a PostgreSQL database.

        Without `may_create`, a missing key is an error instead of being created.
        """
        self._fernet = _fernet(data_location or usual_location(env), env, may_create)

    def seal(self, text: str) -> str:
        """Encrypt a text."""
        return self._fernet.encrypt(text.encode()).decode()

    def open(self, sealed: str) -> str:
        """Decrypt a text."""
        try:
            return self._fernet.decrypt(sealed.encode()).decode()
        except InvalidToken:
            raise InputError(say("vault_wrong_key"), remedy=say("vault_wrong_key_remedy"), field=VARIABLE) from None


def _fernet(location: str, env: Mapping[str, str], may_create: bool) -> Fernet:
    given = env.get(VARIABLE, "").strip()
    source = VARIABLE
    if not given:
        shared = "://" in location
        folder = usual_location({**env, "KONTOR_DATA": ""}) if shared else location
        path = Path(folder).expanduser() / FILE
        given, source = _read_key_file(path, may_create=may_create and not shared), str(path)
    try:
        return Fernet(given)
    except ValueError:
        raise InputError(
            say("vault_key_invalid", source=source), remedy=say("vault_key_remedy"), field=VARIABLE
        ) from None


def _read_key_file(path: Path, *, may_create: bool) -> str:
    try:
        if may_create and not path.exists():
            _create_key_file(path)
        return path.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        raise InputError(
            say("vault_key_missing"), remedy=say("vault_key_remedy"), field=VARIABLE, reason="vault_key_missing"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or type(error).__name__
        message = say("vault_key_unreadable", path=path, why=why)
        raise InputError(message, remedy=say("vault_key_remedy"), field=VARIABLE) from None


def _create_key_file(path: Path) -> None:
    """Create the key file atomically; when two hosts create it at once, both use the first one's."""
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
