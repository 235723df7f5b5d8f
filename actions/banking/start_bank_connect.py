# generated: `make handlers` writes it anew
"""Start bank connect."""

from __future__ import annotations

from typing import Any, ClassVar

from connector.core.manifest.handlers import Action


class StartBankConnect(Action[dict[str, Any]]):
    """Starts connecting a bank and gives what the service answers, usually a link to the bank login."""

    manifest_id: ClassVar[str] = "start_bank_connect"

    provider_code: str | None = None
    country_code: str | None = None
    return_url: str | None = None
    extra: dict[str, Any] | None = None
