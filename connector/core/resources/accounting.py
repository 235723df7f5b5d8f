"""What is read from the books: payment terms, trial balance, bookings and open items."""

# ruff: noqa: N815 - the wire's names are in camel case
from __future__ import annotations

from typing import Annotated

from pydantic import Field

from connector.core.resources.model import Given, Known, Number, Resource
from connector.core.values.dates import DayText, InstantText
from connector.core.values.ids import Id
from connector.core.values.money import Money

Side = Annotated[str, Known(("SOLL", "HABEN"))]
DueKind = Annotated[str, Known(("NACH_TAGE", "ALS_ZEITRAUM"))]
# The range belongs to the JSON Schema; a period beyond it is still read.
Period = Annotated[int, Field(json_schema_extra={"minimum": 1, "maximum": 14})]


class PaymentTermPeriod(Resource):
    """One period of a payment term with period logic; all its fields are descriptive texts."""

    rechnungsbereich: Given[str] = None
    skontoFrist1: Given[str] = None
    skontoFrist2: str | None = None
    nettoFrist: Given[str] = None


class PaymentTerm(Resource):
    """When an invoice is due, and what paying early saves."""

    id: Given[Id] = None
    bezeichnung: Given[str] = None
    skontoFrist1: Number | None = None
    skontoSatz1: Given[Number] = None
    skontoFrist2: Number | None = None
    skontoSatz2: Given[Number] = None
    nettoFrist: Number | None = None
    faelligkeitsart: Given[DueKind] = None
    perioden: Given[list[PaymentTermPeriod]] = None


class Balance(Resource):
    """An amount on one side of an account."""

    betrag: Given[Money] = None
    sollHabenKennzeichen: Given[Side] = None


class PeriodValue(Resource):
    """An account's balance in one period; period 14 includes special periods."""

    periode: Given[Period] = None
    saldo: Given[Balance] = None


class AccountLine(Resource):
    """An account's number and label."""

    kontobeschriftung: Given[str] = None
    kontonummer: Given[str] = None


class TrialBalanceRow(AccountLine):
    """One account of the trial balance."""

    saldo: Given[Balance] = None
    periodenwerte: Given[list[PeriodValue]] = None
    ebWert: Balance | None = None
    umsatzHaben: Given[Money] = None
    umsatzSoll: Given[Money] = None


class CostCentres(Resource):
    """The two cost centres of a booking line."""

    kost1: str | None = None
    kost2: str | None = None


class BookingLine(Resource):
    """One line of a booking."""

    kontonummer: Given[str] = None
    kostenstellen: Given[CostCentres] = None
    buSchluessel: str | None = None
    umsatz: Given[Money] = None
    belegfeld1: Given[str] = None
    belegdatum: Given[InstantText] = None


class Booking(Resource):
    """One booking."""

    id: Id | None = None
    waehrung: Given[str] = None
    sollHabenKennzeichen: Given[Side] = None
    buchungstext: Given[str] = None
    buchungszeilen: Given[list[BookingLine]] = None


class OpenItem(Resource):
    """One document that is not settled yet."""

    beleg: Given[str] = None
    belegdatum: Given[DayText] = None
    buchungstext: Given[str] = None
    saldo: Given[Money] = None


class OpenItemsAccount(Resource):
    """One person account with its open items."""

    kontonummer: Given[str] = None
    bezeichnung: Given[str] = None
    isDebitor: Given[bool] = None
    totalSaldo: Given[Money] = None
    posten: Given[list[OpenItem]] = None


class OpenItems(Resource):
    """All open items at a cut-off date; the sum of the creditors is negative for liabilities."""

    stichtag: Given[DayText] = None
    konten: Given[list[OpenItemsAccount]] = None
    sumDebitoren: Given[Money] = None
    sumKreditoren: Given[Money] = None
