"""Validates IBANs and builds German ones."""

from __future__ import annotations

import re

_SHAPE = re.compile(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}", re.ASCII)
_GERMAN_LENGTH = 22


def is_iban(text: str) -> bool:
    if not _SHAPE.fullmatch(text) or (text.startswith("DE") and len(text) != _GERMAN_LENGTH):
        return False
    return _remainder(text) == 1


def german_iban(bank_code: int, account_number: int) -> str:
    rest = f"{bank_code:08d}{account_number:010d}"
    return f"DE{98 - _remainder('DE00' + rest):02d}{rest}"


def _remainder(iban: str) -> int:
    """Compute ISO 7064 mod 97: first four characters to the end, letters as 10 to 35."""
    return int("".join(str(int(sign, 36)) for sign in iban[4:] + iban[:4])) % 97
