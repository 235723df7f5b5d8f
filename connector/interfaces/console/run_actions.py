"""What may be done with a run: settle, cancel, withdraw, approve, send again, use as a template."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from nicegui import ui
from nicegui.element import Element

from connector.core.errors import KontorError
from connector.interfaces import approving
from connector.interfaces.console.ask_back import AskBack
from connector.interfaces.console.decision import Decision
from connector.interfaces.console.page_frame import Page
from connector.interfaces.console.run_details import RunDetails, may_settle
from connector.interfaces.console.run_standing import SAFE_TO_RETRY, Standing
from connector.interfaces.console.settle_panel import SettlePanel
from connector.interfaces.console.widgets import box, button, flex_row, link, show_error
from connector.runtime.approval import DECIDES, may_approve
from connector.runtime.write_errors import cancelled
from connector.store import run_cancelling

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
        elif one.waiting is not None and run.happened is not None and may_settle(page.console, run):
            SettlePanel(page, run.id, self._settled, one.waiting, run.happened)
        if run.state == "awaiting_approval" and approval is not None and approval.state == "open":
            place = box("decide")
            if may_approve(approval, page.console.actor):
                if page.console.actor.may(DECIDES):
                    with place:
                        Decision(page, run.id, self._refresh)
            else:
                with place:
                    button(localize("withdraw"), partial(self._ask_withdraw, run.id, place), "small")
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
        outcome = cancelled().as_dict()
        try:
            done = await console.write(
                lambda connection: run_cancelling.cancel(connection, one.run, outcome, by, now), "operator"
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
