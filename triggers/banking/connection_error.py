# generated: `make handlers` writes it anew
"""Bank connection failed."""

from __future__ import annotations

from typing import ClassVar

from connector.core.manifest.handlers import Trigger
from connector.resources import BankConnectionFailed


class ConnectionError(Trigger[BankConnectionFailed]):
    """Triggers when a bank connection fails, for example because the consent has expired."""

    manifest_id: ClassVar[str] = "connection_error"

    connection_id: str | None = None
    error_class: str | None = None
    refresh_type: str | None = None
    provider_code: str | None = None
