"""Settles a run whose outcome is unknown: a person says whether it happened, is asked back, and may leave a note."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from nicegui import ui

from connector.core.errors import KontorError
from connector.interfaces.console.ask_back import AskBack
from connector.interfaces.console.page_frame import Page
from connector.interfaces.console.widgets import box, button, flex_row, paragraph


class SettlePanel:
    """Two buttons in the current container; `on_settled` is told what the person said."""

    def __init__(self, page: Page, run: str, on_settled: Callable[[bool], Awaitable[None]]) -> None:
        self._page, self._run, self._on_settled = page, run, on_settled
        self._container = box("settle")
        self._question = AskBack(self._container, page.localize)
        self._show()

    def _show(self) -> None:
        localize = self._page.localize
        self._container.clear()
        with self._container, flex_row():
            button(localize("settle_yes"), lambda: self._ask(happened=True), "primary small")
            button(localize("settle_no"), lambda: self._ask(happened=False), "small")

    def _ask(self, *, happened: bool) -> None:
        localize, name = self._page.localize, "yes" if happened else "no"
        self._question.show(
            localize(f"settle_{name}_question"),
            localize(f"settle_{name}_confirm"),
            lambda: self._settle(happened),
            self._show,
            note=localize("settle_note"),
        )

    async def _settle(self, happened: bool) -> None:
        console, note = self._page.console, self._question.note
        self._container.clear()
        with self._container:  # of a run that was being sent, it is watched first whether anybody still does
            paragraph(self._page.localize("settle_watching"), "quiet")
        try:
            await (await console.session()).settle(self._run, happened, note, console.actor)
        except KontorError as error:
            ui.notify(self._page.localize.of(error.message), type="negative")
            self._show()
            return
        await self._on_settled(happened)
