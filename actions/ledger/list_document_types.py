# generated: `make handlers` writes it anew
"""List document types."""

from __future__ import annotations

from typing import Any, ClassVar

from connector.core.manifest.handlers import Action, Listed


class ListDocumentTypes(Action[Listed[dict[str, Any]]]):
    """Finds the document types that the client's accounting knows."""

    manifest_id: ClassVar[str] = "list_document_types"

    ledger_connection: str
    client: str | None = None
