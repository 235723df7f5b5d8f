"""Passphrases: kept as scrypt hashes, each with its own salt and the cost that it was made with."""

from __future__ import annotations

import hmac
import os
import unicodedata
from base64 import b64decode, b64encode

from connector.core.errors import InputError
from connector.core.messages import say
from connector.core.writes.person_names import skeleton

MIN_CHARACTERS, MAX_CHARACTERS, MIN_DIFFERENT = 12, 200, 5
LOG_COST, BLOCK, LANES = 16, 8, 2
"""64 MB and about 0.3 seconds for each guess, as OWASP recommends for scrypt."""
SALT_BYTES, HASH_BYTES = 16, 32
NOBODY = ""
"""Stands for the hash of somebody who is unknown: comparing takes as long as with a known one."""


def check(text: str, name: str) -> None:
    """Raise for a passphrase that is easily guessed."""
    if not MIN_CHARACTERS <= len(text) <= MAX_CHARACTERS:
        raise InputError(say("passphrase_length", least=MIN_CHARACTERS, most=MAX_CHARACTERS), field="passphrase")
    rest = skeleton(text).replace(skeleton(name), "") if skeleton(name) else text
    if len(set(text.casefold())) < MIN_DIFFERENT or (len(rest) < MIN_DIFFERENT and rest != text):
        raise InputError(say("passphrase_weak"), field="passphrase")


def hashed(text: str) -> str:
    """Return what is stored of a passphrase."""
    salt = os.urandom(SALT_BYTES)
    parts = (b64encode(part).decode() for part in (salt, _derive(text, salt, LOG_COST, BLOCK, LANES)))
    return "$".join(("scrypt", str(LOG_COST), str(BLOCK), str(LANES), *parts))


def matches(text: str, stored: str) -> bool:
    """Whether a passphrase is the one that was stored."""
    if stored == NOBODY:
        _derive(text, bytes(SALT_BYTES), LOG_COST, BLOCK, LANES)
        return False
    _, cost, block, lanes, salt, expected = stored.split("$")
    derived = _derive(text, b64decode(salt), int(cost), int(block), int(lanes))
    return hmac.compare_digest(derived, b64decode(expected))


def _derive(text: str, salt: bytes, log_cost: int, block: int, lanes: int) -> bytes:
    from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

    kdf = Scrypt(salt=salt, length=HASH_BYTES, n=1 << log_cost, r=block, p=lanes)
    return kdf.derive(unicodedata.normalize("NFKC", text[:MAX_CHARACTERS]).encode("utf-8", "surrogatepass"))
