"""Encrypts bodies at rest (runs, items, deliveries, events, target URLs) with AES-GCM, under numbered keys.

Encrypts texts with AES-GCM, under numbered keys, so that a key can be replaced while older texts are still read.

The key is random and kept in the database, encrypted with the data key: so replacing the data key touches few rows, and
a body costs microseconds. Bodies from before are in clear, and are read as they are. A process that has not the data
key of the database, as a command line beside a host on PostgreSQL may be, reads from the service, but stores no body.
Only a PostgreSQL database that no host has used yet, to which no data key was ever given, holds them in clear.
"""

from __future__ import annotations

import hmac
import os
import secrets
import time
from base64 import b64decode, b64encode
from collections.abc import Iterable
from hashlib import sha256
from typing import TYPE_CHECKING

from sqlalchemy import Connection, select

from connector.core.errors import InputError
from connector.core.messages import say
from connector.store.database.statements import insert_if_absent
from connector.store.schema import body_keys, kontor_database
from connector.store.trust.audit_keys import LOCATION
from connector.store.trust.vault import VARIABLE, Vault, remember_data_key

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

CACHED = "kontor_body_sealer"
"""An option of an engine: its sealer, once the key was read."""
PREFIX, MARK = "~", b"~"
"""Begins every sealed text: no JSON text and no URL begins so."""
NONCE_BYTES = 12
NONCES = 1 << 8 * NONCE_BYTES
Sealed = str | bytes
"""SQLite takes bytes in a column of texts, which saves writing and reading them as base64."""


BOUND = "+"
"""Stands behind the number of the key where a text was encrypted for one row."""


class BodyAltered(InputError):
    """A text was changed, or belongs to another row."""

    def __init__(self) -> None:
        remedy = say("body_altered_remedy")
        super().__init__(say("body_altered"), remedy=remedy, field="inputs", reason="body_altered")


class BodySealer:
    """Encrypts with the newest key and decrypts with any."""

    def __init__(self, keys: dict[int, bytes], *, as_bytes: bool) -> None:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        self._keys: dict[int, AESGCM] = {number: AESGCM(key) for number, key in keys.items()}
        newest = max(keys)
        self._newest, self._head = self._keys[newest], f"{PREFIX}{newest}{PREFIX}".encode()
        self._bound_head = f"{PREFIX}{newest}{BOUND}{PREFIX}".encode()
        self._oldest = keys[min(keys)]
        self._as_bytes = as_bytes

    def seal(self, text: str, row: str | None = None) -> Sealed:
        """Encrypt a text, for one row if it is named: it opens for no other."""
        return self.seal_each([text], row)[0]

    def seal_each(self, texts: Iterable[str | bytes], row: str | None = None) -> list[Sealed]:
        """Encrypt texts, already in UTF-8 or not, with numbers used once that count up from a random one."""
        first = int.from_bytes(os.urandom(NONCE_BYTES), "big")
        head, about = (self._head, None) if row is None else (self._bound_head, row.encode())
        encrypt, sealed = self._newest.encrypt, list[Sealed]()
        for number, text in enumerate(texts, first):
            nonce = (number % NONCES).to_bytes(NONCE_BYTES, "big")
            hidden = encrypt(nonce, text if isinstance(text, bytes) else text.encode(), about)
            if self._as_bytes:
                sealed.append(b"".join((head, nonce, hidden)))
            else:
                sealed.append((head + b64encode(nonce + hidden)).decode("ascii"))
        return sealed

    def digest(self, text: str) -> str:
        """Return what stands for a text by which rows are found, and tells nothing without the key."""
        return hmac.new(self._oldest, text.encode(), sha256).hexdigest()

    def open(self, sealed: Sealed, row: str | None = None) -> str | None:
        """Decrypt a text; None when its key is not known here. Raise `BodyAltered` when it is another row's."""
        from cryptography.exceptions import InvalidTag

        if isinstance(sealed, str):
            head, content = sealed[1:].split(PREFIX, 1)
        else:
            first, content_bytes = sealed[1:].split(MARK, 1)
            head = first.decode("ascii", "replace")
        try:
            number = int(head.removesuffix(BOUND))
            whole = b64decode(content) if isinstance(sealed, str) else content_bytes
            if (key := self._keys.get(number)) is None:
                return None
            about = (row or "").encode() if head.endswith(BOUND) else None
            return key.decrypt(whole[:NONCE_BYTES], whole[NONCE_BYTES:], about).decode()
        except InvalidTag:
            raise BodyAltered from None
        except ValueError:
            return None


class InClear(BodySealer):
    """Stands for the sealer of a shared database without a data key, since no host uses it: texts stay as they are."""

    def __init__(self) -> None:
        """Needs no key."""

    def seal_each(self, texts: Iterable[str | bytes], row: str | None = None) -> list[Sealed]:
        """Return the texts as they are."""
        return [text.decode() if isinstance(text, bytes) else text for text in texts]

    def digest(self, text: str) -> str:
        """Return the digest of a text that stands in clear anyway."""
        return sha256(text.encode()).hexdigest()

    def open(self, sealed: Sealed, row: str | None = None) -> str | None:
        """Decrypt nothing."""
        return None


