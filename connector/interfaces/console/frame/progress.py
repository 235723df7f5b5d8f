"""Shows that something is under way: since when, what it waits for and until when; a read can be cancelled."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from nicegui import background_tasks, ui
from nicegui.element import Element

from connector.core.errors import KontorError
from connector.core.manifest.model import Action
from connector.interfaces.console.console_context import NoCredential
from connector.interfaces.console.frame.confirm_dialog import focus
from connector.interfaces.console.frame.page_frame import Page
from connector.interfaces.console.frame.widgets import TextWidget, button, live_region


async def rate_wait(page: Page) -> str:
    """Return the sentence about a wait for the rate window; empty when requests may leave."""
    session = await page.console.session("viewer")
    window = session.state.governor.snapshot(session.clock.monotonic())
    if window.remaining > 0 or window.resets_in <= 0:
        return ""
    until = session.clock.utcnow() + timedelta(seconds=window.resets_in)
    return page.localize("wait_rate", until=page.localize.clock_time(until))


class Progress:
    """A place in the current container that is empty while nothing runs."""

    def __init__(self, page: Page, action: Action) -> None:
        self._page, self._action = page, action
        self._place = live_region("progress-place")

    @contextmanager
    def shown(self, work: asyncio.Task[Any], *, cancellable: bool = False) -> Iterator[None]:
        """Show it for as long as the block lasts."""
        localize = self._page.localize
        with self._place:
            waiting = TextWidget("p", localize("running"), "quiet")
            line = ui.linear_progress(show_value=False).props("indeterminate").classes("progress")
            line.props["aria-label"] = localize("running")
            if cancellable:
                button(localize("cancel_run"), lambda: work.cancel(), "small")
        self.bring(self._place)
        telling = background_tasks.create(self._tell(waiting))
        try:
            yield
        finally:
            telling.cancel()
            self._place.clear()

    def bring(self, element: Element) -> None:
        """Bring an element into view, and the focus to it."""
        element.props('tabindex="-1"')
        focus(element)

    async def _tell(self, waiting: TextWidget) -> None:
        """Say how long it has taken, and what it waits for."""
        localize, started = self._page.localize, time.monotonic()
        while True:
            await asyncio.sleep(1)
            seconds = int(time.monotonic() - started)
            try:
                wait = await rate_wait(self._page)
            except (KontorError, NoCredential):
                wait = ""
            waiting.text = wait or localize("running_for", seconds=seconds, typical=round(self._action.typical))
