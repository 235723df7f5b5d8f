# generated: `make handlers` writes it anew
"""Create or update person account."""

from __future__ import annotations

from typing import ClassVar

from connector.core.manifest.handlers import Action, Day, Flag, Inputs, Whole
from connector.resources import PersonAccount


class Adressen(Inputs):
    """One of `adressen`."""

    adresszeile: str | None = None
    postleitzahl: str | None = None
    ort: str | None = None
    laendercode: str | None = None
    typ: str | None = None


class Bankkonten(Inputs):
    """One of `bankkonten`."""

    iban: str
    bic: str | None = None
    name: str | None = None
    istHauptkonto: Flag | None = None


class EmailAdressen(Inputs):
    """One of `emailAdressen`."""

    email: str
    typ: str | None = None


class Telefonnummern(Inputs):
    """One of `telefonnummern`."""

    nummer: str
    typ: str | None = None


class KontaktpersonenEmailAdressen(Inputs):
    """One of `emailAdressen`."""

    email: str
    typ: str | None = None


class KontaktpersonenTelefonnummern(Inputs):
    """One of `telefonnummern`."""

    nummer: str
    typ: str | None = None


class Kontaktpersonen(Inputs):
    """One of `kontaktpersonen`."""

    vorname: str | None = None
    nachname: str | None = None
    anrede: str | None = None
    emailAdressen: list[KontaktpersonenEmailAdressen] | None = None
    telefonnummern: list[KontaktpersonenTelefonnummern] | None = None


class SavePersonAccount(Action[PersonAccount]):
    """Creates or updates a business partner (debtor or creditor) in the accounting system."""

    manifest_id: ClassVar[str] = "save_person_account"

    ledger_connection: str
    personenkontoNummer: str
    firmenname: str
    kontonummernLaenge: Whole
    geschaeftsjahrStartDatum: Day
    kontaktTyp: str | None = None
    kontenrahmen: str | None = None
    ustId: str | None = None
    adressen: list[Adressen] | None = None
    bankkonten: list[Bankkonten] | None = None
    emailAdressen: list[EmailAdressen] | None = None
    telefonnummern: list[Telefonnummern] | None = None
    kontaktpersonen: list[Kontaktpersonen] | None = None
    client: str | None = None