class NoSealer(BodySealer):
    """Stands for the sealer where the database has a data key and this process has not: nothing is stored in clear."""

    def __init__(self, reason: InputError) -> None:
        """`reason` says why there is no key, and what to do."""
        self._reason = reason

    def seal_each(self, texts: Iterable[str | bytes], row: str | None = None) -> list[Sealed]:
        """Refuse to store texts."""
        raise self._reason.with_traceback(None)  # it is raised again and again

    def digest(self, text: str) -> str:
        """Refuse, since nothing can be found."""
        raise self._reason.with_traceback(None)

    def open(self, sealed: Sealed, row: str | None = None) -> str | None:
        """Decrypt nothing."""
        return None


def is_sealed(stored: Sealed) -> bool:
    """Whether a stored text is encrypted."""
    return isinstance(stored, bytes) or stored.startswith(PREFIX)


def cached_sealer(connection: Connection) -> BodySealer | None:
    """Return the sealer without reading anything; None when its key was not read yet."""
    cached: BodySealer | None = connection.engine.get_execution_options().get(CACHED)
    return cached


def is_bound(stored: Sealed) -> bool:
    """Whether a stored text was encrypted for its row."""
    mark = stored[1:].split(MARK, 1)[0] if isinstance(stored, bytes) else stored[1:].split(PREFIX, 1)[0].encode()
    return is_sealed(stored) and mark.endswith(BOUND.encode())


def seal(connection: Connection, text: str, row: str | None = None) -> Sealed:
    """Encrypt a text before it is stored, for one row if it is named; raise when this process has not the data key."""
    return _sealer(connection).seal(text, row)


def digest(connection: Connection, text: str) -> str:
    """Return what stands for a text by which rows are found; raise when this process has not the data key."""
    return _sealer(connection).digest(text)


def seal_each(connection: Connection, texts: Iterable[str | bytes], without_key: str | None = None) -> list[Sealed]:
    """Encrypt many texts, already in UTF-8 or not.

    Where they may be left out, `without_key` stands for each if this process has not the data key.
    """
    sealer = _sealer(connection)
    if without_key is not None and isinstance(sealer, NoSealer):
        return [without_key for _ in texts]
    return sealer.seal_each(texts)


def opened(connection: Connection, stored: Sealed, row: str | None = None) -> str:
    """Return a stored text of a row in clear; raise when this process has not the data key."""
    if not is_sealed(stored):
        return str(stored)
    for fresh in (False, True):  # another process may have added a key since
        text = _sealer(connection, fresh=fresh).open(stored, row)
        if text is not None:
            return text
    if type(_sealer(connection)) is BodySealer:  # it has all keys that there are
        raise BodyAltered
    raise InputError(say("vault_wrong_key"), remedy=say("vault_wrong_key_remedy"), field=VARIABLE)


def add_key(connection: Connection, vault: Vault) -> None:
    """Add a key that encrypts from now on; those from before still decrypt."""
    newest = max(connection.execute(select(body_keys.c.number)).scalars(), default=0)
    row = {"number": newest + 1, "sealed_key": vault.seal(secrets.token_hex(32)), "made_at": time.time()}
    insert_if_absent(connection, body_keys, row)


def _sealer(connection: Connection, *, fresh: bool = False) -> BodySealer:
    cached = cached_sealer(connection)
    if cached is not None and not fresh:
        return cached
    try:
        return _read_or_create(connection, connection.engine.get_execution_options().get(LOCATION))
    except InputError as reason:
        if cached is None:
            cached = NoSealer(reason) if _has_data_key(connection) else InClear()
            connection.engine.update_execution_options(**{CACHED: cached})
        return cached


def _read_or_create(connection: Connection, location: str | None) -> BodySealer:
    vault = Vault(location, may_create=not _has_data_key(connection))
    # Only what is committed is kept in memory: a key that this transaction adds may be undone with it.
    with connection.engine.connect() as other:
        committed = _keys(other, vault)
    found = _keys(connection, vault)
    if not found:
        remember_data_key(connection, vault)
        add_key(connection, vault)
        found = _keys(connection, vault)
    sealer = BodySealer(found, as_bytes=connection.dialect.name == "sqlite")
    if found == committed:
        connection.engine.update_execution_options(**{CACHED: sealer})
    return sealer


def _has_data_key(connection: Connection) -> bool:
    return connection.execute(select(kontor_database.c.key_check)).scalar_one() is not None


def _keys(connection: Connection, vault: Vault) -> dict[int, bytes]:
    rows = connection.execute(select(body_keys.c.number, body_keys.c.sealed_key))
    return {row.number: bytes.fromhex(vault.open(row.sealed_key)) for row in rows}
