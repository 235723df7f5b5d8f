"""Who has access: the tokens of the workspace, to create and revoke."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Any

from nicegui import ui
from nicegui.element import Element

from connector.core.callers import ROLES
from connector.core.errors import InputError, KontorError
from connector.core.messages import say
from connector.interfaces.console.frame.confirm_dialog import AskBack
from connector.interfaces.console.frame.page_frame import Page, page_at, page_frame
from connector.interfaces.console.frame.role_note import offered
from connector.interfaces.console.frame.widgets import (
    TextWidget,
    box,
    button,
    code_block,
    empty_note,
    flex_row,
    live_region,
    panel,
    paragraph,
    pill,
    show_error,
)
from connector.interfaces.console.pages.settings import settings_links
from connector.operations import people as administration
from connector.store.trust import workspaces

MAX_DAYS = 36_500
TONES = {"valid": "good", "expired": "warn", "revoked": ""}


@page_at("/tokens")
async def tokens() -> None:
    """List the tokens and offer a new one; what only an admin may see is refused to others."""
    with page_frame("settings", say("place_tokens")) as page:
        settings_links(page, "tokens")
        if not offered(page, "admin"):
            return
        with panel(page.localize("tokens_title"), "wide"):
            listed = TokenList(page, box("panel-body"))
        with panel(page.localize("token_new"), "wide"):
            TokenForm(page, box("panel-body"), listed).build()
        await listed.refresh()


class TokenList:
    """The tokens with role, person and last use."""

    def __init__(self, page: Page, container: Element) -> None:
        self._page, self._container = page, container

    async def refresh(self) -> None:
        """Show the tokens as they are now."""
        console = self._page.console
        found = await administration.list_tokens(console.state.context, console.actor)
        self._container.clear()
        with self._container:
            if not found["tokens"]:
                empty_note(self._page.localize("tokens_none"))
            for one in found["tokens"]:
                self._show(one)

    def _show(self, one: dict[str, Any]) -> None:
        localize = self._page.localize
        state = administration.token_state(one, self._page.console.state.context.now())
        with box("need"):
            with box("need-text"):
                with flex_row():
                    TextWidget("strong", one["name"])
                    pill(localize(f"token_is_{state}"), TONES[state])
                    if one["agent"]:
                        pill(localize("token_is_agent"), "accent")
                    elif one["machine"]:
                        pill(localize("token_is_machine"))
                paragraph(localize(f"role_{one['role']}_meaning"))
                home = one["workspace"] or localize("whole_host")
                facts = [one["person"], "" if home == workspaces.DEFAULT else home]
                if one["last_used_at"]:
                    facts.append(f"{localize('column_used')}: {localize.date_time(one['last_used_at'])}")
                if one["expires_at"]:
                    facts.append(localize("token_until", until=localize.date_time(one["expires_at"])))
                paragraph(" · ".join(filter(None, facts)), "quiet")
            if state != "revoked":
                self._offer(one, box("need-remedy"))

    def _offer(self, one: dict[str, Any], place: Element) -> None:
        place.clear()
        with place:
            button(self._page.localize("token_revoke"), partial(self._ask, one, place), "small")

    def _ask(self, one: dict[str, Any], place: Element) -> None:
        localize = self._page.localize
        AskBack(place, localize).show(
            localize("token_revoke_question", name=one["name"]),
            localize("token_revoke"),
            partial(self._revoke, one, place),
            partial(self._offer, one, place),
        )

    async def _revoke(self, one: dict[str, Any], place: Element) -> None:
        console = self._page.console
        try:
            console.check("admin")
            workspace = one["workspace"] or administration.HOST_WIDE
            await administration.revoke_token(console.state.context, console.actor, one["name"], workspace)
            console.state.tokens.forget()
        except KontorError as error:
            place.clear()
            with place:
                show_error(error, self._page.localize)
            return
        await self.refresh()


class TokenForm:
    """Asks for name, role, person and days, and shows the new token this once."""

    def __init__(self, page: Page, container: Element, listed: TokenList) -> None:
        self._page, self._container, self._listed = page, container, listed
        self._creating = False

    def build(self) -> None:
        """Build the fields."""
        localize = self._page.localize
        roles = {role: localize(f"role_{role}_meaning") for role in ROLES}
        with self._container:
            self._name = ui.input(localize("token_name"))
            self._person = ui.input(localize("token_person"))
            self._role = ui.select(roles, value=ROLES[0], label=localize("token_role"))
            self._days = ui.input(localize("token_days"))
            for widget in (self._name, self._person, self._role, self._days):
                widget.props("outlined dense").classes("policy-field")
            self._agent = ui.checkbox(localize("token_agent")).props("dense")
            paragraph(localize("token_agent_help"), "quiet")
            with flex_row("form-actions"):
                button(localize("token_create"), self._create, "primary")
            self._told = live_region()
            self._made = live_region()

    async def _create(self) -> None:
        if self._creating:  # a second press of the button is the same press
            return
        self._creating = True
        self._told.clear()
        fields = {"name": self._name, "person": self._person, "days": self._days}
        for widget in fields.values():
            widget.error = None
        try:
            made = await self._made_token()
        except KontorError as error:
            if error.field in fields:
                fields[error.field].error = self._page.localize.of(error.message)
                return
            with self._told:
                show_error(error, self._page.localize)
            return
        finally:
            self._creating = False
        localize = self._page.localize
        self._name.value = self._person.value = self._days.value = ""
        self._agent.value = False
        self._made.clear()
        with self._made:
            paragraph(localize("token_shown_once", name=made["name"]), "notice good")
            code_block(made["token"], localize)
        await self._listed.refresh()

    async def _made_token(self) -> dict[str, Any]:
        console = self._page.console
        console.check("admin")
        context, days = console.state.context, (self._days.value or "").strip()
        if days and not (days.isascii() and days.isdigit() and 0 < int(days) <= MAX_DAYS):
            raise InputError(say("token_days_invalid", most=MAX_DAYS), field="days")
        return await administration.create_token(
            context,
            console.actor,
            name=(self._name.value or "").strip(),
            role=self._role.value,
            person=(self._person.value or "").strip(),
            workspace=await console.workspace(),
            expires_at=context.now() + timedelta(days=int(days)) if days else None,
            agent=bool(self._agent.value),
        )
