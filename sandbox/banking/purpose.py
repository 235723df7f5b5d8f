"""Formats and parses SEPA purpose texts with labels."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from connector.sandbox.banking.state import ParsedPurpose

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
    found = {label.lower(): value.strip() for label, value in zip(parts[1::2], parts[2::2], strict=True)}
    found.pop("eref", None)
    plain = parts[0].strip()
    if plain and "svwz" not in found:
        found["svwz"] = plain
    return found
