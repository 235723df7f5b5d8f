"""What comes: consents and tokens that end, and how long the credits last."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from urllib.parse import quote
from zoneinfo import ZoneInfo

from sqlalchemy import Connection

from connector.core.callers import Role
from connector.core.values.dates import BERLIN
from connector.durable.banks import banks
from connector.interfaces.console.console_context import ConsoleContext
from connector.interfaces.console.frame.page_frame import Page
from connector.interfaces.console.frame.widgets import TextWidget, box, empty_note, link
from connector.interfaces.console.home.live_panel import PanelContent
from connector.operations.money import SpentCredits, load_report
from connector.runtime.writes.attempt import CONNECT_ROLE
from connector.store.trust import credentials, tokens

MAX_LINES = 8
TOKENS_AHEAD = timedelta(days=60)
"""How long before its end a token is named."""


@dataclass(frozen=True, slots=True)
class Coming:
    """One line: when, what, and what can be done about it by whom."""

    at: datetime | None
    what: str
    step: str
    place: str
    role: Role


async def coming_panel(page: Page) -> PanelContent:
    """The next ends of consents and tokens, and the forecast of the credits."""
    console, localize, now = page.console, page.localize, page.console.state.context.now()
    workspace, clock = await console.workspace(), console.state.context.clock
    console.connector.shared.usage.flush()

    def read(connection: Connection) -> list[Coming]:
        lines = [*_tokens(connection, page, workspace, now)]
        for one in credentials.listed(connection, workspace):
            if one.revoked_at is None:
                lines += [*_consents(connection, page, one.id, now)]
                lines += [*_credits(page, load_report(connection, one.fingerprint, clock))]
        return lines

    found = await console.read(read)
    lines = sorted(found, key=lambda one: (one.at is None, one.at or now))[:MAX_LINES]

    def build() -> None:
        if not lines:
            empty_note(localize("coming_none"))
            return
        with box("changes", "ul"):
            for one in lines:
                _show(page, one)

    return PanelContent(lines, build)


def _show(page: Page, one: Coming) -> None:
    with box("change", "li"):
        TextWidget("time", page.localize.day(one.at.date()) if one.at is not None else "", "event-time")
        with box("change-about"):
            TextWidget("span", one.what)
        if may_take(page.console, one):
            link(page.localize(one.step), page.url(one.place))


def may_take(console: ConsoleContext, one: Coming) -> bool:
    """Whether the visitor may do something about it."""
    return console.actor.may(one.role)


def _consents(connection: Connection, page: Page, credential_id: str, now: datetime) -> Iterator[Coming]:
    connect = page.console.connector.roles[CONNECT_ROLE]
    for bank in banks(connection, page.console.connector, credential_id, now):
        if bank.consent_ends is not None and bank.consent_ends > now:
            place = f"actions/{connect}?provider_code={quote(bank.provider)}"
            yield Coming(bank.consent_ends, page.localize("coming_consent", bank=bank.name), "renew", place, "operator")


def _tokens(connection: Connection, page: Page, workspace: str, now: datetime) -> Iterator[Coming]:
    for one in tokens.listed(connection, workspace):
        if one.expires_at is not None and one.is_valid(now) and one.expires_at - now < TOKENS_AHEAD:
            yield Coming(
                one.expires_at, page.localize("coming_token", name=one.name), "settings_tokens", "tokens", "admin"
            )


def _credits(page: Page, report: SpentCredits) -> Iterator[Coming]:
    localize = page.localize
    if report.balance is None:
        return
    left, ends = localize.credits(report.balance[0]), report.forecast.runs_out_on
    if ends is None:
        yield Coming(None, localize("coming_credits", credits=left), "place_operate", "operate", "viewer")
        return
    at = datetime.combine(ends, time(), ZoneInfo(BERLIN))
    per_day = localize.credits(report.forecast.per_day)
    words = localize("coming_credits_end", credits=left, per_day=per_day)
    yield Coming(at, words, "place_operate", "operate", "viewer")
