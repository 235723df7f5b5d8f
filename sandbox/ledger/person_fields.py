"""The request body of a person account (business partner), with types.

The values of kontaktTyp, kontenrahmen, anrede and the typ fields are not shown, so any text is accepted.
"""

from __future__ import annotations

from datetime import date

import msgspec


class Email(msgspec.Struct, rename="camel"):
    email: str
    typ: str | None = None


class Phone(msgspec.Struct, rename="camel"):
    nummer: str
    typ: str | None = None


class PartnerBankAccount(msgspec.Struct, rename="camel"):
    iban: str
    bic: str | None = None
    name: str | None = None
    ist_hauptkonto: bool = False


class ContactPerson(msgspec.Struct, rename="camel"):
    vorname: str | None = None
    nachname: str | None = None
    anrede: str | None = None
    email_adressen: list[Email] = []
    telefonnummern: list[Phone] = []


class Address(msgspec.Struct, rename="camel"):
    adresszeile: str | None = None
    adresszeile2: str | None = None
    postleitzahl: str | None = None
    ort: str | None = None
    laendercode: str | None = None
    typ: str | None = None


class PersonAccountFields(msgspec.Struct, rename="camel"):
    personenkonto_nummer: str
    kontonummern_laenge: int
    geschaeftsjahr_start_datum: date
    firmenname: str
    kontakt_typ: str | None = None
    kontenrahmen: str | None = None
    ust_id: str | None = None
    email_adressen: list[Email] = []
    telefonnummern: list[Phone] = []
    bankkonten: list[PartnerBankAccount] = []
    kontaktpersonen: list[ContactPerson] = []
    adressen: list[Address] = []
