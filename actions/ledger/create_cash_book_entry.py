# generated: `make handlers` writes it anew
"""Create cash book entry."""

from __future__ import annotations

from typing import ClassVar

from connector.core.manifest.handlers import Action, Amount, Inputs, Moment, Ratio
from connector.resources import CashBookEntry


class BelegzeilenSteuersatz(Inputs):
    """The `steuersatz`."""

    prozent: Ratio | None = None
    buSchluessel: str | None = None


class Belegzeilen(Inputs):
    """One of `belegzeilen`."""

    betrag: Amount
    belegtext: str | None = None
    gegenkonto: str | None = None
    belegNummer: str | None = None
    steuersatz: BelegzeilenSteuersatz | None = None
    kostenstelle1: str | None = None
    kostenstelle2: str | None = None


class Belegbilder(Inputs):
    """One of `belegbilder`."""

    content: bytes
    dateiname: str


class CreateCashBookEntry(Action[CashBookEntry]):
    """Books cash income or cash expenses, line by line, with receipt images."""

    manifest_id: ClassVar[str] = "create_cash_book_entry"

    ledger_connection: str
    kassenname: str
    betrag: Amount | None = None
    waehrung: str | None = None
    transaktionsdatum: Moment
    belegzeilen: list[Belegzeilen]
    belegbilder: list[Belegbilder] | None = None
    client: str | None = None
