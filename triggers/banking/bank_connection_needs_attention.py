# generated: `make handlers` writes it anew
"""Bank connection needs attention."""

from __future__ import annotations

from typing import ClassVar

from connector.core.manifest.handlers import Trigger
from connector.resources import BankConnection


class BankConnectionNeedsAttention(Trigger[BankConnection]):
    """Triggers when a bank connection is inactive, disabled or reports an error."""

    manifest_id: ClassVar[str] = "bank_connection_needs_attention"

    connection_id: str | None = None
