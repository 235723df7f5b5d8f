"""SEPA: IBANs, and purpose texts with labels."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from connector.sandbox.banking.state import ParsedPurpose

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


_LABELS = (*(name.upper() for name in ParsedPurpose.__struct_fields__), "EREF")
_SPLIT = re.compile(rf"\b({'|'.join(_LABELS)})\+")


def write_purpose(**fields: str | None) -> str:
    """Format `svwz="Miete", cred="DE98…"` as `SVWZ+Miete CRED+DE98…`."""
    return " ".join(f"{label.upper()}+{text}" for label, text in fields.items() if text)


def parse_purpose(text: str) -> ParsedPurpose:
    """Parse the labelled fields; a text without labels is SVWZ."""
    return ParsedPurpose(**_labelled(text))


@lru_cache(maxsize=1024)
def _labelled(text: str) -> Mapping[str, str]:
    parts = _SPLIT.split(text)
    by_label = {label.lower(): value.strip() for label, value in zip(parts[1::2], parts[2::2], strict=True)}
    by_label.pop("eref", None)
    plain = parts[0].strip()
    if plain and "svwz" not in by_label:
        by_label["svwz"] = plain
    return by_label
