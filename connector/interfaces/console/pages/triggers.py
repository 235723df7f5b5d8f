"""The pages of triggers: all of them and the events that came in, and one with live watch and subscriptions."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from connector.core.data import localize as words
from connector.core.data.price import price_of_day
from connector.core.errors import KontorError
from connector.core.manifest.files import AREAS
from connector.core.manifest.model import Trigger
from connector.interfaces.console.console_context import NoCredential
from connector.interfaces.console.flows.subscription_form import SubscriptionForm
from connector.interfaces.console.flows.subscriptions import SubscriptionList
from connector.interfaces.console.flows.trigger_watch import LiveWatchPanel
from connector.interfaces.console.forms.drafts import DraftKeeper
from connector.interfaces.console.forms.form import Form
from connector.interfaces.console.forms.form_model import Draft, draft_of_query
from connector.interfaces.console.frame.page_frame import Page, current_console, page_at, page_frame
from connector.interfaces.console.frame.role_note import offered
from connector.interfaces.console.frame.snippets import pretty
from connector.interfaces.console.frame.widgets import (
    TextWidget,
    box,
    code_block,
    empty_note,
    heading,
    keep_current,
    panel,
    pill,
    table_cell,
)
from connector.interfaces.console.pages.actions import card
from connector.interfaces.console.pages.not_found import not_found_page
from connector.store.triggers import events
from connector.store.triggers.events import Event

REFRESH_SECONDS = 2.0
MAX_EVENTS = 20
TONES = {"fired": "good", "new": "", "stale": "", "unconfirmed": "warn", "forged": "bad", "unknown": "warn"}


@page_at("/triggers")
def triggers() -> None:
    """List all triggers."""
    with page_frame("triggers") as page:
        found = sorted(page.console.connector.triggers.values(), key=lambda one: one.title.in_(page.localize.lang))
        for area in AREAS:
            mine = [trigger for trigger in found if trigger.area == area]
            if mine:
                heading(2, page.localize(f"area_{area}"))
                with box("cards", "ul"):
                    for trigger in mine:
                        card(page, trigger)
        with panel(page.localize("events_title"), "wide"):
            container = box("panel-body")
        _refresh_events(page, container)


def _refresh_events(page: Page, container: Any) -> None:
    shown: list[tuple[int, str, int]] = [(-1, "", 0)]

    async def fill() -> None:
        try:
            credential_id = await page.console.credential_id()
        except NoCredential:
            return
        latest = await page.console.read(lambda connection: events.listed(connection, credential_id, MAX_EVENTS))
        versions = [(event.id, event.state, event.repeats) for event in latest]
        if versions == shown:
            return
        shown[:] = versions
        container.clear()
        with container:
            show_events(page, list(latest))

    keep_current(container, fill, REFRESH_SECONDS)


def show_events(page: Page, latest: list[Event]) -> None:
    """Show received events with their state."""
    localize, known = page.localize, page.console.connector.library.words["event"]
    if not latest:
        empty_note(localize("events_none"))
        return
    with box("table-frame").props('tabindex="0"'), box("grid", "table"):
        with ui.element("thead"), ui.element("tr"):
            for name in ("head_at", "head_event", "head_state", "head_repeats"):
                TextWidget("th", localize(name)).props('scope="col"')
        with ui.element("tbody"):
            for event in latest:
                with ui.element("tr"):
                    TextWidget("td", localize.date_time(event.arrived_at))
                    TextWidget("td", words.word(event.event, known, localize.lang))
                    with ui.element("td"):
                        pill(localize(f"event_{event.state}"), TONES[event.state])
                    table_cell(str(event.repeats or ""), localize("head_repeats"))


@page_at("/triggers/{id}")
async def trigger_page(id: str) -> None:
    """Show a trigger; query parameters prefill the form."""
    given = dict(ui.context.client.request.query_params)
    try:
        trigger = current_console().connector.trigger(id)
    except KontorError as error:
        not_found_page(error, "triggers")
        return
    with page_frame("triggers", trigger.title) as page:
        place, keeper = box("trigger-place"), DraftKeeper(f"triggers/{trigger.id}")
        kept = await keeper.load() if trigger.inputs else None
        with place:
            TriggerView(page, trigger, given, keeper, kept)


class TriggerView:
    """The filter form, the live panel and the subscriptions."""

    def __init__(
        self, page: Page, trigger: Trigger, given: dict[str, str], keeper: DraftKeeper, kept: Draft | None
    ) -> None:
        self._page, self._trigger, self._keeper = page, trigger, keeper
        localize = page.localize
        with box("pills"):
            pill(localize(f"source_{trigger.source}"), "accent" if trigger.source == "event" else "")
            pill(localize.cost(trigger.cost), "" if trigger.cost.credits else "good")
            TextWidget("code", trigger.id, "id")
        TextWidget("p", localize.of(trigger.description), "intro")
        TextWidget("p", localize.of(price_of_day(trigger.raw)), "quiet")
        with box("split"):
            with panel(localize("filters_title")) as filters:
                keeper.mark(filters)
                formats = page.console.connector.library.formats
                draft = draft_of_query(trigger.inputs, given, formats, localize.lang)
                values = (kept or {}) | draft
                self._form = Form(page, trigger.inputs, values, self._keep, groups=trigger.groups)
                if not self._form.fields:
                    TextWidget("p", localize("filters_none"), "quiet")
            with box("split-side"):
                if not trigger.own:  # what Kontor tells itself is not among the service's events
                    with panel(localize("live_title")):
                        if offered(page, "operator"):
                            LiveWatchPanel(page, trigger, self._form)
                with panel(localize("sample_title")), ui.expansion(localize("sample_show")).props("dense"):
                    code_block(pretty(trigger.sample), localize)
        with panel(localize("subscribe_title"), "wide"):
            if offered(page, "operator"):
                SubscriptionForm(page, trigger, self._form, self._subscribed)
        with panel(localize("subscriptions_title"), "wide"):
            self._list = SubscriptionList(page, trigger.id)

    def _keep(self) -> None:
        self._keeper.save(self._form.draft)

    async def _subscribed(self) -> None:
        self._keeper.forget()
        await self._list.refresh()
