"""What would loosen the policy and waits for a second person."""

from __future__ import annotations

from functools import partial
from typing import Any

from nicegui.element import Element

from connector.core.errors import KontorError
from connector.core.messages import say
from connector.interfaces.console.frame.page_frame import Page, page_at, page_frame
from connector.interfaces.console.frame.role_note import role_note
from connector.interfaces.console.frame.widgets import (
    TextWidget,
    box,
    button,
    definition_list,
    empty_note,
    flex_row,
    link,
    panel,
    paragraph,
    show_error,
)
from connector.operations import policy_changes as changing
from connector.runtime.writes.approval import DECIDES
from connector.store.people import policy_changes as stored


@page_at("/policy-changes")
async def policy_changes() -> None:
    """List the changes that wait; who may decide is offered two answers."""
    with page_frame("approvals", say("place_policy_changes")) as page:
        with panel(page.localize("policy_changes_title"), "wide"):
            waiting = ChangeList(page, box("panel-body").props('role="status" aria-live="polite"'))
            link(page.localize("approvals_policy"), page.url("settings/policy"))
        await waiting.refresh()


class ChangeList:
    """The changes that wait, with the values before and after."""

    def __init__(self, page: Page, container: Element) -> None:
        self._page, self._container = page, container

    async def refresh(self) -> None:
        """Show what waits now."""
        console, localize = self._page.console, self._page.localize
        workspace, now = await console.workspace(), console.state.context.now()
        found = await console.read(
            lambda connection: [
                (change, changing.refusal_of(connection, change, console.actor))
                for change in stored.waiting(connection, workspace, now)
            ]
        )
        self._container.clear()
        with self._container:
            if not found:
                empty_note(localize("policy_changes_none"))
            for change, refusal in found:
                self._show(change, refusal)

    def _show(self, change: stored.PolicyChange, refusal: str | None) -> None:
        localize, actor = self._page.localize, self._page.console.actor
        rows = {
            localize(f"policy_{name}_meaning"): f"{self._written(change.before[name])} → {self._written(value)}"
            for name, value in change.after.items()
        }
        with box("need"):
            with box("need-text"):
                TextWidget("strong", localize("policy_change_title"))
                asked, until = change.asked_person or localize("approval_owner"), localize.date_time(change.expires_at)
                paragraph(localize("approval_asked", person=asked, until=until), "quiet")
                definition_list(rows)
            with box("need-remedy") as place:
                if not actor.may(DECIDES):
                    role_note(self._page, DECIDES)
                    return
                if refusal is not None:
                    paragraph(localize(refusal), "quiet")
                with flex_row():
                    if refusal is None:
                        button(
                            localize("policy_change_approve"), partial(self._decide, change.id, place, True), "primary"
                        )
                    button(localize("policy_change_reject"), partial(self._decide, change.id, place, False), "small")

    async def _decide(self, id: str, place: Element, approve: bool) -> None:
        console = self._page.console
        decide = changing.approve_policy_change if approve else changing.reject_policy_change
        try:
            console.check(DECIDES)
            await decide(console.state.context, console.actor, id)
        except KontorError as error:
            place.clear()
            with place:
                show_error(error, self._page.localize)
            return
        await self.refresh()

    def _written(self, value: Any) -> str:
        localize = self._page.localize
        if value is None or value == []:
            return "–"
        if isinstance(value, bool):
            return localize("yes") if value else localize("no")
        return ", ".join(value) if isinstance(value, list) else localize.format_value(value)
