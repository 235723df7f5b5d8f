# generated: `make handlers` writes it anew
"""Check permissions."""

from __future__ import annotations

from typing import ClassVar

from connector.core.manifest.handlers import Action, Listed
from connector.resources import RvoCheck


class CheckPermissions(Action[Listed[RvoCheck]]):
    """Finds out, area by area, what a ledger connection may do."""

    manifest_id: ClassVar[str] = "check_permissions"

    ledger_connection: str
    client: str | None = None
