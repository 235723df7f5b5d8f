"""What the fields of a form share: help, hint and errors tied to a widget, and what they may use of the form."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from nicegui.element import Element
from nicegui.elements.mixins.validation_element import ValidationElement

from connector.core.data.fields import Field
from connector.interfaces.console.forms.form_model import Draft
from connector.interfaces.console.frame.page_frame import Page
from connector.interfaces.console.frame.widgets import TextWidget
from connector.interfaces.console.localizer import Localizer

# In the browser alone: help is there also while the connection is lost.
TOGGLE = """(event) => {
  const open = document.getElementById('%s').classList.toggle('open');
  event.currentTarget.setAttribute('aria-expanded', open);
}"""


def help_button(label: str, localize: Localizer) -> Element:
    """Create the button that opens the help of something."""
    with Element("button").classes("help-button").props("type=button aria-expanded=false") as button:
        TextWidget("span", "?").props["aria-hidden"] = "true"
        TextWidget("span", localize("field_help", label=label), "unseen")
    return button


def opens(button: Element, text: Element) -> None:
    """Let a button open and close a text, which is closed at first."""
    text.classes("field-help")
    button.props["aria-controls"] = text.html_id
    button.on("click", js_handler=TOGGLE % text.html_id)


class FieldText:
    """What stands at a widget: a hint at all times, help when asked for, an error while something is wrong."""

    def __init__(
        self, widget: Element, localize: Localizer, label: str, *, required: bool, help: str = "", hint: str = ""
    ) -> None:
        self._widget = widget
        self.error: str | None = None
        """What is wrong, as shown."""
        button = help_button(label, localize) if help else None
        self._error = TextWidget("div", "", "field-error")
        self._texts = [TextWidget("div", hint, "hint field-hint")] if hint else []
        if button is not None:
            self._texts.append(TextWidget("div", help, "hint"))
            opens(button, self._texts[-1])
        widget.props["aria-required"] = "true" if required else "false"
        widget.props["aria-invalid"] = "false"
        if isinstance(widget, ValidationElement):
            widget.props["no-error-icon"] = True
        self._describe()

    @classmethod
    def of(cls, widget: Element, page: Page, field: Field) -> FieldText:
        """Return what stands at the widget of a field."""
        localize = page.localize
        hint = localize.of(field.hint) if field.hint is not None else ""
        help = localize.of(field.help)
        return cls(widget, localize, localize.of(field.label), required=field.required, help=help, hint=hint)

    def _describe(self) -> None:
        texts = [self._error, *self._texts] if self.error else self._texts
        self._widget.props.set_optional("aria-describedby", " ".join(text.html_id for text in texts) or None)

    def set_error(self, text: str | None) -> None:
        """Show what is wrong with the field, or that nothing is."""
        if text == self.error:
            return
        self.error, self._error.text = text, text or ""
        props = self._widget.props
        props["error"], props["aria-invalid"] = True if text else None, "true" if text else "false"
        self._describe()


@dataclass(frozen=True, slots=True)
class FormAccess:
    """The parts of the form that its line items use."""

    page: Page
    fields: Iterable[Field]
    draft: Draft
    """The draft of the whole form."""
    root: Element
    """The element that holds all fields of the form."""
    build_field: Callable[[Field, Draft, str], None]
    """Builds the widget of one field, given its draft and the prefix of its path."""
    build_fields: Callable[[Iterable[Field], Draft, str], None]
    """Builds the widgets of several fields, below each other."""
    widget: Callable[[str], ValidationElement[Any] | None]
    """Finds the widget of a path."""
    set_error: Callable[[str, str | None], None]
    """Says what is wrong with the field of a path, or that nothing is."""
    remove_widgets: Callable[[str], None]
    """Removes the widgets whose paths start with a prefix."""
    load_dropdowns: Callable[[], object]
    """Loads the options of dropdowns that were added."""
    changed: Callable[[str], None]
    """Tells the form that a field has changed."""
