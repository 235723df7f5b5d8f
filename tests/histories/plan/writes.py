"""The writes that clients ask for: inputs of three actions, in several notations, each with a mark to find it again."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from connector.sandbox.banking.demo import MAIN_ACCOUNT, WALLET
from connector.sandbox.ledger.demo import ledger_connection_id
from tests.histories.rules.reading import CASH_BOOK, PAYMENT, PERSON

LEDGER = ledger_connection_id("nordlicht")
NOTATIONS = 3


@dataclass(frozen=True)
class Write:
    """A write as its author means it, whatever the notation."""

    action: str
    mark: str
    cents: int
    refused: bool = False
    """Whether the service must refuse it: the account's bank does not allow payments."""

    @property
    def amount(self) -> str | None:
        return None if self.action == PERSON else str(Decimal(self.cents) / 100)

    @property
    def digest(self) -> str:
        """Equal for equal meaning."""
        return hashlib.sha256(f"{self.action}/{self.mark}/{self.cents}/{self.refused}".encode()).hexdigest()[:16]

    def inputs(self, notation: int = 0) -> dict[str, Any]:
        """Return the inputs; another notation means the same."""
        if self.action == PAYMENT:
            return {
                "account_id": WALLET if self.refused else MAIN_ACCOUNT,
                "creditor_name": "Reifen Voss KG",
                "creditor_iban": "DE02 1203 0000 0000 2020 51" if notation else "DE02120300000000202051",
                "amount": _amount(self.cents, notation),
                "currency_code": "EUR",
                "description": self.mark,
            }
        if self.action == CASH_BOOK:
            line = {"belegtext": self.mark, "gegenkonto": "8400", "betrag": _amount(self.cents, notation)}
            return {
                "ledger_connection": LEDGER,
                "kassenname": "Keine Kasse" if self.refused else "Ladenkasse",
                "betrag": _amount(self.cents, notation),
                "transaktionsdatum": "2026-11-14T10:00:00+01:00",
                "belegzeilen": [line],
            }
        assert self.action == PERSON
        return {
            "ledger_connection": LEDGER,
            "personenkontoNummer": f"1{self.cents:08d}",
            "firmenname": self.mark,
            "kontonummernLaenge": "8" if notation else 8,
            "geschaeftsjahrStartDatum": f"{1950 if self.refused else date.today().year}-01-01",  # noqa: DTZ011
        }


def _amount(cents: int, notation: int) -> str | float:
    """Return an amount in euros as people and programs write it: `12.50`, `12.5` or the number 12.5."""
    text = f"{cents // 100}.{cents % 100:02d}"
    return (text, text.rstrip("0").rstrip("."), cents / 100)[notation % NOTATIONS]
