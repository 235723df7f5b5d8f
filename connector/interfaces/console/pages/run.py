"""The page of one run."""

from __future__ import annotations

from connector.core.errors import KontorError
from connector.interfaces.console import run_details
from connector.interfaces.console.page_frame import current_console, page_at, page_frame
from connector.interfaces.console.pages.not_found import not_found_page
from connector.interfaces.console.run_view import RunView


@page_at("/runs/{id}")
async def run_page(id: str) -> None:
    """Show a run of the visitor's workspace."""
    try:
        details = await run_details.load(current_console(), id)
    except KontorError as error:
        not_found_page(error, "runs")
        return
    title = details.action.title if details.action is not None else None
    with page_frame("runs", title) as page:
        RunView(page, details)
