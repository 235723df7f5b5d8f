"""The start page: how far the workspace is set up, what waits, what changed and what comes."""

from __future__ import annotations

from connector.interfaces.console.frame.page_frame import page_at, page_frame
from connector.interfaces.console.frame.widgets import box, panel
from connector.interfaces.console.home.attention_list import AttentionList
from connector.interfaces.console.home.changes import changes_panel
from connector.interfaces.console.home.coming import coming_panel
from connector.interfaces.console.home.live_panel import LivePanel
from connector.interfaces.console.home.setup_checklist import SetupChecklist


@page_at("/")
def overview() -> None:
    """Show the start page."""
    with page_frame("overview") as page:
        SetupChecklist(page)
        with panel(page.localize("needs_title"), "wide"):
            AttentionList(page)
        with box("panels"):
            with panel(page.localize("changes_title")):
                LivePanel(page, changes_panel)
            with panel(page.localize("coming_title")):
                LivePanel(page, coming_panel)
