"""Shows what happened, line by line; built anew only when a line came."""

from __future__ import annotations

from collections.abc import Sequence

from connector.interfaces.console.localizer import Localizer
from connector.interfaces.console.timeline_model import Line
from connector.interfaces.console.widgets import Text, box, empty_note


class TimelineView:
    """Builds itself into the current panel."""

    def __init__(self, localize: Localizer) -> None:
        self._localize = localize
        self._shown: list[Line] | None = None
        self._list = box("timeline", "ol").props('role="list"')

    def show(self, lines: Sequence[Line]) -> None:
        """Show these lines, the first at the top."""
        if list(lines) == self._shown:
            return
        self._shown = list(lines)
        self._list.clear()
        with self._list:
            if not lines:
                with box("", "li"):
                    empty_note(self._localize("timeline_none"))
            for line in lines:
                with box(f"timeline-line {line.tone}", "li"):
                    Text("time", self._localize.date_time(line.at))
                    Text("span", self._localize.of(line.text), "wrap")
