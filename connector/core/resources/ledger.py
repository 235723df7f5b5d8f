"""The ledger area: ledger connections, cash books, invoice folders, cash book entries and the provider's answers."""

from __future__ import annotations

from typing import Annotated, Any

from connector.core.resources.model import Given, Known, Number, Resource
from connector.core.values.dates import InstantText
from connector.core.values.ids import UuidText
from connector.core.values.money import Money

LedgerConnectionStatus = Annotated[str, Known(("connected", "pending"))]
FolderType = Annotated[str, Known(("EINGANGSRECHNUNG", "AUSGANGSRECHNUNG"))]


class Platform(Resource):
    """The credit balance after a call."""

    neuesGuthaben: Given[Number] = None  # noqa: N815 - the wire's name


class LedgerConnection(Resource):
    """One client's access to the accounting provider, as the list shows it."""

    id: Given[UuidText] = None
    bezeichnung: str | None = None
    status: Given[LedgerConnectionStatus] = None
    verbunden_seit: InstantText | None = None
    erstellt_am: Given[InstantText] = None


class CashBook(Resource):
    """A cash book; its `bezeichnung` is the `kassenname` of its entries."""

    bezeichnung: Given[str] = None


class InvoiceFolder(Resource):
    """A folder for incoming or outgoing invoices."""

    bezeichnung: Given[str] = None
    ordnertyp: Given[FolderType] = None


class TaskInformation(Resource):
    """One message of the provider about a write."""

    filename: Given[str] = None
    message: Given[str] = None
    timestamp: Given[InstantText] = None
    type: Given[str] = None


class TaskResult(Resource):
    """What the provider answered to most ledger writes (`ledgerAntwort`)."""

    status: Given[str] = None
    information: Given[list[TaskInformation]] = None


class CashBookMessage(Resource):
    """One message of the provider about a cash book entry."""

    dateiname: Given[str] = None
    nachricht: Given[str] = None
    zeitstempel: Given[InstantText] = None
    typ: Given[str] = None


class CashBookResult(Resource):
    """What the provider answered to a cash book entry."""

    status: Given[str] = None
    meldungen: Given[list[CashBookMessage]] = None


class TaxRate(Resource):
    """The tax of one line."""

    prozent: Given[Number] = None
    buSchluessel: Given[str] = None  # noqa: N815 - the wire's name


class CostCentre(Resource):
    """A cost centre of one line."""

    name: Given[str] = None


class CashBookLine(Resource):
    """One line of a cash book entry. The answer spells `belegnummer`, the request `belegNummer`."""

    gegenkonto: Given[str] = None
    erstellungsdatum: Given[InstantText] = None
    waehrung: Given[str] = None
    belegtext: Given[str] = None
    belegnummer: Given[str] = None
    betrag: Given[Money] = None
    steuersatz: Given[TaxRate] = None
    kostenstellen: Given[list[CostCentre]] = None


class CashBookEntry(Resource):
    """A cash book entry as the service answers it. Positive amounts are income, negative ones expense."""

    erstellungsdatum: Given[InstantText] = None
    waehrung: Given[str] = None
    kassenname: Given[str] = None
    betrag: Given[Money] = None
    transaktionsdatum: Given[InstantText] = None
    belegzeilen: Given[list[CashBookLine]] = None
    # The fields of an uploaded image's metadata are not described.
    belegbilder: Given[list[dict[str, Any]]] = None
    # Null when no task of the provider was waited for.
    ledgerAntwort: CashBookResult | None = None  # noqa: N815 - the wire's name
    platform: Given[Platform] = None
