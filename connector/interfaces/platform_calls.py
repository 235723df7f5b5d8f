"""Notes which platforms call, by the label that their packages name; once in a while, without making a call wait."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from cachetools import TTLCache

from connector.core.service.credential import DEFAULT_QUELLE
from connector.store.trust import platform_calls

if TYPE_CHECKING:
    from connector.store import Database

MAX_LABEL_CHARACTERS = 100
MAX_NOTED, NOTED_SECONDS = 1024, 600.0


class PlatformCalls:
    """What was noted lately by one host."""

    def __init__(self, database: Database, now: Callable[[], datetime]) -> None:
        self._database, self._now = database, now
        self._noted: TTLCache[tuple[str, str], None] = TTLCache(MAX_NOTED, NOTED_SECONDS)

    def note(self, workspace: str | None, label: str) -> None:
        """Remember that a platform has called; a call without a label comes from none."""
        label = label.strip()
        noted = (workspace or "", label)
        named = 0 < len(label) <= MAX_LABEL_CHARACTERS and label.isprintable() and label != DEFAULT_QUELLE
        if not named or noted in self._noted:
            return
        self._noted[noted] = None
        now = self._now()
        self._database.write_later(lambda connection: platform_calls.record(connection, workspace, label, now))
