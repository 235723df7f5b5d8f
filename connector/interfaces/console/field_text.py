"""Help and error of one field, tied to its widget so that a screen reader reads them with it."""

from __future__ import annotations

from nicegui.element import Element

from connector.interfaces.console.widgets import Text


class FieldText:
    """Two lines below a widget; the second is there while something is wrong."""

    def __init__(self, widget: Element, help: str, *, required: bool) -> None:
        self._widget = widget
        self._help = Text("div", help, "hint field-help")
        self._error = Text("div", "", "field-error")
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
