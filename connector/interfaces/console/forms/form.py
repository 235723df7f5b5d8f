"""Builds a form from a manifest's fields; all widgets write into one draft."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from nicegui import background_tasks, events, ui
from nicegui.element import Element
from nicegui.elements.mixins.validation_element import ValidationElement

from connector.core import limits
from connector.core.data.fields import Field, FieldGroup
from connector.core.errors import KontorError
from connector.interfaces.console.forms.day_input import DayInput
from connector.interfaces.console.forms.dropdown import Dropdown
from connector.interfaces.console.forms.form_layout import DAY_TYPES, NUMERIC_TYPES, groups_of, width_of
from connector.interfaces.console.forms.form_model import (
    Draft,
    FieldReader,
    empty_draft,
    inputs_of,
    sum_rule_of,
    visible_fields,
)
from connector.interfaces.console.forms.form_parts import FieldText, FormAccess
from connector.interfaces.console.forms.line_items import LineItems
from connector.interfaces.console.forms.suggestions import Suggestions, suggested_at
from connector.interfaces.console.frame.page_frame import Page
from connector.interfaces.console.frame.widgets import TextWidget, box

OPEN_SECONDS = 0.4
"""How long what was closed takes to open: until then nothing in it can have the focus."""


class Form:
    """The form for a manifest's inputs."""

    def __init__(
        self,
        page: Page,
        fields: Iterable[Field],
        given: dict[str, Any] | None = None,
        on_change: Callable[[], None] | None = None,
        on_enter: Callable[[], Any] | None = None,
        groups: Iterable[FieldGroup] = (),
    ) -> None:
        """`groups` are those that the manifest declares."""
        self.page = page
        self._on_change, self._on_enter = on_change, on_enter
        self.fields = visible_fields(fields)
        self.draft: Draft = empty_draft(self.fields) | {
            name: value for name, value in (given or {}).items() if name in {field.name for field in self.fields}
        }
        self._sum_rule = sum_rule_of(self.fields)
        self._suggested = suggested_at(self.fields)
        self._dropdowns: list[Dropdown] = []
        self._widgets: dict[str, ValidationElement[Any]] = {}
        self._texts: dict[str, FieldText] = {}
        """Help and error of each field, by its path."""
        self._line_items: list[LineItems] = []
        self._advanced: list[tuple[str, ui.expansion]] = []
        """What is closed at first, each with the paths that it holds."""
        with box("form").props('role="group"') as self._root:
            self._build_groups(groups)
        background_tasks.create(self._load_dropdowns())

    @property
    def inputs(self) -> dict[str, Any]:
        """The inputs as filled in."""
        return inputs_of(self.fields, self.draft)

    def fill(self, name: str, value: Any) -> None:
        """Write a value into a field."""
        self._widgets[name].value = value

    def _fill_in(self, values: Mapping[str, str]) -> None:
        """Write values into fields that a chosen suggestion fills."""
        for name, value in values.items():
            if name in self._widgets:
                self.fill(name, value)

    def names(self) -> dict[str, str]:
        """Return what the chosen options of dropdowns are called, by field."""
        names: dict[str, str] = {}
        for path, widget in self._widgets.items():
            options = widget.options if isinstance(widget, ui.select) else None
            if isinstance(options, dict) and widget.value in options:
                names[path] = str(options[widget.value])
        return names

    def show_field_error(self, error: KontorError) -> None:
        """Mark and focus the field that an error names."""
        self.show_errors([error])

    def show_errors(self, errors: Sequence[KontorError]) -> None:
        """Mark every field that an error names, clear the others, and focus the first marked one."""
        by_field = {error.field: error for error in reversed(errors) if error.field}
        for path, text in self._texts.items():
            text.set_error(self.page.localize.of(by_field[path].message) if path in by_field else None)
        first = next((error.field for error in errors if error.field and self.widget_at(error.field)), None)
        if first is not None:
            self.focus(first)

    def widget_at(self, path: str) -> ValidationElement[Any] | None:
        """Return the widget of a field; of a list or an object the first one inside, of what is unknown none."""
        inside = (found for place, found in self._widgets.items() if place.startswith((f"{path}.", f"{path}[")))
        return self._widgets.get(path) or next(inside, None)

    def focus(self, path: str) -> None:
        """Put the focus into a field, and open what hides it."""
        widget, seconds = self.widget_at(path), 0.0
        for place, hidden in self._advanced:
            if (path == place or path.startswith((f"{place}.", f"{place}["))) and not hidden.value:
                hidden.open()
                seconds = OPEN_SECONDS
        for items in self._line_items:
            items.reveal(path)

        async def focus() -> None:
            await asyncio.sleep(seconds)
            if widget is not None and not widget.is_deleted:
                widget.run_method("focus")

        background_tasks.create(focus())

    def _build_groups(self, declared: Iterable[FieldGroup]) -> None:
        for group in groups_of(self.fields, declared):
            with box("group", "fieldset"):
                if group.label is not None:
                    TextWidget("legend", self.page.localize.of(group.label))
                with box("fields"):
                    for field in group.fields:
                        self._build_field(field, self.draft, "")
        self._build_advanced(self.fields, self.draft, "")

    def _build_fields(self, fields: Iterable[Field], draft: Draft, prefix: str) -> None:
        with box("fields"):
            for field in fields:
                if field.presence != "advanced":
                    self._build_field(field, draft, prefix)
        self._build_advanced(fields, draft, prefix)

    def _build_advanced(self, fields: Iterable[Field], draft: Draft, prefix: str) -> None:
        advanced = [field for field in fields if field.presence == "advanced"]
        if not advanced:
            return
        with ui.expansion(self.page.localize("advanced")).classes("advanced").props("dense") as hidden, box("fields"):
            for field in advanced:
                self._advanced.append((f"{prefix}{field.name}", hidden))
                self._build_field(field, draft, prefix)

    def _field_box(self, field: Field, path: str) -> Element:
        """The box of one field, as wide as the kind of field needs."""
        found = box(f"field w-{width_of(field)}")
        found.props["data-path"] = path
        return found

    def _build_field(self, field: Field, draft: Draft, prefix: str) -> None:
        path = f"{prefix}{field.name}"
        if field.type == "list":
            self._build_list(field, draft, path)
        elif field.type == "object" and field.fields:
            with box("fieldset", "fieldset"):
                TextWidget("legend", self.page.localize.of(field.label))
                self._build_fields(field.fields, draft.setdefault(field.name, {}), f"{path}.")
        elif field.type == "file":
            self._build_file(field, draft)
        elif field.type == "boolean":
            with self._field_box(field, path):
                on_change = self._store_change(draft, field, path)
                checkbox = ui.checkbox(self._label(field), value=bool(draft.get(field.name)), on_change=on_change)
                self._texts[path] = FieldText.of(checkbox.props("dense"), self.page, field)
        else:
            self._widgets[path] = self._build_input(field, draft, path)

    def _build_list(self, field: Field, draft: Draft, path: str) -> None:
        form_access = FormAccess(
            self.page,
            self.fields,
            self.draft,
            self._root,
            self._build_field,
            self._build_fields,
            self._widget,
            self._set_error,
            self._remove_widgets,
            lambda: background_tasks.create(self._load_dropdowns()),
            lambda name: self._on_field_change(name, path),
        )
        sum_rule = self._sum_rule if self._sum_rule and self._sum_rule.lines == path else None
        self._line_items.append(LineItems(form_access, field, path, draft.setdefault(field.name, []), sum_rule))

    def _widget(self, path: str) -> ValidationElement[Any] | None:
        return self._widgets.get(path)

    def _set_error(self, path: str, text: str | None) -> None:
        if path in self._texts:
            self._texts[path].set_error(text)

    def _remove_widgets(self, prefix: str) -> None:
        """Drop the widgets below a path prefix, before its lines are rebuilt."""
        self._widgets = {path: widget for path, widget in self._widgets.items() if not path.startswith(prefix)}
        self._texts = {path: text for path, text in self._texts.items() if not path.startswith(prefix)}
        self._dropdowns = [dropdown for dropdown in self._dropdowns if not dropdown.widget.is_deleted]

    def _build_input(self, field: Field, draft: Draft, path: str) -> ValidationElement[Any]:
        if field.lookup is not None:
            with self._field_box(field, path):
                dropdown = Dropdown(self.page, field, draft, lambda name: self._on_field_change(name, path))
            self._dropdowns.append(dropdown)
            self._texts[path] = dropdown.text
            return dropdown.widget
        with self._field_box(field, path) as place:
            widget: ValidationElement[Any]
            value = draft.get(field.name)
            if field.values:
                options = {choice.value: self.page.localize.of(choice.label) for choice in field.values}
                widget = ui.select(
                    options,
                    label=self._label(field),
                    value=value,
                    clearable=field.default is None,
                    on_change=self._store_change(draft, field, path),
                )
                widget.props("options-dense")
            elif field.type == "object":
                widget = ui.textarea(
                    self._label(field), value=value or "", on_change=self._store_change(draft, field, path)
                )
                widget.props("autogrow")
            else:
                store = self._store_change(draft, field, path)
                if field.type in DAY_TYPES:
                    widget = self._build_day(field, draft, path, store)
                else:
                    widget = text = ui.input(self._label(field), value=value or "", on_change=store)
                    if path in self._suggested:
                        Suggestions(self.page, self._suggested[path], text, self.draft, self._fill_in)
                if field.type in NUMERIC_TYPES:
                    widget.props("inputmode=decimal").classes("number-input")
                if field.type not in DAY_TYPES and "[" not in path:
                    self._check_when_left(widget, field, path)
                if self._on_enter is not None:
                    widget.on("keydown.enter", self._on_enter)
            widget.props("outlined dense stack-label").classes("input")
            place.props["data-widget"] = widget.id
            self._texts[path] = FieldText.of(widget, self.page, field)
        return widget

    def _check_when_left(self, widget: ValidationElement[Any], field: Field, path: str) -> None:
        """Say at a field what cannot be read as soon as it is left; that it is empty is said when it is sent."""
        if field.type not in NUMERIC_TYPES and field.format is None:
            return
        reader = FieldReader(field, self.fields, self.page.console.connector.library.formats)

        def check() -> None:
            problem = reader.problem(widget.value, self.draft)
            if problem is not None:
                self._set_error(path, self.page.localize.of(problem))

        widget.on("blur", check)

    def _build_day(self, field: Field, draft: Draft, path: str, store: Callable[..., None]) -> DayInput:
        """Build a field for a day; what cannot be read is told when it is left."""

        def on_change(event: events.ValueChangeEventArguments[Any]) -> None:
            if widget.means_same(draft.get(field.name), event.value):
                draft[field.name] = event.value  # only tidied: what was said of it holds on
            else:
                store(event)

        def on_done() -> None:
            problem = widget.tidy()
            if problem is not None:
                self._set_error(path, self.page.localize.of(problem))

        value = draft.get(field.name) or ""
        widget = DayInput(self.page, field, self._label(field), value, on_change=on_change, on_done=on_done)
        return widget

    def _build_file(self, field: Field, draft: Draft) -> None:
        localize = self.page.localize

        async def uploaded(event: events.UploadEventArguments) -> None:
            draft[field.name] = await event.file.read()
            draft["dateiname"] = event.file.name
            status.text = localize("file_taken", name=event.file.name, size=len(draft[field.name]))

        def rejected() -> None:
            status.text = localize("file_refused", megabytes=limits.MAX_FILE_BYTES // limits.MEGABYTE)

        with box("field w-text"):
            upload = ui.upload(
                label=self._label(field),
                auto_upload=True,
                max_files=1,
                max_file_size=limits.MAX_FILE_BYTES,
                on_upload=uploaded,
                on_rejected=rejected,
            )
            upload.props("flat bordered").classes("upload")
            status = TextWidget("div", localize.of(field.help), "hint").props('role="status" aria-live="polite"')

    def _label(self, field: Field) -> str:
        return self.page.localize.of(field.label) + (" *" if field.required else "")

    def _store_change(
        self, draft: Draft, field: Field, path: str
    ) -> Callable[[events.ValueChangeEventArguments[Any]], None]:
        def on_change(event: events.ValueChangeEventArguments[Any]) -> None:
            draft[field.name] = event.value
            self._on_field_change(field.name, path)

        return on_change

    def _on_field_change(self, name: str, path: str) -> None:
        """Clear the field's error, reload dropdowns that depend on it, update sums, and tell the page."""
        self._set_error(path, None)
        for dropdown in self._dropdowns:
            if name in dropdown.depends_on:
                background_tasks.create(dropdown.load())
        for items in self._line_items:
            items.show_sum()
        if self._on_change is not None:
            self._on_change()

    async def _load_dropdowns(self) -> None:
        for dropdown in self._dropdowns:
            await dropdown.load()
