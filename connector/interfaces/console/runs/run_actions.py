"""What may be done with a run: settle, cancel, withdraw, approve or reject, send again, use as a template."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial

from nicegui import ui
from nicegui.element import Element

from connector.core.errors import KontorError
from connector.interfaces.console.frame.confirm_dialog import AskBack
from connector.interfaces.console.frame.page_frame import Page
from connector.interfaces.console.frame.role_note import offered, role_note
from connector.interfaces.console.frame.widgets import box, button, flex_row, link, paragraph, show_error
from connector.interfaces.console.runs.run_details import RunDetails, may_settle
from connector.interfaces.console.runs.run_standing import SAFE_TO_RETRY, Standing
from connector.operations import runs as approving
from connector.runtime.requests import rights
from connector.runtime.writes.approval import DECIDES, is_asker
from connector.runtime.writes.attempt import cancelled, error_as_dict
from connector.runtime.writes.held_back import Waiting
from connector.store.runs import runs


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


Refresh = Callable[[], Awaitable[None]]


class RunActions:
    """Built in the current container, and anew when what may be done changes."""

    def __init__(self, page: Page, refresh: Refresh) -> None:
        self._page, self._refresh = page, refresh
        self._container = box("run-actions")
        self._told = box("told").props('role="status" aria-live="polite"')
        self._shown: object = None

    def show(self, one: RunDetails, standing: Standing) -> None:
        """Offer what may be done with the run as it is."""
        approval = one.approval.state if one.approval is not None else None
        waiting = one.waiting.count if one.waiting is not None else 0
        version = (one.run.state, one.unresolved, approval, standing.moving, waiting)
        if version == self._shown:
            return
        self._shown = version
        self._container.clear()
        with self._container:
            self._build(one)

    def _build(self, one: RunDetails) -> None:
        run, page, localize = one.run, self._page, self._page.localize
        approval = one.approval
        if one.unresolved and may_settle(page.console, run):
            SettlePanel(page, run.id, self._settled, one.waiting)
        elif one.unresolved:
            role_note(page, "operator" if one.action is None else rights.role_to_run(one.action))
        elif one.waiting is not None and run.happened is not None and may_settle(page.console, run):
            SettlePanel(page, run.id, self._settled, one.waiting, run.happened)
        if run.state == "awaiting_approval" and approval is not None and approval.state == "open":
            place = box("decide")
            if one.refusal is None:
                with place:
                    if offered(page, DECIDES):
                        Decision(page, run.id, self._refresh)
            elif is_asker(approval, page.console.actor):
                with place:
                    button(localize("withdraw"), partial(self._ask_withdraw, run.id, place), "small")
            else:
                with place:
                    paragraph(localize(one.refusal), "quiet")
                    role_note(page, DECIDES)
        if run.state == "claimed" and may_settle(page.console, run):
            button(localize("cancel_run"), partial(self._cancel, one), "small")
        with flex_row("run-links"):
            if one.action is not None:
                again = run.state in SAFE_TO_RETRY and run.kind == "write"
                text = localize("run_retry") if again else localize("run_template")
                like = link(
                    text, page.url(f"actions/{run.action}?like={run.id}"), "button" if again else "button second"
                )
                like.props["title"] = localize("run_retry_help" if again else "run_template_help")
                link(localize("run_new"), page.url(f"actions/{run.action}?new=1"), "button second")
            link(localize("run_all"), page.url("runs"), "link")

    async def _settled(self, happened: bool) -> None:
        await self._refresh()

    def _ask_withdraw(self, id: str, place: Element) -> None:
        localize = self._page.localize

        def offer() -> None:
            place.clear()
            with place:
                button(localize("withdraw"), partial(self._ask_withdraw, id, place), "small")

        AskBack(place, localize).show(
            localize("withdraw_question"), localize("withdraw_confirm"), partial(self._withdraw, id), offer
        )

    async def _withdraw(self, id: str) -> None:
        console = self._page.console
        try:
            console.check("operator")
            await approving.withdraw_run(console.state.context, console.actor, await console.workspace(), id)
        except KontorError as error:
            self._tell(error)
        await self._refresh()

    async def _cancel(self, one: RunDetails) -> None:
        """End it before its first byte; too late is said, and the page shows what became of it."""
        console, localize = self._page.console, self._page.localize
        now, by = console.state.context.now(), console.source
        outcome = error_as_dict(cancelled())
        try:
            done = await console.write(
                lambda connection: runs.cancel(connection, one.run, outcome, by, now), "operator"
            )
        except KontorError as error:
            self._tell(error)
            return
        if not done:
            ui.notify(localize("cancel_too_late"), type="warning")
        await self._refresh()

    def _tell(self, error: KontorError) -> None:
        self._told.clear()
        with self._told:
            show_error(error, self._page.localize)
