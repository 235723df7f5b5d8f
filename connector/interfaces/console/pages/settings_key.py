"""The API key of a workspace, as a page of its settings: enter, test, replace, remove."""

from __future__ import annotations

from connector.core.messages import say
from connector.interfaces.console.page_frame import page_at, page_frame
from connector.interfaces.console.pages.credential_panel import CredentialPanel
from connector.interfaces.console.settings_links import settings_links
from connector.interfaces.console.widgets import panel


@page_at("/settings/key")
def settings_key() -> None:
    """Show the key in use, or the form for the first one."""
    with page_frame("settings", say("settings_key")) as page:
        settings_links(page, "key")
        with panel(page.localize("credential_title"), "wide"):
            CredentialPanel(page)
