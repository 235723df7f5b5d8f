"""The stored data of the ledger area: ledger connections, clients and their books.

JSON names are the service's camel case.
"""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Literal

import msgspec

from connector.sandbox.ledger.person_fields import PersonAccountFields

Side = Literal["SOLL", "HABEN"]
Module = Literal["duo", "rewe"]
FolderType = Literal["EINGANGSRECHNUNG", "AUSGANGSRECHNUNG"]
ErrorMode = Literal[
    "ledger_connection_invalid", "ledger_export_service_missing", "ledger_endpoint_not_authorized", "export_403"
]

EXPORT_SERVICE = "Exportservice Rechnungswesen"
"""The provider subscription required for reading books."""


class CostCentres(msgspec.Struct, rename="camel"):
    kost1: str | None = None
    kost2: str | None = None


class BookingLine(msgspec.Struct, rename="camel", frozen=True):
    kontonummer: str
    umsatz: Decimal
    """Gross and not negative; the booking has the side."""
    belegfeld1: str
    belegdatum: datetime
    bu_schluessel: str | None = None
    kostenstellen: CostCentres = msgspec.field(default_factory=CostCentres)


class Booking(msgspec.Struct, rename="camel", frozen=True):
    """One side of a business event; the other side is a second booking."""

    id: str | None
    waehrung: str
    soll_haben_kennzeichen: Side
    buchungstext: str
    buchungszeilen: list[BookingLine]
    fiscal_year: date
    """First day of its fiscal year, which may differ from the year of the document date."""
    period: int
    opening: bool = False
    """Whether it is part of an opening balance."""


class TermPeriod(msgspec.Struct, rename="camel"):
    rechnungsbereich: str
    skonto_frist1: str
    skonto_frist2: str | None
    netto_frist: str


class PaymentTerm(msgspec.Struct, rename="camel"):
    id: str
    bezeichnung: str
    skonto_frist1: int | None
    skonto_satz1: Decimal
    skonto_frist2: int | None
    skonto_satz2: Decimal
    netto_frist: int | None
    faelligkeitsart: Literal["NACH_TAGE", "ALS_ZEITRAUM"]
    perioden: list[TermPeriod]


class FiscalYear(msgspec.Struct, rename="camel"):
    start: date
    payment_terms: list[PaymentTerm]


class InvoiceFolder(msgspec.Struct, rename="camel"):
    bezeichnung: str
    ordnertyp: FolderType


class DocumentType(msgspec.Struct, rename="camel"):
    id: str
    bezeichnung: str


class LedgerClient(msgspec.Struct, rename="camel"):
    """An accounting client with the id `<advisor>-<client>`."""

    id: str
    name: str
    active_subscriptions: list[str]
    fiscal_years: list[FiscalYear]
    account_labels: dict[str, str]
    bookings: list[Booking]
    cash_books: list[str]
    folders: list[InvoiceFolder]
    document_types: list[DocumentType]


class LedgerConnection(msgspec.Struct, rename="camel"):
    """A connection to the accounting provider and its clients."""

    id: str
    organization_id: str
    bezeichnung: str | None
    status: Literal["connected", "pending"]
    verbunden_seit: datetime | None
    erstellt_am: datetime
    modules: list[Module]
    clients: list[str]
    """The first is the default client."""
    broken: ErrorMode | None = None
    master_data_status: int = 200
    """The provider's status for the master-data check."""


class ReceiptImage(msgspec.Struct, rename="camel"):
    id: str
    dateiname: str
    groesse: int
    sha256: str


class StoredTaxRate(msgspec.Struct, rename="camel"):
    prozent: Decimal
    bu_schluessel: str | None


class CashEntry(msgspec.Struct, rename="camel"):
    """A stored cash book entry: one line of a create request."""

    id: str
    ledger_connection_id: str
    client_id: str
    kassenname: str
    waehrung: str
    betrag: Decimal
    direction: Literal["income", "expense"]
    transaktionsdatum: datetime
    erstellungsdatum: datetime
    gegenkonto: str | None
    belegtext: str | None
    belegnummer: str | None
    steuersatz: StoredTaxRate | None
    kostenstellen: list[str]
    belegbilder: list[ReceiptImage]
    quelle: str


class PersonAccount(msgspec.Struct, rename="camel"):
    """A stored person account (business partner)."""

    ledger_connection_id: str
    client_id: str
    personenkonto_nummer: str
    erstellt_am: datetime
    aktualisiert_am: datetime | None
    quelle: str
    fields: PersonAccountFields
    saves: int = 1


class LedgerState(msgspec.Struct, rename="camel"):
    connections: dict[str, LedgerConnection]
    clients: dict[str, LedgerClient]
    cash_entries: list[CashEntry] = msgspec.field(default_factory=list)
    person_accounts: dict[str, PersonAccount] = msgspec.field(default_factory=dict)
    """By `<ledger connection id>/<client id>/<account number>`."""
