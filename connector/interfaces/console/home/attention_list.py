"""Shows what needs a person, each item with its next step; what the visitor cannot mend says who can."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from functools import partial

from nicegui import ui
from nicegui.element import Element

from connector.core.callers import ROLE_TO_MOVE
from connector.core.errors import KontorError
from connector.durable.inbox import registration
from connector.durable.upkeep.attention import AREAS, Area, AttentionItem
from connector.interfaces.console.console_context import NoCredential
from connector.interfaces.console.forms.option_names import option_names
from connector.interfaces.console.frame.input_facts import input_facts
from connector.interfaces.console.frame.page_calls import PageCalls
from connector.interfaces.console.frame.page_frame import Page
from connector.interfaces.console.frame.role_note import role_note
from connector.interfaces.console.frame.widgets import (
    TextWidget,
    box,
    button,
    flex_row,
    keep_current,
    link,
    paragraph,
    pill,
    show_error,
    show_facts,
)
from connector.interfaces.console.runs import run_details
from connector.interfaces.console.runs.run_actions import SettlePanel
from connector.interfaces.console.runs.run_details import RunDetails, may_settle
from connector.operations.attention import look_at_banks

REFRESH_SECONDS = 4.0
NEXT_STEPS = {
    "approval_waiting": "need_decide",
    "subscription_failing": "open_subscription",
    "delivery_given_up": "open_subscription",
    "consent_over": "renew",
    "consent_ending": "renew",
    "bank_needs_attention": "renew",
    "balance_old": "renew",
    "budget_used_up": "open_budget",
    "budget_nearly_used": "open_budget",
    "paid_twice": "open_run",
    "done_after_refusal": "open_run",
}
"""What the link to an item's page is called; the others have buttons of their own, or none."""


