"""A live dropdown: asks the service for its options, can be searched, and always takes what is typed by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui
from nicegui.events import GenericEventArguments, ValueChangeEventArguments

from connector.core.errors import KontorError
from connector.core.manifest.fields import Field
from connector.interfaces.console.desk import NoCredential
from connector.interfaces.console.form_model import Draft, lookup_inputs, missing_for_lookup
from connector.interfaces.console.frame import Visit
from connector.interfaces.console.pieces import Text, box
from connector.runtime.result import Options


class Dropdown:
    """The dropdown of one field. `draft` is the whole form's, which its own inputs come from."""

    def __init__(self, visit: Visit, field: Field, draft: Draft, on_change: Callable[[str], None]) -> None:
        self._visit, self._field, self._draft, self._changed = visit, field, draft, on_change
        self._typed = ""
        self._asked: dict[str, Any] | None = None
        given = draft.get(field.name)
        _, self.needs = lookup_inputs(field, draft)
        with box("field"):
            self.widget = ui.select(
                {given: given} if given else {},
                value=given,
                label=visit.localize.of(field.label) + (" *" if field.required else ""),
                new_value_mode="add-unique",
                key_generator=lambda text: text,
                clearable=True,
                on_change=self._chosen,
            ).classes("input")
            self.widget.props("outlined dense stack-label options-dense input-debounce=0")
            self.widget.props["hint"] = visit.localize.of(field.help)
            self.widget.on("input-value", self._note)
            self.widget.on("blur", self._take_typed)
            self._said = Text("div", "", "dropdown-said").props('role="status" aria-live="polite"')

    async def load(self, *, again: bool = False) -> None:
        """Fetches the options, unless they are there already for the same inputs."""
        lookup = self._field.lookup
        assert lookup is not None  # only such fields get a dropdown
        given, _ = lookup_inputs(self._field, self._draft)
        if not again and given == self._asked:
            return
        self._asked = given
        localize, connector = self._visit.localize, self._visit.desk.connector
        missing = missing_for_lookup(connector.lookup(lookup.id).inputs, given)
        if missing:
            self._offer(None)
            self._say(localize("choose_first", fields=", ".join(localize.of(one.label) for one in missing)))
            return
        self.widget.props("loading")
        self._say(localize("options_asking"))
        try:
            session = await self._visit.desk.session()
            options = await session.options(lookup.id, given)
        except KontorError as error:
            self._asked = None
            self._offer(None)
            self._say(
                f"{localize('options_failed')} {localize.of(error.message)} → {localize.of(error.remedy)} "
                f"{localize('options_by_hand')}",
                bad=True,
            )
        except NoCredential:
            self._say(localize("no_credential"), bad=True)
        else:
            self._offer(options)
            self._say("" if len(options) else localize("options_none"))
        finally:
            self.widget.props(remove="loading")

    def _offer(self, options: Options | None) -> None:
        """Shows the options; what was chosen or typed before stays, listed or not."""
        offered = {one.value: f"{one.label} · {one.hint}" if one.hint else one.label for one in options or ()}
        value = self.widget.value
        if value and value not in offered:
            offered[value] = value
        self.widget.set_options(offered, value=value)

    def _chosen(self, event: ValueChangeEventArguments[Any]) -> None:
        self._typed = ""
        if self._draft.get(self._field.name) != event.value:
            self._draft[self._field.name] = event.value
            self.widget.error = None
            self._changed(self._field.name)

    def _note(self, event: GenericEventArguments) -> None:
        self._typed = str(event.args or "").strip()

    def _take_typed(self) -> None:
        """What was typed and not chosen from the list counts when the field is left."""
        typed, self._typed = self._typed, ""
        offered = self.widget.options
        if typed and isinstance(offered, dict) and typed not in offered.values() and typed != self.widget.value:
            self.widget.set_options({**offered, typed: typed}, value=typed)

    def _say(self, text: str, *, bad: bool = False) -> None:
        self._said.text = text
        self._said.classes(replace="dropdown-said bad" if bad else "dropdown-said")
