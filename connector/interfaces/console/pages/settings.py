"""The settings of a workspace: a card for each, and the pages of key, policy, budget and alerts."""

from __future__ import annotations

from dataclasses import asdict
from decimal import Decimal

from nicegui import ui
from sqlalchemy import Connection

from connector.core.errors import InputError, KontorError
from connector.core.messages import say
from connector.durable.upkeep.alerts import set_alert_target
from connector.interfaces.console.console_context import NoCredential
from connector.interfaces.console.flows.subscriptions import target_name
from connector.interfaces.console.forms.drafts import DraftKeeper
from connector.interfaces.console.forms.policy_form import PolicyForm
from connector.interfaces.console.frame.page_frame import Page, page_at, page_frame
from connector.interfaces.console.frame.role_note import offered
from connector.interfaces.console.frame.widgets import (
    TextWidget,
    box,
    button,
    code_block,
    empty_note,
    flex_row,
    link,
    live_region,
    panel,
    paragraph,
    show_error,
)
from connector.interfaces.console.home.credential_panel import CredentialPanel
from connector.operations.money import change_budget, load_report
from connector.store.runs import alerts
from connector.store.triggers import subscriptions, trial_inbox
from connector.store.triggers.subscriptions import Subscription

PLACES = {
    "key": "settings/key",
    "budget": "settings/budget",
    "policy": "settings/policy",
    "alerts": "settings/alerts",
    "people": "people",
    "tokens": "tokens",
    "workspaces": "workspaces",
}
FOR_ADMINS = frozenset({"alerts", "people", "tokens"})
FOR_HOST_WIDE = frozenset({"workspaces"})


def places(page: Page) -> dict[str, str]:
    """Return the settings that this visitor may open, by name."""
    admin, wide = page.console.actor.may("admin"), page.console.actor.workspace is None
    return {
        name: place
        for name, place in PLACES.items()
        if (admin or name not in FOR_ADMINS) and (wide or name not in FOR_HOST_WIDE)
    }


def settings_links(page: Page, current: str) -> None:
    """Show the links, the current one marked."""
    with box("subplaces", "nav") as nav:
        nav.props["aria-label"] = page.localize("settings_nav")
        for name, place in places(page).items():
            item = link(page.localize(f"settings_{name}"), page.url(place), "place")
            if name == current:
                item.props["aria-current"] = "page"


@page_at("/settings")
def settings() -> None:
    """List the settings pages."""
    with page_frame("settings") as page:
        paragraph(page.localize("settings_intro"), "intro")
        with box("cards", "ul"):
            for name, place in places(page).items():
                with ui.element("li"), box("card", "a") as card:
                    card.props["href"] = page.url(place)
                    TextWidget("span", page.localize(f"settings_{name}"), "card-title")
                    TextWidget("span", page.localize(f"settings_{name}_about"), "card-text")


@page_at("/settings/key")
def settings_key() -> None:
    """Show the key in use, or the form for the first one."""
    with page_frame("settings", say("settings_key")) as page:
        settings_links(page, "key")
        with panel(page.localize("credential_title"), "wide"):
            CredentialPanel(page)


@page_at("/settings/policy")
async def settings_policy() -> None:
    """Show the policy, to be read by all and changed by admins."""
    with page_frame("settings", say("settings_policy")) as page:
        settings_links(page, "policy")
        with panel(page.localize("policy_title"), "wide"):
            form = PolicyForm(page, box("panel-body"))
        await form.build()


MAX_CREDITS = 10**9


@page_at("/settings/budget")
async def settings_budget() -> None:
    """Show the budget and what was spent today."""
    with page_frame("settings", say("settings_budget")) as page:
        settings_links(page, "budget")
        with panel(page.localize("settings_budget"), "wide"):
            form = BudgetForm(page)
        await form.build()


