# generated: `make handlers` writes it anew
"""Run finished."""

from __future__ import annotations

from typing import ClassVar

from connector.core.manifest.handlers import Trigger
from connector.resources import WaitingRun


class RunFinished(Trigger[WaitingRun]):
    """Triggers when a run that waited for approval has ended."""

    manifest_id: ClassVar[str] = "run_finished"

    run: str | None = None
    action: str | None = None
