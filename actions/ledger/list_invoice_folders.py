# generated: `make handlers` writes it anew
"""List invoice folders."""

from __future__ import annotations

from typing import ClassVar, Literal

from connector.core.manifest.handlers import Action, Listed
from connector.resources import InvoiceFolder


class ListInvoiceFolders(Action[Listed[InvoiceFolder]]):
    """Finds the folders for incoming and outgoing invoices."""

    manifest_id: ClassVar[str] = "list_invoice_folders"

    ledger_connection: str
    folder_type: Literal["EINGANGSRECHNUNG", "AUSGANGSRECHNUNG"] | None = None
    client: str | None = None
