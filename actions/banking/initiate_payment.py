"""Checks a payment before it leaves: an amount and a currency that SEPA carries, and texts that arrive as written.

Names and purposes may hold any Latin letter: banks turn é into e by themselves, and nothing is lost. The end-to-end
reference is compared by machines, so there only what travels unchanged is accepted.
"""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal
from typing import Any

from connector.core.problem import Problem
from connector.core.values.money import total

LARGEST = Decimal("999999999.99")
FREE_TEXTS = ("creditor_name", "description", "reference")
_NOT_IN_A_REFERENCE = re.compile(r"[^A-Za-z0-9/\-?:().,'+ ]")
_LETTERS_WITHOUT_PARTS = frozenset("ßẞÆæŒœØøŁłĐđÞþıÐð€£§°‐‑–—‘’‚“”„«»")
"""Latin letters and signs that are common in names and purposes, and have no plain letter inside."""


def check(inputs: dict[str, Any]) -> None:
    """Refuse what the bank would refuse later, or change on the way."""
    _check_amount(inputs["amount"])
    if inputs["currency_code"] != "EUR":
        template = inputs["template_identifier"]
        raise Problem("currency_not_sepa", field="currency_code", currency=inputs["currency_code"], template=template)
    for name in FREE_TEXTS:
        _check_text(name, inputs.get(name, ""))
    _check_reference(inputs.get("end_to_end_id", ""))


def _check_amount(amount: Decimal) -> None:
    if amount <= 0:
        raise Problem("amount_not_positive", field="amount", amount=amount)
    if amount > LARGEST:
        difference = total([amount, LARGEST.copy_negate()])
        written_out = total([amount])
        raise Problem("amount_too_large", field="amount", amount=written_out, limit=LARGEST, difference=difference)


def _check_text(name: str, text: str) -> None:
    for position, sign in enumerate(text, start=1):
        if not sign.isprintable():
            raise Problem("sign_not_printable", field=name, input=name, position=position)
        if not _is_latin(sign):
            raise Problem("sign_not_latin", field=name, input=name, sign=sign, position=position)


def _is_latin(sign: str) -> bool:
    if sign.isascii() or sign in _LETTERS_WITHOUT_PARTS or unicodedata.combining(sign):
        return True
    parts = unicodedata.normalize("NFKD", sign)
    return parts != sign and all(part.isascii() or unicodedata.combining(part) for part in parts)


def _check_reference(reference: str) -> None:
    strange = _NOT_IN_A_REFERENCE.search(reference)
    if strange:
        sign = strange[0] if strange[0].isprintable() else f"U+{ord(strange[0]):04X}"
        raise Problem("reference_sign", field="end_to_end_id", sign=sign, position=strange.start() + 1)
    if reference.startswith("/") or reference.endswith("/") or "//" in reference:
        raise Problem("reference_slash", field="end_to_end_id")
