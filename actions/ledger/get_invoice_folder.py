# generated: `make handlers` writes it anew
"""Get invoice folder."""

from __future__ import annotations

from typing import ClassVar, Literal

from connector.core.manifest.handlers import Action
from connector.resources import PickedInvoiceFolder


class GetInvoiceFolder(Action[PickedInvoiceFolder]):
    """Finds the invoice folder that was picked, with its type."""

    manifest_id: ClassVar[str] = "get_invoice_folder"

    ledger_connection: str
    folder_type: Literal["EINGANGSRECHNUNG", "AUSGANGSRECHNUNG"] | None = None
    bezeichnung: str
    document_type: str | None = None
    client: str | None = None
