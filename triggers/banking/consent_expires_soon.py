# generated: `make handlers` writes it anew
"""Consent expires soon."""

from __future__ import annotations

from typing import ClassVar

from connector.core.manifest.handlers import Trigger, Whole
from connector.resources import BankConnection


class ConsentExpiresSoon(Trigger[BankConnection]):
    """Triggers when the consent of a bank connection is about to end or has ended."""

    manifest_id: ClassVar[str] = "consent_expires_soon"

    connection_id: str | None = None
    days: Whole | None = None
