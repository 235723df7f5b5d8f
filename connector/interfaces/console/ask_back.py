"""Asks back before something that cannot be undone, in the place where it was asked for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from nicegui.element import Element

from connector.interfaces.console.localizer import Localizer
from connector.interfaces.console.widgets import Text, box, button, definition_list, flex_row


class AskBack:
    """A question in a container, with the facts that it is about, and two answers."""

    def __init__(self, container: Element, localize: Localizer) -> None:
        self._container, self._localize = container, localize
        self._answered = False

    def show(
        self,
        question: str,
        yes: str,
        on_yes: Callable[[], Awaitable[None]],
        on_no: Callable[[], None],
        facts: Mapping[str, str] | None = None,
    ) -> None:
        """Replace the container's contents by the question."""
        self._answered = False
        self._container.clear()
        with self._container, box("ask-back").props('role="alertdialog"') as asked:
            asked.props["aria-label"] = question
            Text("strong", question)
            if facts:
                definition_list(facts)
            with flex_row():
                # The way back comes first: a second click on the former button must not be a yes.
                button(self._localize("ask_back_no"), lambda: self._answer(on_no))
                button(yes, lambda: self._confirm(on_yes), "primary")

    def _answer(self, then: Callable[[], None]) -> None:
        if not self._answered:
            self._answered = True
            then()

    async def _confirm(self, then: Callable[[], Awaitable[None]]) -> None:
        if not self._answered:  # the server decides, however often the button was pressed
            self._answered = True
            await then()
