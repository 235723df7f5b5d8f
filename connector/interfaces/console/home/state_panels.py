"""Panels with local data about what the workspace spends and hears: credits, rate window, webhook URL.

Each function loads its data and returns a builder, so that the old panel stays until the new one is ready.
"""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from urllib.parse import urlsplit

from nicegui import ui

from connector.core.service.credential import hidden_in_words
from connector.durable.banks import Bank, banks
from connector.interfaces.console.figures import charts
from connector.interfaces.console.figures.chart_data import BarChart
from connector.interfaces.console.frame.page_frame import Page
from connector.interfaces.console.frame.widgets import TextWidget, box, definition_list, empty_note, heading, pill
from connector.interfaces.console.home.live_panel import PanelContent
from connector.interfaces.result_text import EMPTY
from connector.operations.money import surprise_text, titles_by_label
from connector.runtime import doctor
from connector.runtime.lookups import LOOKUP_LABEL
from connector.runtime.records.usage import FORECAST_DAYS, forecast
from connector.store.rates import usage
from connector.store.triggers import hooks


async def credits_panel(page: Page) -> PanelContent:
    """Credit balance, forecast, and spending by day and by action."""
    localize, session = page.localize, await page.console.session("viewer")
    session_credits, day = session.state.credits, session.clock.berlin_today()
    page.console.connector.shared.usage.flush()
    fingerprint = session.credential.fingerprint
    since = (day - timedelta(days=FORECAST_DAYS - 1)).isoformat()
    stored_balance = await page.console.read(lambda store: usage.last_balance(store, fingerprint))
    spent = await page.console.read(lambda store: usage.spent(store, fingerprint, since))
    charged = await page.console.read(lambda store: usage.charged(store, fingerprint, LOOKUP_LABEL))
    titles = titles_by_label(page.console.connector)
    balance = (
        session_credits.balance
        if session_credits.balance is not None
        else (stored_balance[0] if stored_balance else None)
    )
    open_ones = await page.console.read(lambda store: usage.reservations(store, fingerprint))
    reserved = sum(open_ones.values(), Decimal(0))
    estimate = forecast(spent, balance, day)
    days = [(day - timedelta(days=back)).isoformat() for back in reversed(range(FORECAST_DAYS))]
    by_day = [sum((line.credits for line in spent if line.day == one), Decimal(0)) for one in days]
    by_action: dict[str, Decimal] = {}
    for line in spent:
        name = localize.of(titles[line.label]) if line.label in titles else line.label
        by_action[name] = by_action.get(name, Decimal(0)) + line.credits
    largest = sorted(by_action.items(), key=lambda one: one[1], reverse=True)[:6]

    def build() -> None:
        with box("figure-line"):
            TextWidget("span", EMPTY if balance is None else localize.number(balance), "big-number")
            words = localize("credits_left") if balance is not None else localize("credits_untold")
            TextWidget("span", words, "quiet")
        if reserved:
            TextWidget("div", localize("credits_reserved", count=localize.number(reserved)), "quiet")
        if estimate.runs_out_on:
            TextWidget(
                "div",
                localize(
                    "credits_forecast",
                    per_day=localize.credits(estimate.per_day),
                    day=localize.day(estimate.runs_out_on),
                ),
                "quiet",
            )
        for one in charged:
            TextWidget("div", localize.of(surprise_text(one, titles)), "quiet")
        if not spent:
            empty_note(localize("credits_nothing_spent", days=FORECAST_DAYS))
            return
        heading(3, localize("credits_by_day"))
        ui.html(charts.columns(days, by_day, localize("credits_by_day"), localize), sanitize=False)
        heading(3, localize("credits_by_action"))
        chart = BarChart(tuple(name for name, _ in largest), {"credits": tuple(value for _, value in largest)})
        ui.html(charts.bars(chart, localize, money=False), sanitize=False)

    return PanelContent((balance, reserved, spent, charged, day), build)


async def rate_panel(page: Page) -> PanelContent:
    """Requests left in the rate window."""
    localize, session = page.localize, await page.console.session("viewer")
    window = session.state.governor.snapshot(session.clock.monotonic())

    def build() -> None:
        with box("figure-line"):
            TextWidget("span", str(window.remaining), "big-number")
            TextWidget("span", localize("rate_left", limit=window.limit), "quiet")
        meter = ui.element("meter").classes("meter")
        meter.props["min"], meter.props["max"], meter.props["value"] = 0, window.limit, window.remaining
        meter.props["low"], meter.props["aria-label"] = window.limit // 5, localize("rate_title")
        minutes = round(window.resets_in / 60)
        TextWidget("div", localize("rate_resets", minutes=minutes) if minutes else localize("rate_fresh"), "quiet")

    return PanelContent((window.remaining, round(window.resets_in / 60)), build)


async def webhook_panel(page: Page) -> PanelContent:
    """State of the webhook registration."""
    localize, credential_id = page.localize, await page.console.credential_id()
    hook = await page.console.read(lambda connection: hooks.of_credential(connection, credential_id))
    now = page.console.state.context.now()
    opened = page.console.state.vault.open(hook.sealed_url) if hook is not None else ""
    address = localize.of(hidden_in_words(doctor.shown_url(opened, own=True)))

    def build() -> None:
        if hook is None or hook.state == "released":
            pill(localize("webhook_none"))
            empty_note(localize("webhook_none_help"))
            return
        pill(localize(f"webhook_{hook.state}"), "good" if hook.state == "active" else "bad")
        rows = {
            localize("webhook_address"): address,
            localize("webhook_checked"): localize.ago(hook.checked_at, now) if hook.checked_at else EMPTY,
            localize("webhook_heard"): localize.ago(hook.heard_at, now) if hook.heard_at else EMPTY,
        }
        if hook.former_url:
            rows[localize("webhook_former")] = urlsplit(hook.former_url).hostname or EMPTY
        definition_list(rows)

    return PanelContent((hook, now.replace(second=0, microsecond=0)), build)


async def banks_panel(page: Page) -> PanelContent:
    """The bank connections as they were last seen, and until when their consents last."""
    localize, credential_id = page.localize, await page.console.credential_id()
    console, now = page.console, page.console.state.context.now()
    known = await console.read(lambda connection: banks(connection, console.connector, credential_id, now))

    def build() -> None:
        if not known:
            empty_note(localize("banks_none"))
            return
        rows = [(one.name, _bank_words(page, one)) for one in known]
        definition_list(rows)
        seen = [one.seen_at for one in known if one.seen_at is not None]
        if seen:
            empty_note(localize("banks_seen", ago=localize.ago(min(seen), now)))

    return PanelContent((known, now.replace(second=0, microsecond=0)), build)


def _bank_words(page: Page, one: Bank) -> str:
    """Say how long the consent lasts, and whether there is an error."""
    localize, ends = page.localize, one.consent_ends
    words = localize(f"bank_is_{one.trouble}") if one.is_stopped else ""
    until = localize("consent_until", at=localize.day(ends.date())) if ends is not None else ""
    return " · ".join(filter(None, (words, until))) or EMPTY
