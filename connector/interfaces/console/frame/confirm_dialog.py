"""Asks back before something that cannot be undone, in the place where it was asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from nicegui import background_tasks, ui
from nicegui.element import Element

from connector.interfaces.console.frame.widgets import TextWidget, box, button, definition_list, flex_row
from connector.interfaces.console.localizer import Localizer
from connector.interfaces.console.login.middleware import localizer_of

ARM_SECONDS = 1.7
"""How long answers stay closed: further clicks on the former button, up to 0.8 s apart, must be neither yes nor no."""
MAX_NOTE = 500


class AskBack:
    """A question in a container, with the facts that it is about, and two answers."""

    def __init__(self, container: Element, localize: Localizer) -> None:
        self._container, self._localize = container, localize
        self._answered = False
        self._note: ui.input | None = None
        self._choice: ui.radio | None = None

    @property
    def chosen(self) -> str:
        """Which answer to the further question was chosen."""
        return str(self._choice.value) if self._choice is not None else ""

    @property
    def note(self) -> str:
        """What the person wrote beside the answer."""
        return str(self._note.value or "").strip()[:MAX_NOTE] if self._note is not None else ""

    def show(
        self,
        question: str,
        yes: str,
        on_yes: Callable[[], Awaitable[None]],
        on_no: Callable[[], None],
        facts: Mapping[str, str] | None = None,
        note: str | None = None,
        choice: tuple[str, Mapping[str, str]] | None = None,
    ) -> None:
        """Replace the container's contents by the question; with `note`, a field of that name stands below it.

        With `choice`, a further question and its answers by name, of which the first is chosen at the beginning.
        """
        self._answered = False
        self._container.clear()
        with self._container, box("ask-back").props('role="alertdialog" tabindex="-1"') as asked:
            asked.props["aria-label"] = question
            TextWidget("strong", question)
            if facts:
                definition_list(facts)
            if choice is not None:
                TextWidget("span", choice[0])
                self._choice = ui.radio(dict(choice[1]), value=next(iter(choice[1]))).props("dense")
                self._choice.props["aria-label"] = choice[0]
            if note is not None:
                self._note = ui.input(note).props(f"outlined dense stack-label maxlength={MAX_NOTE}").classes("note")
            with flex_row():
                back = button(self._localize("ask_back_no"), lambda: self._answer(on_no))
                confirm = button(yes, lambda: self._confirm(on_yes), "primary")
        arm(back)
        arm(confirm)
        focus(asked)

    def _answer(self, then: Callable[[], None]) -> None:
        if not self._answered:
            self._answered = True
            then()

    async def _confirm(self, then: Callable[[], Awaitable[None]]) -> None:
        if not self._answered:  # the server decides, however often the button was pressed
            self._answered = True
            await then()


def arm(made: ui.button) -> None:
    """Open a button only after a moment; until then it shows a lock, and how much of the moment has passed."""
    made.disable()
    made.classes("locked").style(f"--locked-for: {ARM_SECONDS}s")
    made.props["icon"], made.props["title"] = "lock", localizer_of(made.client.request)("locked_for_a_moment")

    async def open_later() -> None:
        await asyncio.sleep(ARM_SECONDS)
        if not made.is_deleted:
            made.props(remove="icon title")
            made.classes(remove="locked")
            made.enable()

    background_tasks.create(open_later())


def focus(element: Element) -> None:
    """Bring an element into view, and the focus to it."""
    place = f"document.getElementById('{element.html_id}')"
    element.client.run_javascript(  # the button that was pressed may be gone by now, and with it its context
        f"setTimeout(() => {{ const e = {place}; if (e) {{ e.scrollIntoView({{block: 'nearest'}}); "
        f"e.focus({{preventScroll: true}}) }} }}, 50)"
    )