class AttentionList:
    """Builds itself into the current panel: all items, or those of some areas.

    An item stays as it is while it lasts, so that a question that somebody is answering stays open.
    """

    def __init__(self, page: Page, *areas: Area, besides: Collection[str] = ()) -> None:
        """`besides` are kinds that the page shows in another way."""
        self._page, self._areas, self._besides = page, areas or AREAS, besides
        self._said = box("live").props('role="alert"')
        self._list = box("needs").props('role="status" aria-live="polite"')
        self._shown: dict[AttentionItem, Element] = {}
        self._empty: Element | None = None
        self._runs: dict[str, RunDetails] = {}
        self._names: dict[str, dict[str, str]] = {}
        self._calls = PageCalls(page.console)
        with self._list:
            self._empty = paragraph(page.localize("running"), "quiet")
        if page.console.actor.may("operator") and "operate" in self._areas:
            with flex_row():
                button(page.localize("look_again"), self._look_again, "small")
        keep_current(self._list, self.refresh, REFRESH_SECONDS, first=partial(self.refresh, first=True))

    async def refresh(self, *, first: bool = False, fresh: bool = False) -> None:
        """Show what needs a person now; items that are over go, new ones come."""
        console = self._page.console
        try:
            items = await console.attention(fresh=fresh or first)
            if first and console.actor.may("operator"):
                with suppress(NoCredential):
                    await console.credential_id()  # the host's own key is kept from now on
                await look_at_banks(console.state.context, await console.workspace())
            wanted = [item for item in items if item.area in self._areas and item.kind not in self._besides]
            if list(self._shown) == wanted and self._empty is None:
                return
            for item in wanted:
                await self._load(item)
        except KontorError as error:
            self._tell(error)
            return
        self._page.navigation[0].show_counts(items)
        self._update(wanted)

    def _update(self, wanted: list[AttentionItem]) -> None:
        for item in [item for item in self._shown if item not in wanted]:
            self._shown.pop(item).delete()
        if self._empty is not None and (wanted or not self._shown):
            self._empty.delete()
            self._empty = None
        for place, item in enumerate(wanted):
            if item not in self._shown:
                with self._list, box("need") as shown:
                    shown.props["data-kind"] = item.kind
                    self._build(item)
                shown.move(target_index=place)
                self._shown[item] = shown
        self._shown = {item: self._shown[item] for item in wanted}
        if not wanted:
            with self._list:
                self._empty = paragraph(self._page.localize("needs_none"), "all-well")

    async def _load(self, item: AttentionItem) -> None:
        """Load the run of an item whose outcome is unknown, and what its chosen options are called, at no credit."""
        if item.kind != "outcome_unknown" or item.subject in self._runs:
            return
        try:
            one = await run_details.load(self._page.console, item.subject)
            self._runs[item.subject] = one
            if one.action is not None and isinstance(one.run.inputs, dict):
                self._names[item.subject] = await option_names(self._page, one.action, one.run.inputs, self._calls)
        except (KontorError, NoCredential):
            return

    def _build(self, item: AttentionItem) -> None:
        localize = self._page.localize
        with box("need-text"):
            TextWidget("strong", localize.of(item.message))
            paragraph(f"→ {localize.of(item.remedy)}", "quiet")
            if item.said:
                TextWidget("q", item.said, "said quiet")
            one = self._runs.get(item.subject)
            if one is not None:
                self._show_run(one)
            if item.since is not None:
                TextWidget("span", localize("need_since", at=localize.date_time(item.since)), "quiet")
        with flex_row("need-remedy"):
            if len(self._areas) > 1:
                pill(localize(f"navigation_{item.area}"))
            self._build_next_step(item)

    def _show_run(self, one: RunDetails) -> None:
        """Say in the form's own words what the run is about, with a link to its page."""
        localize, run = self._page.localize, one.run
        show_facts(input_facts(one.action.inputs if one.action else (), run.inputs, localize, self._names.get(run.id)))
        link(localize("need_open_run", at=localize.moment(run.made_at)), self._page.url(f"runs/{run.id}"))

    def _build_next_step(self, item: AttentionItem) -> None:
        page, localize = self._page, self._page.localize
        one = self._runs.get(item.subject)
        if item.kind == "outcome_unknown" and one is not None and may_settle(page.console, one.run):
            SettlePanel(page, item.subject, self._settled, one.waiting)
        elif not page.console.actor.may(item.role) or item.kind == "outcome_unknown":
            role_note(page, item.role)
        elif item.kind == "webhook_url_lost":
            button(localize("take_over"), partial(self._take_over, item.subject), "primary small")
        elif item.kind == "forwarding_failing":
            button(localize("stop_passing_on"), partial(self._stop_passing_on, item.subject), "small")
        elif item.kind == "webhook_url_failing":
            link(localize("place_doctor"), page.url("doctor"), "button")
        elif item.reconnect_url:
            link(localize("reconnect"), item.reconnect_url, "button")
        elif item.kind in NEXT_STEPS:
            link(localize(NEXT_STEPS[item.kind]), page.url(item.place), "button")

    async def _settled(self, happened: bool) -> None:
        await self.refresh(fresh=True)

    async def _look_again(self) -> None:
        context = self._page.console.state.context
        await look_at_banks(context, await self._page.console.workspace(), again=True)
        await self.refresh(fresh=True)
        ui.notify(self._page.localize("looking_again"), position="bottom", timeout=1500)

    async def _stop_passing_on(self, credential_id: str) -> None:
        console = self._page.console
        try:
            console.check(ROLE_TO_MOVE["webhook_url"])
            await registration.stop_passing_on(console.state.context, credential_id)
        except KontorError as error:
            self._tell(error)
        await self.refresh(fresh=True)

    async def _take_over(self, credential_id: str) -> None:
        console = self._page.console
        try:
            console.check(ROLE_TO_MOVE["webhook_url"])
            await registration.ensure(console.state.context, credential_id, takeover=True)
        except KontorError as error:
            self._tell(error)
        await self.refresh(fresh=True)

    def _tell(self, error: KontorError) -> None:
        self._said.clear()
        with self._said:
            show_error(error, self._page.localize)
