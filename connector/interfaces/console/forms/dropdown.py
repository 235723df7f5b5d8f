"""A searchable dropdown with options from a lookup; it also accepts typed values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui
from nicegui.events import GenericEventArguments, ValueChangeEventArguments

from connector.core.data.fields import Field
from connector.core.errors import KontorError
from connector.interfaces.console.console_context import NoCredential
from connector.interfaces.console.forms.form_model import Draft, FieldReader, lookup_inputs, missing_for_lookup
from connector.interfaces.console.forms.form_parts import FieldText
from connector.interfaces.console.frame.page_frame import Page
from connector.interfaces.console.frame.widgets import TextWidget
from connector.runtime.result import Options

MAX_OFFERED = 500


class _Select(ui.select):
    """A select that knows an option by its text too: leaving the field by Tab sends the text of what was chosen."""

    def _handle_new_value(self, value: str) -> Any:
        known = self.options if isinstance(self.options, dict) else {}
        named = next((key for key, label in known.items() if label == value), None)
        key = named or self._generate_key(value)
        return key if key in known else super()._handle_new_value(value)


class Dropdown:
    """The dropdown of one field; `draft` provides the inputs of its lookup."""

    def __init__(self, page: Page, field: Field, draft: Draft, on_change: Callable[[str], None]) -> None:
        self._page, self._field, self._draft, self._on_change = page, field, draft, on_change
        self._typed = ""
        self._loaded_with: dict[str, Any] | None = None
        formats = page.console.connector.library.formats
        self._reader = FieldReader(field, (), formats) if field.type == "date" else None
        given = draft.get(field.name)
        _, self.depends_on = lookup_inputs(field, draft)
        self.widget = _Select(
            {given: self._label(given)} if given else {},
            value=given,
            label=page.localize.of(field.label) + (" *" if field.required else ""),
            new_value_mode="add-unique",
            key_generator=self._value,
            clearable=True,
            on_change=self._on_select,
        ).classes("input")
        self.widget.props("outlined dense stack-label options-dense input-debounce=0")
        # A chosen label in the input would be taken for a new value by the next Tab, and the choice be lost.
        self.widget.props(remove="fill-input hide-selected")
        self.text = FieldText.of(self.widget, page, field)
        self.widget.on("input-value", self._on_typing)
        self.widget.on("blur", self._accept_typed)
        self._status = TextWidget("div", "", "dropdown-said").props('role="status" aria-live="polite"')

    async def load(self, *, force: bool = False) -> None:
        """Load the options unless they are loaded for the same inputs."""
        lookup = self._field.lookup
        assert lookup is not None  # only fields with a lookup get a dropdown
        given, _ = lookup_inputs(self._field, self._draft)
        if not force and given == self._loaded_with:
            return
        self._loaded_with = given
        localize, connector = self._page.localize, self._page.console.connector
        missing = missing_for_lookup(connector.lookup(lookup.id).inputs, given)
        if missing:
            self._set_options(None)
            self._set_status(localize("choose_first", fields=", ".join(localize.of(one.label) for one in missing)))
            return
        self.widget.props("loading")
        self._set_status(localize("options_asking"))
        try:
            session = await self._page.console.session()
            options = await session.options(lookup.id, given, lang=localize.lang, limit=MAX_OFFERED)
        except KontorError as error:
            self._loaded_with = None
            self._set_options(None)
            self._set_status(
                f"{localize('options_failed')} {localize.of(error.message)} → {localize.of(error.remedy)} "
                f"{localize('options_by_hand')}",
                is_error=True,
            )
        except NoCredential:
            self._set_status(localize("no_credential"), is_error=True)
        else:
            self._set_options(options)
            self._set_status("" if len(options) else localize("options_none"))
            if options.next is not None:
                self._set_status(localize("options_limited", count=localize.number(len(options))))
        finally:
            self.widget.props(remove="loading")

    def _set_options(self, options: Options | None) -> None:
        """Set the options and keep the current value, listed or not."""
        offered = {one.value: f"{one.label} · {one.hint}" if one.hint else one.label for one in options or ()}
        value = self.widget.value
        if value and value not in offered:
            offered[value] = self._label(value)
        self.widget.set_options(offered, value=value)

    def _on_select(self, event: ValueChangeEventArguments[Any]) -> None:
        self._typed = ""
        if self._draft.get(self._field.name) != event.value:
            self._draft[self._field.name] = event.value
            self._on_change(self._field.name)

    def _on_typing(self, event: GenericEventArguments) -> None:
        self._typed = str(event.args or "").strip()

    def _accept_typed(self) -> None:
        """On blur, take the typed text as value."""
        typed, self._typed = self._typed, ""
        offered = self.widget.options
        if typed and isinstance(offered, dict) and typed not in offered.values() and typed != self.widget.value:
            value = self._value(typed)
            self.widget.set_options({value: self._label(value), **offered}, value=value)
        problem = self._reader.problem(self.widget.value, {}) if self._reader is not None else None
        if problem is not None:
            self.text.set_error(self._page.localize.of(problem))

    def _value(self, typed: str) -> str:
        """The value of a typed text: a day as the options are written, any other text as it is."""
        return str(self._reader.tidied(typed, {}, self._page.localize.lang)) if self._reader is not None else typed

    def _label(self, value: str) -> str:
        """What a value is called that no list offers."""
        return self._page.localize.format_value(value) if self._reader is not None else value

    def _set_status(self, text: str, *, is_error: bool = False) -> None:
        self._status.text = text
        self._status.classes(replace="dropdown-said bad" if is_error else "dropdown-said")
