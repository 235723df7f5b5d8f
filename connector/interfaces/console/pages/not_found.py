"""The page for an unknown id or address, in the console's own frame and with the status 404."""

from __future__ import annotations

from functools import cache

from nicegui import ui

from connector.core.errors import KontorError, NotFound
from connector.core.messages import say
from connector.interfaces.console.frame.page_frame import page_at, page_frame
from connector.interfaces.console.frame.widgets import link, show_error
from connector.interfaces.console.login.middleware import STATUS_KEY


def not_found_page(error: KontorError, section: str) -> None:
    """Show the error and a link back to the section; the answer's status is 404."""
    ui.context.client.request.scope[STATUS_KEY]["status"] = 404
    with page_frame(section, say("not_there")) as page:
        show_error(error, page.localize)
        link(page.localize(f"place_{section}"), page.url("" if section == "overview" else section))


@cache
def register() -> None:
    """Take every address that no other page has: after the others, and once."""
    page_at("/{path:path}")(_unknown_address)


def _unknown_address(path: str) -> None:
    not_found_page(NotFound(say("page_unknown"), remedy=say("page_unknown_remedy"), outcome="not_sent"), "overview")
