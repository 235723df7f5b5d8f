"""Encrypts texts with AES-GCM, under numbered keys, so that a key can be replaced while older texts are still read."""

from __future__ import annotations

import os
from base64 import b64decode, b64encode
from collections.abc import Iterable
from typing import TYPE_CHECKING

from sqlalchemy import Connection

from connector.core.errors import InputError

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


class BodySealer:
    """Encrypts with the newest key and decrypts with any."""

    def __init__(self, keys: dict[int, bytes], *, as_bytes: bool) -> None:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        self._keys: dict[int, AESGCM] = {number: AESGCM(key) for number, key in keys.items()}
        newest = max(keys)
        self._newest, self._head = self._keys[newest], f"{PREFIX}{newest}{PREFIX}".encode()
        self._as_bytes = as_bytes

    def seal(self, text: str) -> Sealed:
        """Encrypt a text."""
        return self.seal_each([text])[0]

    def seal_each(self, texts: Iterable[str | bytes]) -> list[Sealed]:
        """Encrypt texts, already in UTF-8 or not, with numbers used once that count up from a random one."""
        first = int.from_bytes(os.urandom(NONCE_BYTES), "big")
        head, encrypt, sealed = self._head, self._newest.encrypt, list[Sealed]()
        for number, text in enumerate(texts, first):
            nonce = (number % NONCES).to_bytes(NONCE_BYTES, "big")
            hidden = encrypt(nonce, text if isinstance(text, bytes) else text.encode(), None)
            if self._as_bytes:
                sealed.append(b"".join((head, nonce, hidden)))
            else:
                sealed.append((head + b64encode(nonce + hidden)).decode("ascii"))
        return sealed

    def open(self, sealed: Sealed) -> str | None:
        """Decrypt a text; None when it was encrypted with a key that is not known here, or changed."""
        from cryptography.exceptions import InvalidTag

        head, content = sealed[1:].split(PREFIX, 1) if isinstance(sealed, str) else sealed[1:].split(MARK, 1)
        try:
            key = self._keys.get(int(head))
            whole = b64decode(content) if isinstance(content, str) else content
            return None if key is None else key.decrypt(whole[:NONCE_BYTES], whole[NONCE_BYTES:], None).decode()
        except (InvalidTag, ValueError):
            return None


class InClear(BodySealer):
    """Stands for the sealer of a shared database without a data key, since no host uses it: texts stay as they are."""

    def __init__(self) -> None:
        """Needs no key."""

    def seal_each(self, texts: Iterable[str | bytes]) -> list[Sealed]:
        """Return the texts as they are."""
        return [text.decode() if isinstance(text, bytes) else text for text in texts]

    def open(self, sealed: Sealed) -> str | None:
        """Decrypt nothing."""
        return None


class NoSealer(BodySealer):
    """Stands for the sealer where the database has a data key and this process has not: nothing is stored in clear."""

    def __init__(self, reason: InputError) -> None:
        """`reason` says why there is no key, and what to do."""
        self._reason = reason

    def seal_each(self, texts: Iterable[str | bytes]) -> list[Sealed]:
        """Refuse to store texts."""
        raise self._reason.with_traceback(None)  # it is raised again and again

    def open(self, sealed: Sealed) -> str | None:
        """Decrypt nothing."""
        return None


def is_sealed(stored: Sealed) -> bool:
    """Whether a stored text is encrypted."""
    return isinstance(stored, bytes) or stored.startswith(PREFIX)


def cached_sealer(connection: Connection) -> BodySealer | None:
    """Return the sealer without reading anything; None when its key was not read yet."""
    cached: BodySealer | None = connection.engine.get_execution_options().get(CACHED)
    return cached
