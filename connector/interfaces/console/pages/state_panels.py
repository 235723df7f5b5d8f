"""The overview's panels on what Kontor itself knows: credits, rate window, webhook URL, subscriptions.

Each function gathers, then returns what builds the panel: nothing is cleared before its successor is there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from urllib.parse import urlsplit

from nicegui import ui
from sqlalchemy import Connection

from connector.interfaces.cli.cells import NOTHING
from connector.interfaces.console import charts
from connector.interfaces.console.frame import Visit
from connector.interfaces.console.pieces import Text, box, empty, facts, heading, link, pill
from connector.interfaces.console.views import Bars
from connector.runtime.budget import FORECAST_DAYS, forecast
from connector.store import cursors, deliveries, hooks, subscriptions, usage
from connector.store.cursors import StoredCursor
from connector.store.deliveries import Delivery
from connector.store.subscriptions import Subscription


@dataclass(frozen=True, slots=True)
class Shown:
    """What a panel shows: `mark` differs when that differs, `build` makes it."""

    mark: object
    build: Callable[[], object]


async def credits_panel(visit: Visit) -> Shown:
    """What is left, how fast it goes, on which days and on what it went."""
    tongue, session = visit.tongue, await visit.desk.session()
    session_credits, day = session.state.credits, session.clock.berlin_today()
    visit.desk.connector.tally.write_down()
    fingerprint = session.credential.fingerprint
    since = (day - timedelta(days=FORECAST_DAYS - 1)).isoformat()
    told = await visit.desk.read(lambda store: usage.told_balance(store, fingerprint))
    spent = await visit.desk.read(lambda store: usage.spent(store, fingerprint, since))
    balance = session_credits.balance if session_credits.balance is not None else (told[0] if told else None)
    reserved = sum(session_credits.reserved.values(), Decimal(0))
    ahead = forecast(spent, balance, day)
    days = [(day - timedelta(days=back)).isoformat() for back in reversed(range(FORECAST_DAYS))]
    by_day = [sum((line.credits for line in spent if line.day == one), Decimal(0)) for one in days]
    by_action: dict[str, Decimal] = {}
    for line in spent:
        by_action[line.label] = by_action.get(line.label, Decimal(0)) + line.credits
    largest = sorted(by_action.items(), key=lambda one: one[1], reverse=True)[:6]

    def build() -> None:
        with box("figure-line"):
            Text("span", NOTHING if balance is None else tongue.number(balance), "big-number")
            words = tongue("credits_left") if balance is not None else tongue("credits_untold")
            Text("span", words, "quiet")
        if reserved:
            Text("div", tongue("credits_reserved", count=tongue.number(reserved)), "quiet")
        if ahead.runs_out_on:
            Text(
                "div",
                tongue("credits_forecast", per_day=tongue.number(ahead.per_day), day=tongue.day(ahead.runs_out_on)),
                "quiet",
            )
        if not spent:
            empty(tongue("credits_nothing_spent", days=FORECAST_DAYS))
            return
        heading(3, tongue("credits_by_day"))
        ui.html(charts.columns(days, by_day, tongue("credits_by_day"), tongue), sanitize=False)
        heading(3, tongue("credits_by_action"))
        shown = Bars(tuple(name for name, _ in largest), {"credits": tuple(value for _, value in largest)})
        ui.html(charts.bars(shown, tongue, money=False), sanitize=False)

    return Shown((balance, reserved, spent, day), build)


async def rate_panel(visit: Visit) -> Shown:
    """How many requests the service still takes in this window."""
    tongue, session = visit.tongue, await visit.desk.session()
    window = session.state.governor.look(session.clock.monotonic())

    def build() -> None:
        with box("figure-line"):
            Text("span", str(window.remaining), "big-number")
            Text("span", tongue("rate_left", limit=window.limit), "quiet")
        meter = ui.element("meter").classes("meter")
        meter.props["min"], meter.props["max"], meter.props["value"] = 0, window.limit, window.remaining
        meter.props["low"], meter.props["aria-label"] = window.limit // 5, tongue("rate_title")
        minutes = round(window.resets_in / 60)
        Text("div", tongue("rate_resets", minutes=minutes) if minutes else tongue("rate_fresh"), "quiet")

    return Shown((window.remaining, round(window.resets_in / 60)), build)


async def webhook_panel(visit: Visit) -> Shown:
    """Whether the service's events come here."""
    tongue, credential_id = visit.tongue, await visit.desk.credential_id()
    hook = await visit.desk.read(lambda connection: hooks.of_credential(connection, credential_id))
    now = visit.desk.state.context.now()

    def build() -> None:
        if hook is None or hook.state == "released":
            pill(tongue("webhook_none"))
            empty(tongue("webhook_none_help"))
            return
        pill(tongue(f"webhook_{hook.state}"), "good" if hook.state == "active" else "bad")
        rows = {
            tongue("webhook_address"): f"{visit.desk.host_url}/hooks/…",
            tongue("webhook_checked"): tongue.ago(hook.checked_at, now) if hook.checked_at else NOTHING,
            tongue("webhook_heard"): tongue.ago(hook.heard_at, now) if hook.heard_at else NOTHING,
        }
        if hook.former_url:
            rows[tongue("webhook_former")] = urlsplit(hook.former_url).hostname or NOTHING
        facts(rows)

    return Shown((hook, now.replace(second=0, microsecond=0)), build)


async def triggers_panel(visit: Visit) -> Shown:
    """The subscriptions, each with its last event and next poll."""
    tongue, credential_id = visit.tongue, await visit.desk.credential_id()
    now = visit.desk.state.context.now()

    def look(connection: Connection) -> list[tuple[Subscription, Delivery | None, StoredCursor | None]]:
        return [
            (one, next(iter(deliveries.listed(connection, one.id, 1)), None), _cursor(connection, one))
            for one in subscriptions.active(connection, credential_id)
        ]

    rows = await visit.desk.read(look)

    def build() -> None:
        if not rows:
            empty(tongue("subscriptions_none"))
            link(tongue("subscriptions_begin"), visit.to("triggers"))
            return
        with box("table-frame"), box("grid", "table"):
            with ui.element("thead"), ui.element("tr"):
                for name in ("column_trigger", "column_target", "column_last", "column_next"):
                    Text("th", tongue(name)).props('scope="col"')
            with ui.element("tbody"):
                for one, last, cursor in rows:
                    with ui.element("tr"):
                        with ui.element("td"):
                            link(one.trigger, visit.to(f"triggers/{one.trigger}"))
                        Text("td", urlsplit(one.target_url).hostname or "")
                        Text("td", tongue.ago(last.made_at, now) if last else NOTHING)
                        next_at = cursor.next_at if cursor else None
                        Text("td", tongue.ago(next_at, now) if next_at else tongue("next_event"))

    return Shown((rows, now.replace(second=0, microsecond=0)), build)


def _cursor(connection: Connection, subscription: Subscription) -> StoredCursor | None:
    return cursors.get(connection, subscription.cursor_name) if subscription.cursor_name else None
