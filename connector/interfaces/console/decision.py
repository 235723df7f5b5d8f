"""Approves or rejects a run that waits: two buttons, a question, and for a refusal the reason."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from connector.core.errors import KontorError
from connector.interfaces import approving
from connector.interfaces.console.ask_back import AskBack
from connector.interfaces.console.page_frame import Page
from connector.interfaces.console.widgets import box, button, flex_row, paragraph, show_error


class Decision:
    """Built in the current container; `on_decided` is told when something was decided."""

    def __init__(self, page: Page, run: str, on_decided: Callable[[], Awaitable[None]]) -> None:
        self._page, self._run, self._on_decided = page, run, on_decided
        self._place = box("decide")
        self._told = box("told").props('role="status" aria-live="polite"')
        self._offer()

    def _offer(self) -> None:
        localize = self._page.localize
        self._place.clear()
        with self._place, flex_row():
            button(localize("approve"), partial(self._ask, approve=True), "primary small")
            button(localize("reject"), partial(self._ask, approve=False), "small")

    def _ask(self, *, approve: bool) -> None:
        localize, name = self._page.localize, "approve" if approve else "reject"
        self._told.clear()
        asked = AskBack(self._place, localize)
        asked.show(
            localize(f"{name}_question"),
            localize(f"{name}_confirm"),
            lambda: self._decide(asked.note, approve=approve),
            self._offer,
            note=None if approve else localize("reject_why"),
        )

    async def _decide(self, why: str, *, approve: bool) -> None:
        console = self._page.console
        self._place.clear()
        try:
            console.check("approver")
            await approving.decide_run(console.state.context, console.actor, self._run, approve=approve, why=why)
        except KontorError as error:
            with self._told:
                show_error(error, self._page.localize)
            return
        with self._told:
            paragraph(self._page.localize("approve_done" if approve else "reject_done"), "notice good")
        await self._on_decided()
