"""Who signs in: people, to invite, give another role and revoke."""

from __future__ import annotations

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
from connector.operations import invitations
from connector.operations.people import HOST_WIDE

TONES = {"active": "good", "invited": "accent", "expired": "warn", "named": "", "revoked": ""}


@page_at("/people")
async def people() -> None:
    """List the people and offer an invitation; what only an admin may see is refused to others."""
    with page_frame("settings", say("place_people")) as page:
        settings_links(page, "people")
        if not offered(page, "admin"):
            return
        with panel(page.localize("people_title"), "wide"):
            paragraph(page.localize("people_intro"), "quiet")
            listed = PeopleList(page, box("panel-body"))
        with panel(page.localize("invite_title"), "wide"):
            InvitationForm(page, box("panel-body"), listed).build()
        await listed.refresh()


class PeopleList:
    """The people with their roles, and what has become of their invitations."""

    def __init__(self, page: Page, container: Element) -> None:
        self._page, self._container = page, container

    async def refresh(self) -> None:
        """Show the people as they are now: those of the workspace, and of the whole host to who manages it."""
        console, localize = self._page.console, self._page.localize
        homes = [await console.workspace()]
        homes += [HOST_WIDE] if console.actor.workspace is None else []
        found = [
            one
            for home in homes
            for one in (await invitations.list_people(console.state.context, console.actor, home))["people"]
        ]
        self._container.clear()
        with self._container:
            if not found:
                empty_note(localize("people_none"))
            for one in found:
                self._show(one)

    def _show(self, one: dict[str, Any]) -> None:
        localize, state = self._page.localize, one["state"]
        with box("need"):
            with box("need-text"):
                with flex_row():
                    TextWidget("strong", one["name"])
                    pill(localize(f"person_is_{state}"), TONES[state])
                if one["role"]:
                    paragraph(localize(f"role_{one['role']}_meaning"))
                facts = [localize("whole_host") if one["workspace"] is None else ""]
                if one["invited_by"]:
                    facts.append(localize("person_invited_by", name=one["invited_by"]))
                if one["accepted_at"]:
                    facts.append(localize("person_since", at=localize.date_time(one["accepted_at"])))
                elif one["invited_until"]:
                    facts.append(localize("person_until", at=localize.date_time(one["invited_until"])))
                paragraph(" · ".join(filter(None, facts)), "quiet")
            if state != "revoked":
                self._offer(one, box("need-remedy"))

    def _offer(self, one: dict[str, Any], place: Element) -> None:
        localize = self._page.localize
        place.clear()
        with place:
            if one["role"]:
                roles = {role: localize(f"role_{role}_name") for role in ROLES}
                label = localize("person_role_of", name=one["name"])
                chosen = ui.select(roles, value=one["role"], label=label).props("outlined dense")
                chosen.on_value_change(lambda change: self._give_role(one, place, change.value))
            button(localize("person_revoke"), partial(self._ask, one, place), "small")

    async def _give_role(self, one: dict[str, Any], place: Element, role: str) -> None:
        console = self._page.console
        try:
            console.check("admin")
            changed = await invitations.change_role(console.state.context, console.actor, one["id"], role=role)
            console.state.tokens.forget()
        except KontorError as error:
            self._refused(error, place)
            return
        await self.refresh()
        self.tell_ended(changed)

    def _ask(self, one: dict[str, Any], place: Element) -> None:
        localize = self._page.localize
        AskBack(place, localize).show(
            localize("person_revoke_question", name=one["name"]),
            localize("person_revoke"),
            partial(self._revoke, one, place),
            partial(self._offer, one, place),
        )

    async def _revoke(self, one: dict[str, Any], place: Element) -> None:
        console, localize = self._page.console, self._page.localize
        try:
            console.check("admin")
            ended = await invitations.revoke_person(console.state.context, console.actor, one["id"])
            console.state.tokens.forget()
        except KontorError as error:
            self._refused(error, place)
            return
        await self.refresh()
        if ended["seen_tokens"]:
            with self._container:
                words = localize("person_seen_tokens", name=one["name"], tokens=", ".join(ended["seen_tokens"]))
                paragraph(words, "notice warn")

    def tell_ended(self, changed: dict[str, Any]) -> None:
        """Say which tokens have ended with a role."""
        if changed["tokens"]:
            localize, names = self._page.localize, ", ".join(changed["tokens"])
            with self._container:
                paragraph(localize("person_tokens_ended", name=changed["name"], tokens=names), "notice warn")

    def _refused(self, error: KontorError, place: Element) -> None:
        place.clear()
        with place:
            show_error(error, self._page.localize)


class InvitationForm:
    """Asks for name, role and days, and shows the link this once."""

    def __init__(self, page: Page, container: Element, listed: PeopleList) -> None:
        self._page, self._container, self._listed = page, container, listed
        self._inviting = False

    def build(self) -> None:
        """Build the fields."""
        localize = self._page.localize
        roles = {role: localize(f"role_{role}_meaning") for role in ROLES}
        with self._container:
            self._name = ui.input(localize("person_name"))
            self._role = ui.select(roles, value=ROLES[0], label=localize("person_role"))
            self._days = ui.input(localize("person_days"), value=str(invitations.INVITED_DAYS))
            for widget in (self._name, self._role, self._days):
                widget.props("outlined dense").classes("policy-field")
            self._wide = ui.checkbox(localize("person_wide")).props("dense")
            self._wide.set_visibility(self._page.console.actor.workspace is None)
            with flex_row("form-actions"):
                button(localize("person_invite"), self._invite, "primary")
            self._told = live_region()
            self._made = live_region()

    async def _invite(self) -> None:
        if self._inviting:  # a second press of the button is the same press
            return
        self._inviting = True
        localize = self._page.localize
        self._told.clear()
        fields = {"name": self._name, "person": self._name, "days": self._days}
        for widget in fields.values():
            widget.error = None
        try:
            made = await self._made_invitation()
        except KontorError as error:
            if error.field in fields:
                fields[error.field].error = localize.of(error.message)
            with self._told:
                show_error(error, localize)
            return
        finally:
            self._inviting = False
        self._name.value = ""
        self._made.clear()
        with self._made:
            until = localize.date_time(made["until"])
            paragraph(localize("invitation_shown_once", name=made["name"], until=until), "notice good")
            code_block(made["link"], localize)
        await self._listed.refresh()
        self._listed.tell_ended(made)

    async def _made_invitation(self) -> dict[str, Any]:
        console = self._page.console
        console.check("admin")
        days = (self._days.value or "").strip()
        if not (days.isascii() and days.isdigit() and len(days) < 4):
            raise InputError(say("invited_days_invalid", most=invitations.MAX_INVITED_DAYS), field="days")
        made = await invitations.invite_person(
            console.state.context,
            console.actor,
            name=self._name.value or "",
            role=self._role.value,
            workspace=HOST_WIDE if self._wide.value else await console.workspace(),
            days=int(days),
        )
        if made["link"].startswith("/"):  # the host does not know how others reach it
            made["link"] = f"{console.host_url}{made['link']}"
        return made