class BudgetForm:
    """The three limits, to be read by all and changed by admins."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._body = box("panel-body")
        self._said = live_region()
        self._fields: dict[str, ui.input] = {}
        self._fingerprint = ""
        self._keeper = DraftKeeper("settings/budget")
        self._keeper.mark(self._body)

    async def build(self) -> None:
        """Show the values as they are stored; the service is not asked."""
        console, localize = self._page.console, self._page.localize
        try:
            session = await console.session("viewer")
        except NoCredential:
            with self._body:
                empty_note(localize("no_credential"))
            return
        self._fingerprint = session.credential.fingerprint
        console.connector.shared.usage.flush()
        report = await console.read(lambda connection: load_report(connection, self._fingerprint, session.clock))
        today = sum(
            (one.credits + one.reserved for one in report.spent if one.day == report.day.isoformat()), Decimal(0)
        )
        kept = await self._keeper.load() or {}
        with self._body:
            paragraph(localize("budget_spent_today", credits=localize.credits(today)))
            paragraph(localize("budget_empty_is_none"), "quiet")
            for name, value in asdict(report.budget).items():
                field = ui.input(localize(f"budget_{name}"), value=kept.get(name, str(value or "")))
                field.props["data-path"], field.props["data-widget"] = name, field.id
                field.on_value_change(
                    lambda: self._keeper.save({name: one.value for name, one in self._fields.items()})
                )
                field.props("outlined dense stack-label inputmode=numeric").classes("input number-input")
                self._fields[name] = field
                if not console.actor.may("admin"):
                    field.disable()
            if offered(self._page, "admin"):
                with flex_row("form-actions"):
                    button(localize("policy_save"), self._save, "primary")

    async def _save(self) -> None:
        console, localize = self._page.console, self._page.localize
        self._said.clear()
        try:
            console.check("admin")
            given = {name: self._number(name) for name in self._fields}
            now, by = console.state.context.now(), console.source
            await console.write(
                lambda connection: change_budget(connection, by, self._fingerprint, given, now), role="admin"
            )
        except KontorError as error:
            with self._said:
                show_error(error, localize)
            return
        self._keeper.forget()
        with self._said:
            paragraph(localize("budget_saved"), "notice good")

    def _number(self, name: str) -> int | None:
        field, text = self._fields[name], (self._fields[name].value or "").strip()
        field.error = None
        if text and not (text.isascii() and text.isdigit() and int(text[:11]) <= MAX_CREDITS):
            message = say("budget_not_a_number", label=say(f"budget_{name}"))
            field.error = self._page.localize.of(message)
            raise InputError(message, field=name)
        return int(text) if text and int(text) else None


@page_at("/settings/alerts")
async def settings_alerts() -> None:
    """Show where alerts go, and let an admin change it."""
    with page_frame("settings", say("settings_alerts")) as page:
        settings_links(page, "alerts")
        if not offered(page, "admin"):
            return
        with panel(page.localize("settings_alerts"), "wide"):
            paragraph(page.localize("alerts_intro"), "quiet")
            form = AlertForm(page)
        await form.refresh()


class AlertForm:
    """The address of alerts."""

    def __init__(self, page: Page) -> None:
        self._page, localize = page, page.localize
        self._now = box("panel-body")
        self._target = ui.input(localize("subscribe_target"), placeholder="https://…")
        self._target.props("outlined dense stack-label type=url").classes("input")
        with flex_row():
            button(localize("alerts_save"), self._save, "primary")
            button(localize("subscribe_inbox"), self._save_inbox)
            self._stop_button = button(localize("alerts_stop"), self._stop)
        self._said = live_region()

    async def refresh(self) -> None:
        """Show where alerts go now."""
        workspace, localize = await self._page.console.workspace(), self._page.localize

        def read(connection: Connection) -> Subscription | None:
            id = alerts.target_of(connection, workspace)
            return subscriptions.get(connection, id) if id else None

        found = await self._page.console.read(read)
        self._stop_button.set_visibility(found is not None)
        self._now.clear()
        with self._now:
            if found is not None:
                paragraph(localize("alerts_go_to", host=target_name(self._page, found.target_url)))
                link(localize("alerts_show"), self._page.url(f"subscriptions/{found.id}"))

    async def _save_inbox(self) -> None:
        await self._change(trial_inbox.ADDRESS)

    async def _save(self) -> None:
        await self._change(self._target.value or "")

    async def _stop(self) -> None:
        await self._change(None)

    async def _change(self, url: str | None) -> None:
        console, localize = self._page.console, self._page.localize
        self._said.clear()
        try:
            console.check("admin")
            id = await console.credential_id()
            secret = await set_alert_target(console.state.context, console.source, id, url)
        except KontorError as error:
            with self._said:
                show_error(error, localize)
            return
        except NoCredential:
            with self._said:
                TextWidget("p", localize("no_credential"), "notice bad")
            return
        with self._said:
            if secret is None:
                TextWidget("p", localize("alerts_stopped"), "notice good")
            else:
                TextWidget("p", localize("alerts_saved"), "notice good")
                code_block(secret, localize)
        await self.refresh()
