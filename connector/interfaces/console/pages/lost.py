"""The page for an address that no other page has; its module must be loaded last."""

from __future__ import annotations

from connector.core.errors import NotFound
from connector.core.messages import say
from connector.interfaces.console.page_frame import page_at
from connector.interfaces.console.pages.not_found import not_found_page


@page_at("/{path:path}")
def lost(path: str) -> None:
    """Say that there is no such page."""
    not_found_page(NotFound(say("page_unknown"), remedy=say("page_unknown_remedy"), outcome="not_sent"), "overview")
