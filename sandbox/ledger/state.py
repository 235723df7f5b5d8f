"""What the simulated accounting provider holds: ledger connections, their clients, and each client's books.

Everything is data that msgspec writes to JSON and reads back. Field names in JSON are the service's camel case.
"""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Literal

import msgspec

from sandbox.ledger.person_fields import PersonAccountFields

Side = Literal["SOLL", "HABEN"]
Module = Literal["duo", "rewe"]
FolderType = Literal["EINGANGSRECHNUNG", "AUSGANGSRECHNUNG"]
Breakage = Literal[
    "ledger_connection_invalid", "ledger_export_service_missing", "ledger_endpoint_not_authorized", "export_403"
]

EXPORT_SERVICE = "Exportservice Rechnungswesen"
"""The provider subscription that reading books needs."""


class CostCentres(msgspec.Struct, rename="camel"):
    kost1: str | None = None
    kost2: str | None = None


class BookingLine(msgspec.Struct, rename="camel", frozen=True):
    kontonummer: str
    umsatz: Decimal
    """Gross, never negative: the booking says which side."""
    belegfeld1: str
    belegdatum: datetime
    bu_schluessel: str | None = None
    kostenstellen: CostCentres = msgspec.field(default_factory=CostCentres)


class Booking(msgspec.Struct, rename="camel", frozen=True):
    """One side of a business event. The other side is a second booking; together they are neutral."""

    id: str | None
    waehrung: str
    soll_haben_kennzeichen: Side
    buchungstext: str
    buchungszeilen: list[BookingLine]
    fiscal_year: date
    """First day of the fiscal year it is booked in, which need not be the year of the document date."""
    period: int
    opening: bool = False
    """Part of an opening balance, carried forward from the year before."""


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
    """One company whose books are kept, known as `<advisor>-<client>`."""

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
    """The way to the provider: which clients it reaches, and whether it works."""

    id: str
    organization_id: str
    bezeichnung: str | None
    status: Literal["connected", "pending"]
    verbunden_seit: datetime | None
    erstellt_am: datetime
    modules: list[Module]
    clients: list[str]
    """The first is the default client chosen at connect time."""
    broken: Breakage | None = None
    master_data_status: int = 200
    """What the provider answers to the master-data probe of the permissions check."""


class ReceiptImage(msgspec.Struct, rename="camel"):
    id: str
    dateiname: str
    groesse: int
    sha256: str


class StoredTaxRate(msgspec.Struct, rename="camel"):
    prozent: Decimal
    bu_schluessel: str | None


class CashEntry(msgspec.Struct, rename="camel"):
    """One stored cash book entry: one line of a create call."""

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
    """A business partner as last saved."""

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
