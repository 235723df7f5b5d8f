"""Encrypts API keys and secrets with the data key, which is not in the database, and checks that it is the right one.

The key comes from `KONTOR_DATA_KEY`, or from the file `kontor.key` beside the database, which is created when first
needed and readable by its owner only. A PostgreSQL database is shared by several hosts, which all need the same key:
there, it is never generated, but read from the environment or from that file in the user's data folder.

While the key is replaced there are two: the variable holds several with blanks between, the newest first; beside the
file lies the former one, `kontor.key.old`. The newest encrypts, each decrypts; a running process notices the change.

The first data key is remembered by a constant encrypted with it. With another key, nothing stored could be decrypted,
and whatever is stored anew would be lost to the hosts that have the right one.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from sqlalchemy import Connection, select, update

from connector.core.errors import InputError
from connector.core.messages import say
from connector.store.database.database import Database
from connector.store.database.errors import DataKeyWrong
from connector.store.database.files import data_location as usual_location
from connector.store.schema import body_keys, credentials, kontor_database

VARIABLE = "KONTOR_DATA_KEY"
FILE = "kontor.key"
FORMER = ".old"
"""Ends the name of the file with the former key."""


class Vault:
    """Encrypts and decrypts texts."""

    def __init__(
        self, data_location: str | None = None, env: Mapping[str, str] = os.environ, *, may_create: bool = True
    ) -> None:
        """`data_location` is that of the database: a folder, or the URL of a PostgreSQL database.

        Without `may_create`, a missing key is an error instead of being created.
        """
        self._given = env.get(VARIABLE, "").replace(",", " ").split()
        location = data_location or usual_location(env)
        shared = "://" in location
        folder = usual_location({**env, "KONTOR_DATA": ""}) if shared else location
        self._path = Path(folder).expanduser() / FILE
        self._seen = () if self._given else _state(self._path)
        self._load(may_create=may_create and not shared)

    @property
    def key_file(self) -> Path | None:
        """The file with the key; None when the environment gives it."""
        return None if self._given else self._path

    @property
    def has_changed(self) -> bool:
        """Whether the key file was replaced since it was read."""
        return not self._given and _state(self._path) != self._seen

    @property
    def has_former_key(self) -> bool:
        """Whether what was encrypted with an earlier key can still be decrypted."""
        self._refresh()
        return self._former

    def seal(self, text: str) -> str:
        """Encrypt a text."""
        self._refresh()
        return self._newest.encrypt(text.encode()).decode()

    def open(self, sealed: str) -> str:
        """Decrypt a text."""
        self._refresh()
        try:
            return self._all.decrypt(sealed.encode()).decode()
        except InvalidToken:
            raise InputError(say("vault_wrong_key"), remedy=say("vault_wrong_key_remedy"), field=VARIABLE) from None

    def renewed(self, sealed: str) -> str | None:
        """Return a text encrypted with the newest key; None when it already is."""
        return None if self.is_newest(sealed) else self.seal(self.open(sealed))

    def is_newest(self, sealed: str) -> bool:
        """Whether a text was encrypted with the newest key."""
        self._refresh()
        try:
            self._newest.decrypt(sealed.encode())
        except InvalidToken:
            return False
        return True

    def _refresh(self) -> None:
        """Read the key file again when it has changed."""
        if not self._given and (found := _state(self._path)) != self._seen:
            self._seen = found
            self._load(may_create=False)

    def _load(self, *, may_create: bool) -> None:
        if self._given:
            keys, source = self._given, VARIABLE
        else:
            keys, source = [read_key_file(self._path, may_create=may_create)], str(self._path)
            self._seen = _state(self._path)
            former = former_file(self._path)
            if former.exists():
                keys.append(read_key_file(former, may_create=False))
        fernets = _fernets(keys, source)
        self._newest, self._all, self._former = fernets[0], MultiFernet(fernets), len(set(keys)) > 1


def _fernets(keys: Sequence[str], source: str) -> list[Fernet]:
    try:
        return [Fernet(key) for key in keys]
    except ValueError:
        raise InputError(
            say("vault_key_invalid", source=source), remedy=say("vault_key_remedy"), field=VARIABLE
        ) from None


def former_file(path: Path) -> Path:
    """Return where the former key lies while it is replaced."""
    return path.with_name(path.name + FORMER)


def _state(path: Path) -> tuple[int, ...]:
    """Return numbers that change with the key files."""
    numbers: list[int] = []
    for one in (path, former_file(path)):
        try:
            found = one.stat()
            numbers += (found.st_ino, found.st_mtime_ns)
        except OSError:
            numbers.append(0)
    return tuple(numbers)


def read_key_file(path: Path, *, may_create: bool) -> str:
    """Return the key in a file, which is created if needed."""
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
    aside = write_new_key(path)
    try:
        with contextlib.suppress(FileExistsError):
            os.link(aside, path)
    finally:
        aside.unlink()


def write_new_key(path: Path) -> Path:
    """Write a new key to a file beside `path`, and return that file."""
    handle, aside = tempfile.mkstemp(dir=path.parent, prefix=f".{FILE}")  # readable by its owner only
    with os.fdopen(handle, "wb") as file:
        file.write(Fernet.generate_key())
        file.flush()
        os.fsync(file.fileno())
    return Path(aside)


KEY_KNOWN, NEW, SEALED, REPLACED = "kontor", "kontor: new", "kontor: rights sealed", "kontor: keys replaced"
"""What the constant is in a database that older code has used, in a new one, once its rights are in the register, and
once its data key was replaced.

