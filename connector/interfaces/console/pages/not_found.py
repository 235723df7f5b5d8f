"""The page for an unknown id."""

from __future__ import annotations

from connector.core.errors import KontorError
from connector.core.messages import say
from connector.interfaces.console.page_frame import page_frame
from connector.interfaces.console.widgets import link, show_error


def not_found_page(error: KontorError, section: str) -> None:
    """Show the error and a link back to the section."""
    with page_frame(section, say("not_there")) as page:
        show_error(error, page.localize)
        link(page.localize(f"place_{section}"), page.url(section))
