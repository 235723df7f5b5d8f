# generated: `make handlers` writes it anew
"""Credits low."""

from __future__ import annotations

from typing import Any, ClassVar

from connector.core.manifest.handlers import Ratio, Trigger


class CreditsLow(Trigger[dict[str, Any]]):
    """Triggers when the credits fall below a threshold."""

    manifest_id: ClassVar[str] = "credits_low"

    threshold: Ratio
