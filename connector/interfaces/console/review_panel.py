"""The review of a write: what would be sent, what the rules say, and the press that sends it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from nicegui.element import Element

from connector.core.manifest.model import Action
from connector.interfaces.console.ask_back import arm, focus
from connector.interfaces.console.input_facts import input_facts
from connector.interfaces.console.page_frame import Page
from connector.interfaces.console.payee_view import show_past
from connector.interfaces.console.review_facts import Review
from connector.interfaces.console.run_facts import show_facts
from connector.interfaces.console.widgets import Text, box, button, flex_row, heading, link, paragraph


class ReviewPanel:
    """Built in `container`; `on_send` is called once, with what was reviewed."""

    def __init__(
        self,
        page: Page,
        action: Action,
        container: Element,
        on_send: Callable[[Review], Awaitable[None]],
        on_back: Callable[[], None],
    ) -> None:
        self._page, self._action, self._container = page, action, container
        self._on_send, self._on_back = on_send, on_back
        self._sent = False

    def show(self, found: Review, names: Mapping[str, str], key: str | None) -> None:
        """Show the review, and bring it into view."""
        localize = self._page.localize
        self._sent = False
        facts = input_facts(self._action.inputs, found.inputs, localize, names)
        self._container.clear()
        with self._container, box("panel review", "section").props('tabindex="-1"') as panel:
            heading(2, localize("review_title"), "panel-title")
            if found.money is not None and self._action.money is not None:
                with box("review-money"):
                    Text("span", facts.value(self._action.money.amount), "big-number")
            show_facts(facts)
            with box("verdicts"):
                self._build_verdicts(found)
            with flex_row("form-actions"):
                arm(button(localize("review_back"), self._back))
                if found.refusal is None and found.unknown is None:
                    arm(button(self._send_text(found), lambda: self._send(found), "primary"))
            if key is not None and found.refusal is None:
                paragraph(localize("review_key", key=key), "quiet")
        focus(panel)

    def _send_text(self, found: Review) -> str:
        name = "review_send_again" if found.repeat else "review_ask" if found.reasons else "review_send"
        return self._page.localize(name)

    def _build_verdicts(self, found: Review) -> None:
        page, localize = self._page, self._page.localize
        for warning in found.warnings:
            Text("p", localize.of(warning), "notice warn")
        if found.unknown is not None:
            with box("notice bad").props('role="alert"'):
                Text("strong", localize("review_unknown"))
                link(localize("review_open_run"), page.url(f"runs/{found.unknown.id}"))
        elif found.repeat is not None:
            with box("notice warn").props('role="alert"'):
                ago = localize.ago(found.repeat.made_at, page.console.state.context.now())
                Text("strong", localize("review_repeat", ago=ago))
                link(localize("review_open_run"), page.url(f"runs/{found.repeat.id}"))
        self._build_payee(found)
        if found.refusal is not None:
            with box("notice bad").props('role="alert"'):
                Text("strong", localize.of(found.refusal.message))
                paragraph(f"→ {localize.of(found.refusal.remedy)}")
        elif found.reasons:
            because = ", ".join(localize(f"approval_because_{reason}") for reason in found.reasons)
            text = localize("review_needs_approval", because=because, hours=found.approval_hours)
            Text("p", text, "notice warn")
        elif found.money is not None:
            Text("p", localize("review_allowed"), "notice")
        Text("p", localize("review_cost", cost=localize.cost(self._action.cost)), "quiet")

    def _build_payee(self, found: Review) -> None:
        if found.money is not None and found.past is not None:
            show_past(self._page, self._action, found.inputs, found.past)

    def _back(self) -> None:
        if not self._sent:
            self._on_back()

    async def _send(self, found: Review) -> None:
        if not self._sent:  # the server decides, however often the button was pressed
            self._sent = True
            try:
                await self._on_send(found)
            except BaseException:
                self._sent = False  # under its key it is the same run
                raise
