"""Encrypts texts with AES-GCM, under numbered keys, so that a key can be replaced while older texts are still read."""

from __future__ import annotations

import base64
import os
from typing import TYPE_CHECKING

from sqlalchemy import Connection

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

CACHED = "kontor_body_sealer"
"""An option of an engine: its sealer, once the key was read."""
PREFIX = "~"
"""Begins every sealed text: no JSON text and no URL begins so."""
NONCE_BYTES = 12


class BodySealer:
    """Encrypts with the newest key and decrypts with any."""

    def __init__(self, keys: dict[int, bytes]) -> None:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        self._keys: dict[int, AESGCM] = {number: AESGCM(key) for number, key in keys.items()}
        newest = max(keys)
        self._newest, self._head = self._keys[newest], f"{PREFIX}{newest}{PREFIX}"

    def seal(self, text: str) -> str:
        """Encrypt a text."""
        nonce = os.urandom(NONCE_BYTES)
        return self._head + base64.b64encode(nonce + self._newest.encrypt(nonce, text.encode(), None)).decode("ascii")

    def open(self, sealed: str) -> str | None:
        """Decrypt a text; None when it was encrypted with a key that is not known here, or changed."""
        from cryptography.exceptions import InvalidTag

        number, _, content = sealed[1:].partition(PREFIX)
        key = self._keys.get(int(number)) if number.isdecimal() else None
        try:
            whole = base64.b64decode(content)
            return None if key is None else key.decrypt(whole[:NONCE_BYTES], whole[NONCE_BYTES:], None).decode()
        except (InvalidTag, ValueError):
            return None


class Unsealed(BodySealer):
    """Stands for the sealer where this process has not the data key: texts are stored as they are."""

    def __init__(self) -> None:
        """Needs no key."""

    def seal(self, text: str) -> str:
        """Return the text as it is."""
        return text

    def open(self, sealed: str) -> str | None:
        """Decrypt nothing."""
        return None


def cached_sealer(connection: Connection) -> BodySealer | None:
    """Return the sealer without reading anything; None when its key was not read yet."""
    cached: BodySealer | None = connection.engine.get_execution_options().get(CACHED)
    return cached
