"""What the parts of a form may use of the form."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from nicegui.element import Element
from nicegui.elements.mixins.validation_element import ValidationElement

from connector.core.fields import Field
from connector.interfaces.console.form_model import Draft
from connector.interfaces.console.page_frame import Page


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
