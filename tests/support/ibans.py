"""Makes IBANs with right check digits."""

from __future__ import annotations


def german_iban(bank: int, account: int) -> str:
    """Return the IBAN of an account."""
    basic = f"{bank:08}{account:010}"
    check = 98 - int(f"{basic}131400") % 97
    return f"DE{check:02}{basic}"
