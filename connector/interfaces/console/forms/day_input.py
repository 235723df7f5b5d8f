"""A text field for a day or a point in time, with a calendar.

What is typed stays text until the converter of all forms reads it, so that nothing counts as empty because it could not
be read; a browser's own date field drops it, and reads it by the browser's language.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from nicegui import ui
from nicegui.events import ValueChangeEventArguments

from connector.core.data.fields import Field
from connector.core.data.localize import ZONE
from connector.core.errors import InputError
from connector.core.messages import Text
from connector.interfaces.console.forms.form_model import FieldReader
from connector.interfaces.console.frame.page_frame import Page


class DayInput(ui.input):
    """The widget of one field; its value is what was typed."""

    def __init__(
        self, page: Page, field: Field, label: str, value: str, *, on_change: Any = None, on_done: Callable[[], Any]
    ) -> None:
        """`on_done` is called when the field is left, and when a day was picked."""
        localize = page.localize
        example = localize("placeholder_day" if field.type == "date" else "placeholder_time")
        super().__init__(label, value=value, placeholder=example, on_change=on_change)
        self._localize, self._field, self._on_done = localize, field, on_done
        self._reader = FieldReader(field, (), page.console.connector.library.formats)
        self.props("autocomplete=off")
        with self.add_slot("append"), ui.button(icon="calendar_today").props("flat round dense size=sm") as opener:
            opener.props["aria-label"] = localize("calendar_open")
            with ui.menu().props("no-focus") as self._menu:
                self._calendar = ui.date(on_change=self._on_pick).props("minimal")
        self._menu.on_value_change(self._on_open)
        self.on("blur", on_done)

    def problem(self) -> Text | None:
        """Return why the text is refused, if so."""
        return self._reader.problem(self.value, {})

    def tidy(self) -> Text | None:
        """Write what was typed as the page's language does; return why it is refused, if so."""
        self.value = self._reader.tidied(self.value, {}, self._localize.lang)
        return self.problem()

    def means_same(self, one: Any, other: Any) -> bool:
        """Whether two texts are the same day, however they are written."""
        lang = self._localize.lang
        return bool(one) and self._reader.tidied(one, {}, lang) == self._reader.tidied(other, {}, lang)

    def read(self) -> date | None:
        """Return the day or the point in time; None for nothing, and for what is refused."""
        try:
            found: date | None = self._reader.read(self.value, {})
        except InputError:
            return None
        return found

    def _on_open(self, event: ValueChangeEventArguments[Any]) -> None:
        """Let the calendar begin where the text is, if that is a day."""
        if event.value:
            self._calendar.value = _iso(self.read())[:10] or None

    async def _on_pick(self, event: ValueChangeEventArguments[Any]) -> None:
        if not event.value or not self._menu.value:
            return
        typed = _iso(self.read())
        if event.value == typed[:10]:
            return
        self._menu.close()
        time = typed[10:16] if self._field.type == "date-time" else ""
        self.value = self._reader.tidied(f"{date.fromisoformat(event.value)}{time}", {}, self._localize.lang)
        done = self._on_done()
        if done is not None:
            await done


def _iso(typed: date | None) -> str:
    """The day, and the time in Berlin if there is one; empty for nothing."""
    if isinstance(typed, datetime):
        return typed.astimezone(ZoneInfo(ZONE)).isoformat()
    return typed.isoformat() if typed is not None else ""
