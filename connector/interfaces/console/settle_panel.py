"""Settles a run whose outcome is unknown: a person says whether it happened, is asked back, and may leave a note."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from nicegui import ui

from connector.core.errors import KontorError
from connector.interfaces.console.ask_back import AskBack
from connector.interfaces.console.page_frame import Page
from connector.interfaces.console.widgets import box, button, flex_row, paragraph
from connector.runtime.held_back import Waiting

RELEASE: Mapping[str, bool | None] = {"later": None, "release": True, "no_release": False}
"""What may be said of those that wait."""


class SettlePanel:
    """Two buttons in the current container; `on_settled` is told what the person said.

    Where equal writes wait for the run, their number and sum stand above, and the question asks what becomes of them.
    """

    def __init__(
        self,
        page: Page,
        run: str,
        on_settled: Callable[[bool], Awaitable[None]],
        waiting: Waiting | None = None,
        happened: bool | None = None,
    ) -> None:
        """`happened` is what is known of the run already: then only what waits for it is decided."""
        self._page, self._run, self._on_settled, self._waiting = page, run, on_settled, waiting
        self._happened = happened
        self._container = box("settle")
        self._question = AskBack(self._container, page.localize)
        self._show()

    def _show(self) -> None:
        localize = self._page.localize
        self._container.clear()
        if self._waiting is not None:
            with self._container:
                paragraph(localize.of(self._waiting.told), "waiting")
        with self._container, flex_row():
            if (known := self._happened) is not None:
                button(localize("waiting_decide"), lambda: self._ask(happened=known), "small")
                return
            button(localize("settle_yes"), lambda: self._ask(happened=True), "primary small")
            button(localize("settle_no"), lambda: self._ask(happened=False), "small")

    def _ask(self, *, happened: bool) -> None:
        localize, name = self._page.localize, "yes" if happened else "no"
        question, confirm = localize(f"settle_{name}_question"), localize(f"settle_{name}_confirm")
        if self._happened is not None:
            question, confirm = localize("waiting_question"), localize("waiting_confirm")
        self._question.show(
            question,
            confirm,
            lambda: self._settle(happened),
            self._show,
            facts=None if self._waiting is None else {localize("column_waiting"): localize.of(self._waiting.told)},
            note=localize("settle_note"),
            choice=None if self._waiting is None else self._release_choice(),
        )

    def _release_choice(self) -> tuple[str, dict[str, str]]:
        localize = self._page.localize
        return localize("waiting_question"), {name: localize(f"waiting_choice_{name}") for name in RELEASE}

    async def _settle(self, happened: bool) -> None:
        console, note = self._page.console, self._question.note
        self._container.clear()
        with self._container:  # of a run that was being sent, it is watched first whether anybody still does
            paragraph(self._page.localize("settle_watching"), "quiet")
        try:
            session, waiting = await console.session(), self._waiting
            release = RELEASE.get(self._question.chosen) if waiting is not None else None
            seen = waiting.count if waiting is not None and release is not None else None
            await session.settle(self._run, happened, note, console.actor, release=release, waiting=seen)
            console.state.context.wake()
        except KontorError as error:
            ui.notify(self._page.localize.of(error.message), type="negative")
            self._show()
            return
        await self._on_settled(happened)
