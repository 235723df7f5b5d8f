"""The page for an unknown id or address, in the console's own frame and with the status 404."""

from __future__ import annotations

from nicegui import ui

from connector.core.errors import KontorError
from connector.core.messages import say
from connector.interfaces.console.login_middleware import STATUS_KEY
from connector.interfaces.console.page_frame import page_frame
from connector.interfaces.console.widgets import link, show_error


def not_found_page(error: KontorError, section: str) -> None:
    """Show the error and a link back to the section; the answer's status is 404."""
    ui.context.client.request.scope[STATUS_KEY]["status"] = 404
    with page_frame(section, say("not_there")) as page:
        show_error(error, page.localize)
        link(page.localize(f"place_{section}"), page.url("" if section == "overview" else section))
