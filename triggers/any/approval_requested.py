# generated: `make handlers` writes it anew
"""Approval requested."""

from __future__ import annotations

from typing import ClassVar

from connector.core.manifest.handlers import Trigger
from connector.resources import WaitingRun


class ApprovalRequested(Trigger[WaitingRun]):
    """Triggers when a run waits for the approval of another person."""

    manifest_id: ClassVar[str] = "approval_requested"

    action: str | None = None
