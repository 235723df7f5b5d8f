"""What waits for a decision: another person's approval, and what became of a write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from connector.core.callers import Actor
from connector.core.errors import KontorError
from connector.core.messages import Text
from connector.interfaces.console.console_context import NoCredential
from connector.interfaces.console.forms.option_names import option_names
from connector.interfaces.console.frame.input_facts import input_facts
from connector.interfaces.console.frame.page_calls import PageCalls
from connector.interfaces.console.frame.page_frame import Page, page_at, page_frame
from connector.interfaces.console.frame.role_note import role_note
from connector.interfaces.console.frame.widgets import (
    TextWidget,
    box,
    definition_list,
    empty_note,
    flex_row,
    keep_current,
    link,
    panel,
    paragraph,
    pill,
    show_facts,
)
from connector.interfaces.console.home.attention_list import AttentionList
from connector.interfaces.console.runs.payees import PastPayment, listed_payments, payments_to, show_past
from connector.interfaces.console.runs.run_actions import Decision
from connector.interfaces.question import of_inputs
from connector.operations import runs as approving
from connector.runtime.writes.approval import DECIDES, refusal_of
from connector.runtime.writes.policy_check import money_in
from connector.store.runs import approvals as approval_store
from connector.store.runs.approvals import Approval

REFRESH_SECONDS = 2.0


@page_at("/approvals")
async def approvals() -> None:
    """List what waits for a decision: approvals with two answers for each, unknown outcomes, and alarms."""
    with page_frame("approvals") as page:
        with panel(page.localize("approvals_title"), "wide"):
            WaitingList(page)
            with flex_row():
                link(page.localize("approvals_policy"), page.url("settings/policy"))
                link(page.localize("policy_changes_open"), page.url("policy-changes"))
        with panel(page.localize("decide_unknown_title"), "wide"):
            AttentionList(page, "decide", besides=("approval_waiting",))


def _open_approvals(connection: Connection, workspace: str, actor: Actor) -> list[tuple[Approval, str | None]]:
    """Return what waits, each with the message that says why the visitor is no second person."""
    found = approval_store.in_state(connection, "open", workspace)
    return [(one, refusal_of(connection, one, actor)) for one in found]


class WaitingList:
    """The runs that wait; it is built anew only when they change, so that a question stays open."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._container = box("panel-body").props('role="status" aria-live="polite"')
        self._shown: list[str] | None = None
        self._past: dict[str, tuple[PastPayment, ...] | None] = {}
        self._names: dict[str, dict[str, str]] = {}
        self._approvals: dict[str, Approval] = {}
        self._refusals: dict[str, str | None] = {}
        """By run, the message that says why the visitor is no second person."""
        keep_current(self._container, self.refresh, REFRESH_SECONDS)

    async def refresh(self) -> None:
        """Show the runs that wait now."""
        console = self._page.console
        workspace = await console.workspace()
        console.check("viewer")
        found = await approving.list_approvals(console.state.context, console.actor, workspace)
        ids = [run["id"] for run in found["runs"]]
        if ids == self._shown:
            return
        asked = await console.read(lambda connection: _open_approvals(connection, workspace, console.actor))
        self._approvals = {one.run: one for one, _ in asked}
        self._refusals = {one.run: refusal for one, refusal in asked}
        ids = [id for id in ids if id in self._approvals]
        await self._look_up([run for run in found["runs"] if run["id"] not in self._past])
        self._shown = ids
        self._container.clear()
        with self._container:
            if not ids:
                empty_note(self._page.localize("approvals_none"))
            for run in found["runs"]:
                if run["id"] in self._approvals:
                    self._show(run)

    def _show(self, run: dict[str, Any]) -> None:
        localize, approval, page = self._page.localize, run["approval"], self._page
        action = page.console.connector.action(run["action"])
        facts = input_facts(action.inputs, run["inputs"], localize, self._names.get(run["id"]))
        with box("need"):
            with box("need-text"):
                amount = facts.value(action.money.amount) if action.money is not None else ""
                TextWidget("strong", f"{localize.of(action.title)} {amount}".strip())
                with flex_row():
                    for reason in approval["reasons"]:
                        pill(f"{localize('column_reasons')} {localize(f'approval_because_{reason}')}", "warn")
                asked = approval["asked_person"] or localize("approval_owner")
                until = localize.date_time(approval["expires_at"])
                paragraph(localize("approval_asked", person=asked, until=until), "quiet")
                definition_list(of_inputs(action, run["inputs"], approval["asked_person"]).rows(localize.lang))
                show_facts(facts)
                for warning in approval.get("warnings", ()):
                    TextWidget("p", localize.of(Text(warning["en"], warning["de"])), "notice warn")
                past = self._past.get(run["id"])
                if past is not None:
                    show_past(page, action, run["inputs"], past)
                link(localize("review_open_run"), page.url(f"runs/{run['id']}"))
            with box("need-remedy"):
                if self._may_decide(run):
                    Decision(page, run["id"], self._decided)
                else:
                    refusal = self._refusals[run["id"]]
                    if page.console.actor.may(DECIDES) and refusal is not None:
                        paragraph(localize("approval_is_own" if refusal == "approval_own" else refusal), "quiet")
                    role_note(page, DECIDES)

    def _may_decide(self, run: dict[str, Any]) -> bool:
        return self._page.console.actor.may(DECIDES) and self._refusals[run["id"]] is None

    async def _decided(self) -> None:
        await self.refresh()
        await self._page.show_counts(fresh=True)

    async def _look_up(self, new: Sequence[Mapping[str, Any]]) -> None:
        """Find earlier payments to the payees, by one list, and the names of chosen options, both at no credit."""
        connector, calls = self._page.console.connector, PageCalls(self._page.console)
        actions = {run["id"]: connector.action(run["action"]) for run in new}
        money = {run["id"]: money_in(actions[run["id"]], run["inputs"]) for run in new}
        try:
            listed = await listed_payments(connector, calls) if any(money.values()) else None
        except (KontorError, NoCredential):
            listed = None
        for run in new:
            paid, id = money[run["id"]], run["id"]
            self._past[id] = None if paid is None else payments_to(connector, listed, paid.payee)
            self._names[id] = await option_names(self._page, actions[id], run["inputs"], calls)
