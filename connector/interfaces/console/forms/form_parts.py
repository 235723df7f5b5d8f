"""What the fields of a form share: help and errors tied to a widget, and what they may use of the form."""

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


class FieldText:
    """Two lines below a widget; the second is there while something is wrong."""

    def __init__(self, widget: Element, help: str, *, required: bool) -> None:
        self._widget = widget
        self._help = TextWidget("div", help, "hint field-help")
        self._error = TextWidget("div", "", "field-error")
        self.error: str | None = None
        """What is wrong, as shown."""
        widget.props["aria-required"] = "true" if required else "false"
        widget.props["aria-describedby"] = self._help.html_id
        widget.props["aria-invalid"] = "false"
        widget.props["no-error-icon"] = True

    def set_error(self, text: str | None) -> None:
        """Show what is wrong with the field, or that nothing is."""
        if text == self.error:
            return
        self.error, self._error.text = text, text or ""
        props = self._widget.props
        props["error"], props["aria-invalid"] = True if text else None, "true" if text else "false"
        described = [self._error.html_id, self._help.html_id] if text else [self._help.html_id]
        props["aria-describedby"] = " ".join(described)


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