It tells which rows the register may take over as they are; nobody can write another without the data key. Keys that are
kept in the database say what they are for since they were replaced once: from then on, none is taken for another.
"""
KEY_MARK = "kontor key"
"""Begins such a key; no API key, secret or URL holds the line breaks behind it."""


def named_key(purpose: str, number: int, content: str) -> str:
    """Return a key, or what belongs to it, as it is encrypted: with what it is for, and its number."""
    return "\n".join((KEY_MARK, purpose, str(number), content))


def content_of(text: str, purpose: str) -> tuple[int, str] | None:
    """Return number and content of such a key; None when it is for something else."""
    mark, _, rest = text.partition("\n")
    known, _, rest = rest.partition("\n")
    number, _, content = rest.partition("\n")
    is_right = mark == KEY_MARK and known == purpose and number.isascii() and number.isdecimal()
    return (int(number), content) if is_right else None


def open_key(vault: Vault, sealed: str, check: str | None, purpose: str) -> tuple[int, bytes]:
    """Return number and key of what is stored as the key for a purpose; raise when it is another.

    `check` is the constant; before a data key was ever replaced, a key does not say what it is for.
    """
    text = vault.open(sealed)
    found = content_of(text, purpose)
    if found is None and check is not None and vault.open(check) != REPLACED:
        found = 1, text
    try:
        if found is not None:
            return found[0], bytes.fromhex(found[1])
    except ValueError:
        pass
    raise InputError(say("vault_wrong_key"), remedy=say("vault_wrong_key_remedy"), field=VARIABLE)


def open_vault(database: Database, data_location: str, env: Mapping[str, str] = os.environ) -> Vault:
    """Return the vault with the database's data key; a key is created only for a database that has none."""
    has_key = database.read(_key_check) is not None
    try:
        vault = Vault(data_location, env, may_create=not has_key)
    except InputError as error:
        if has_key and error.reason == "vault_key_missing":
            raise _wrong_key() from None
        raise
    database.write(lambda connection: remember_data_key(connection, vault)).result()
    return vault


def remember_data_key(connection: Connection, vault: Vault) -> None:
    """Raise unless the vault has the database's data key; if the database has none yet, remember this one."""
    if _key_check(connection) is None:
        _check_credentials(connection, vault)
        # A used one has a constant, unless somebody has removed it: then nothing is taken over.
        unset, told = kontor_database.c.key_check.is_(None), REPLACED if is_used(connection) else NEW
        connection.execute(update(kontor_database).where(unset).values(key_check=vault.seal(told)))
    check_data_key(connection, vault)


def check_data_key(connection: Connection, vault: Vault) -> None:
    """Raise when the database has another data key."""
    sealed = _key_check(connection)
    if sealed is not None and not _opens(vault, sealed):
        raise _wrong_key()


def is_used(connection: Connection) -> bool:
    """Whether a data key was used here, so that the constant was there, whoever has removed it."""
    any_body_key = connection.execute(select(body_keys.c.number).limit(1)).first() is not None
    return any_body_key or connection.execute(select(kontor_database.c.audit_key)).scalar_one() is not None


def _key_check(connection: Connection) -> str | None:
    sealed: str | None = connection.execute(select(kontor_database.c.key_check)).scalar_one()
    return sealed


def _check_credentials(connection: Connection, vault: Vault) -> None:
    """Check the key by the credentials of a database that is older than the remembered key."""
    kept = select(credentials.c.sealed_key).where(credentials.c.revoked_at.is_(None))
    sealed = connection.execute(kept).scalars().all()
    if sealed and not any(_opens(vault, one) for one in sealed):
        raise _wrong_key()


def _opens(vault: Vault, sealed: str) -> bool:
    try:
        vault.open(sealed)
    except InputError:
        return False
    return True


def _wrong_key() -> DataKeyWrong:
    return DataKeyWrong(say("store_wrong_key"), remedy=say("store_wrong_key_remedy"), field=VARIABLE)
