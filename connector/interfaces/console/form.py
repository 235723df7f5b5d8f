"""The visible half of a form: a widget for each field of a manifest, all writing into one draft."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from nicegui import background_tasks, events, ui
from nicegui.elements.mixins.validation_element import ValidationElement

from connector.core.errors import KontorError
from connector.core.manifest.converters import MOST_FILE_BYTES
from connector.core.manifest.fields import Field
from connector.interfaces.console.dropdown import Dropdown
from connector.interfaces.console.form_model import Draft, addition_in, blank, inputs_of, shown
from connector.interfaces.console.frame import Visit
from connector.interfaces.console.lines import Around, Lines
from connector.interfaces.console.pieces import Text, box

NATIVE = {"date": "type=date", "date-time": "type=datetime-local"}
NUMERIC = {"money", "number", "integer"}


class Form:
    """A manifest's inputs as a form."""

    def __init__(self, visit: Visit, fields: Iterable[Field], given: dict[str, str] | None = None) -> None:
        self.visit = visit
        self.fields = shown(fields)
        self.draft: Draft = blank(self.fields) | {
            name: value for name, value in (given or {}).items() if name in {field.name for field in self.fields}
        }
        self._addition = addition_in(self.fields)
        self._dropdowns: list[Dropdown] = []
        self._widgets: dict[str, ValidationElement[Any]] = {}
        self._lines: list[Lines] = []
        with box("form").props('role="group"'):
            self._fill(self.fields, self.draft, "")
        background_tasks.create(self._load_dropdowns())

    @property
    def inputs(self) -> dict[str, Any]:
        """What was filled in."""
        return inputs_of(self.fields, self.draft)

    def point_at(self, error: KontorError) -> None:
        """Marks the field that an error speaks of, and goes there."""
        for widget in self._widgets.values():
            widget.error = None
        if error.field and error.field in self._widgets:
            widget = self._widgets[error.field]
            widget.error = self.visit.localize.of(error.message)
            widget.run_method("focus")

    def _fill(self, fields: Iterable[Field], draft: Draft, above: str) -> None:
        plain = [field for field in fields if field.presence != "advanced"]
        advanced = [field for field in fields if field.presence == "advanced"]
        with box("fields"):
            for field in plain:
                self._field(field, draft, above)
        if advanced:
            with ui.expansion(self.visit.localize("advanced")).classes("advanced").props("dense"), box("fields"):
                for field in advanced:
                    self._field(field, draft, above)

    def _field(self, field: Field, draft: Draft, above: str) -> None:
        path = f"{above}{field.name}"
        if field.type == "list":
            self._list(field, draft, path)
        elif field.type == "object" and field.fields:
            with box("fieldset", "fieldset"):
                Text("legend", self.visit.localize.of(field.label))
                self._fill(field.fields, draft.setdefault(field.name, {}), f"{path}.")
        elif field.type == "file":
            self._file(field, draft)
        elif field.type == "boolean":
            with box("field"):
                box_ = ui.checkbox(
                    self._label(field), value=bool(draft.get(field.name)), on_change=self._set(draft, field)
                )
                box_.props("dense")
                Text("div", self.visit.localize.of(field.help), "hint")
        else:
            self._widgets[path] = self._input(field, draft)

    def _list(self, field: Field, draft: Draft, path: str) -> None:
        def fill(line: Draft, above: str) -> None:
            self._fill(field.fields, line, above)
            background_tasks.create(self._load_dropdowns())

        around = Around(self.visit, self.draft, fill, self._forget, self._put)
        adds = self._addition if self._addition and self._addition.lines == path else None
        self._lines.append(Lines(around, field, path, draft.setdefault(field.name, []), adds))

    def _forget(self, prefix: str) -> None:
        """Lines are about to be made anew: their old widgets are gone."""
        self._widgets = {path: widget for path, widget in self._widgets.items() if not path.startswith(prefix)}
        self._dropdowns = [dropdown for dropdown in self._dropdowns if not dropdown.widget.is_deleted]

    def _put(self, name: str, text: str) -> None:
        widget = self._widgets[name]
        widget.value = text

    def _input(self, field: Field, draft: Draft) -> ValidationElement[Any]:
        if field.lookup is not None:
            dropdown = Dropdown(self.visit, field, draft, self._changed)
            self._dropdowns.append(dropdown)
            return dropdown.widget
        with box("field"):
            widget: ValidationElement[Any]
            value = draft.get(field.name)
            if field.values:
                options = {choice.value: self.visit.localize.of(choice.label) for choice in field.values}
                widget = ui.select(
                    options,
                    label=self._label(field),
                    value=value,
                    clearable=field.default is None,
                    on_change=self._set(draft, field),
                )
                widget.props("options-dense")
            elif field.type == "object":
                widget = ui.textarea(self._label(field), value=value or "", on_change=self._set(draft, field))
                widget.props("autogrow")
            else:
                widget = ui.input(self._label(field), value=value or "", on_change=self._set(draft, field))
                widget.props(NATIVE.get(field.type, ""))
                if field.type in NUMERIC:
                    widget.props("inputmode=decimal").classes("number-input")
            widget.props("outlined dense stack-label").classes("input")
            widget.props["hint"] = self.visit.localize.of(field.help)
        return widget

    def _file(self, field: Field, draft: Draft) -> None:
        localize = self.visit.localize

        async def uploaded(event: events.UploadEventArguments) -> None:
            draft[field.name] = await event.file.read()
            draft["dateiname"] = event.file.name
            said.text = localize("file_taken", name=event.file.name, size=len(draft[field.name]))

        def rejected() -> None:
            said.text = localize("file_refused", megabytes=MOST_FILE_BYTES // 1024**2)

        with box("field"):
            upload = ui.upload(
                label=self._label(field),
                auto_upload=True,
                max_files=1,
                max_file_size=MOST_FILE_BYTES,
                on_upload=uploaded,
                on_rejected=rejected,
            )
            upload.props("flat bordered").classes("upload")
            said = Text("div", localize.of(field.help), "hint").props('role="status" aria-live="polite"')

    def _label(self, field: Field) -> str:
        return self.visit.localize.of(field.label) + (" *" if field.required else "")

    def _set(self, draft: Draft, field: Field) -> Callable[[events.ValueChangeEventArguments[Any]], None]:
        def take(event: events.ValueChangeEventArguments[Any]) -> None:
            draft[field.name] = event.value
            self._changed(field.name)

        return take

    def _changed(self, name: str) -> None:
        """Dropdowns that depend on the field ask anew; sums are made anew."""
        for dropdown in self._dropdowns:
            if name in dropdown.needs:
                background_tasks.create(dropdown.load())
        for lines in self._lines:
            lines.add_up()

    async def _load_dropdowns(self) -> None:
        for dropdown in self._dropdowns:
            await dropdown.load()
