"""Person accounts (Personenkonten): business partners as they are sent, and as the service answers them."""

# ruff: noqa: N815 - the wire's names are in camel case
from __future__ import annotations

from typing import Any

from connector.core.resources.ledger import Platform
from connector.core.resources.model import Given, Number, Resource
from connector.core.values.dates import DayText, InstantText
from connector.core.values.ids import Id


class EmailAddress(Resource):
    """An e-mail address; the values of `typ` are not described."""

    email: Given[str] = None
    typ: Given[str] = None


class PhoneNumber(Resource):
    """A phone number; the values of `typ` are not described."""

    nummer: Given[str] = None
    typ: Given[str] = None


class PartnerBankAccount(Resource):
    """A bank account of the business partner."""

    iban: Given[str] = None
    bic: Given[str] = None
    name: Given[str] = None
    istHauptkonto: Given[bool] = None


class ContactPerson(Resource):
    """Somebody at the business partner."""

    vorname: Given[str] = None
    nachname: Given[str] = None
    anrede: Given[str] = None
    emailAdressen: Given[list[EmailAddress]] = None
    telefonnummern: Given[list[PhoneNumber]] = None


class Address(Resource):
    """An address as it is sent."""

    adresszeile: Given[str] = None
    postleitzahl: Given[str] = None
    ort: Given[str] = None
    laendercode: Given[str] = None
    typ: Given[str] = None


class AnsweredAddress(Address):
    """An address as the service answers it."""

    adresszeile2: str | None = None


class PersonAccountRequest(Resource):
    """What is sent to create or update a person account."""

    personenkontoNummer: Given[str] = None
    kontaktTyp: Given[str] = None
    kontenrahmen: Given[str] = None
    kontonummernLaenge: Given[int] = None
    geschaeftsjahrStartDatum: Given[DayText] = None
    firmenname: Given[str] = None
    ustId: Given[str] = None
    emailAdressen: Given[list[EmailAddress]] = None
    telefonnummern: Given[list[PhoneNumber]] = None
    bankkonten: Given[list[PartnerBankAccount]] = None
    kontaktpersonen: Given[list[ContactPerson]] = None
    adressen: Given[list[Address]] = None


class PersonAccountEntry(Resource):
    """One business partner in the answer. Here `personenkontoNummer` is a number, in the request it is text."""

    id: Id | None = None
    kontaktTyp: Given[str] = None
    personenkontoNummer: Given[Number] = None
    # Described as nullable, without a type.
    nummer: Any = None
    firmenname: Given[str] = None
    ustId: Given[str] = None
    aktualisiertAm: InstantText | None = None
    projektId: Id | None = None
    bankkonten: Given[list[PartnerBankAccount]] = None
    emailAdressen: Given[list[EmailAddress]] = None
    telefonnummern: Given[list[PhoneNumber]] = None
    kontaktpersonen: Given[list[ContactPerson]] = None
    adressen: Given[list[AnsweredAddress]] = None


class PersonAccount(Resource):
    """The `data` of the answer."""

    id: Id | None = None
    kontonummernLaenge: Given[int] = None
    kontenrahmen: Given[str] = None
    erstelltAm: Given[InstantText] = None
    geschaeftsjahrStartDatum: Given[DayText] = None
    eintraege: Given[list[PersonAccountEntry]] = None


class PersonAccountResult(Resource):
    """What the provider answered; the shape of its data and messages is not described."""

    status: Given[str] = None
    antwortDaten: Any = None
    meldungen: Given[list[Any]] = None


class PersonAccountReply(Resource):
    """The whole answer: the data, what the provider said, and the credit balance."""

    data: Given[PersonAccount] = None
    ledgerAntwort: Given[PersonAccountResult] = None
    platform: Given[Platform] = None
