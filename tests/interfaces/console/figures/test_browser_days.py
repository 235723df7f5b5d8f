"""Days and amounts in a real browser: in any language and time zone the value or refusal that the converter gives."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
import yaml
from playwright.sync_api import expect

from connector import Connector
from connector.core.data.fields import Field
from connector.core.errors import InputError
from connector.core.messages import say
from connector.core.values import json
from connector.runtime.requests import checks
from tests.interfaces.console.running_console import RunningConsole, running_console
from tests.interfaces.console.visitor import SCREENSHOTS, Visitor
from tests.support.parts import part

CONNECTOR = Connector()
PAYMENT = CONNECTOR.action("initiate_payment")
DAYS = [
    *("2027-05-15", "15.05.2027", "15.5.2027", "15.5.27", "1.2.2027", "2027-12-31T23:30:00+01:00", " 15.05.2027 "),
    *("2027-05-31T22:00:00Z", "05/15/27", "05/15/2027", "15/05/2027", "0027-05-15", "31.02.2027", "2027-02-30"),
    *("15.5.", "15.05.", "2027-05", "20270515", "46157", "1810332000", "morgen", "15.5.202", "29.02.2028"),
]
AMOUNTS = [
    *("12.50", "12,50", "1.234,50", "1,234.50", "1.234.567,00", "12,50 €", "€ 12,50", "12.50 EUR", "1 234,50"),
    *("1.234", "1,234", "12,5,0", "zwölf", "1e3", "-5,00", "0,00", "12.505", "12,50 $", "0.5", "\u00a07,15"),
]
SHARED = Path(__file__).parents[3] / "cases" / "further" / "take_values.yaml"
PLACES = [(lang, zone) for lang in ("de", "en") for zone in ("Europe/Berlin", "America/New_York", "Asia/Tokyo")]


def shared(kind: str) -> list[str]:
    """The texts of a kind in the table that all interpreters read, where it has some."""
    table = yaml.safe_load(SHARED.read_text(encoding="utf-8")).get("written", {}).get(kind, {})
    rows = [row[0] if isinstance(row, list) else row for part in table.values() for row in part]
    return [row for row in rows if isinstance(row, str) and row.strip() and row.isprintable()]


WRITTEN = {
    "amount": list(dict.fromkeys([*AMOUNTS, *shared("amount")])),
    "execution_date": list(dict.fromkeys([*DAYS, *shared("day")])),
}
"""What is typed into each field, of the table that all faces read too."""


@pytest.fixture(scope="module")
def console(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningConsole]:
    with running_console(tmp_path_factory.mktemp("days")) as console:
        yield console


def field(name: str) -> Field:
    return next(field for field in PAYMENT.inputs if field.name == name)


def filled(console: RunningConsole) -> dict[str, str]:
    """What a payment needs."""
    with console.state.connector.open(console.state.settings.own_credential) as session:
        account = next(iter(session.options("bank_accounts", {"payments_only": True}))).value
    given = {"account_id": account, "amount": "1.00", "creditor_name": "Reifen Voss KG"}
    return given | {"creditor_iban": "DE02120300000000202051", "description": "V-88120"}


def expected(inputs: dict[str, str], name: str, lang: str) -> tuple[Any, str]:
    """What the converter of all faces makes of it: the value, or why it is refused."""
    try:
        checked = CONNECTOR.inputs(PAYMENT).clean(inputs)
        checks.check(PAYMENT, checked)
    except InputError as error:
        return None, error.message.in_(lang)
    value = checked[name]
    return value.isoformat() if isinstance(value, date) else value, ""


def entered(visitor: Visitor, label: str, written: str, lang: str, name: str) -> tuple[Any, str]:
    """What the form makes of it: what its request would carry, or what stands at the field."""
    page = visitor.page
    widget = page.get_by_label(label)
    page.evaluate("document.querySelectorAll('.result').forEach((one) => one.setAttribute('data-old', ''))")
    widget.fill(written)
    page.wait_for_function("![...document.querySelectorAll('.field-error')].some((one) => one.innerText)")
    visitor.press(say("dry_run").in_(lang))
    page.locator(".result:not([data-old]) pre.code, .field-error:not(:empty)").first.wait_for()
    body = page.locator(".result:not([data-old]) pre.code")
    if body.count():
        return json.decode(body.first.inner_text().split("\n\n", 1)[1])[name], ""
    said = (widget.get_attribute("aria-describedby") or "").split()[0]
    return None, page.locator(f"#{said}").inner_text()


@pytest.mark.long
@pytest.mark.parametrize(("name", "lang", "zone"), part([(name, *place) for place in PLACES for name in WRITTEN]))
def test_what_is_written_is_read_as_everywhere_or_refused_at_its_field(
    console: RunningConsole, browser: Any, name: str, lang: str, zone: str
) -> None:
    given = filled(console)
    locale = "de-DE" if lang == "de" else "en-US"
    with Visitor(console, browser, SCREENSHOTS, locale=locale, width=1280, zone=zone) as visitor:
        visitor.open(f"actions/initiate_payment?{urlencode(given)}")
        visitor.wait_until_built()
        visitor.page.get_by_text(say("advanced").in_(lang)).first.click()
        label = field(name).label.in_(lang)
        found = {written: entered(visitor, label, written, lang, name) for written in WRITTEN[name]}
    wanted = {written: expected({**given, name: written}, name, lang) for written in WRITTEN[name]}
    wrong = [(written, found[written], wanted[written]) for written in wanted if found[written] != wanted[written]]
    assert wrong == []
    assert sum(bool(refused) for _, refused in wanted.values()) > 8
    assert sum(not refused for _, refused in wanted.values()) > 8


def test_the_table_is_long_enough_to_mean_something() -> None:
    assert sum(map(len, WRITTEN.values())) >= 120


@pytest.mark.parametrize(("lang", "shown"), [("de", "15.05.2027"), ("en", "2027-05-15")])
def test_a_day_is_never_dropped_and_stands_in_the_review_as_the_page_writes_it(
    console: RunningConsole, browser: Any, lang: str, shown: str
) -> None:
    locale = "de-DE" if lang == "de" else "en-US"
    with Visitor(console, browser, SCREENSHOTS, locale=locale, width=1440, zone="America/New_York") as visitor:
        page, label = visitor.page, field("execution_date").label.in_(lang)
        visitor.open(f"actions/initiate_payment?{urlencode({**filled(console), 'execution_date': '2027-05-15'})}")
        page.get_by_text(say("advanced").in_(lang)).first.click()
        visitor.sees_value(label, shown)
        page.get_by_label(label).fill("31.02.2027")
        page.get_by_label(label).blur()
        page.locator(".field-error:not(:empty)").wait_for()
        expect(page.get_by_label(label)).to_have_value("31.02.2027")
        visitor.press(say("review").in_(lang))
        page.locator(".problems [role=alert]").wait_for()
        assert page.locator(".review").count() == 0
        page.get_by_role("button", name=say("calendar_open").in_(lang)).click()
        page.locator(".q-date").wait_for()
        visitor.picture(f"days-calendar-{lang}")
        page.keyboard.press("Escape")
        page.get_by_label(label).fill("15.5.27")
        visitor.press(say("review").in_(lang))
        page.locator(".review").get_by_text(shown, exact=True).wait_for()
        visitor.picture(f"days-review-{lang}")


def test_a_day_is_picked_in_the_calendar_whatever_the_browsers_time_zone(console: RunningConsole, browser: Any) -> None:
    with Visitor(console, browser, SCREENSHOTS, locale="de-DE", width=1280, zone="Asia/Tokyo") as visitor:
        page, label = visitor.page, field("execution_date").label.de
        visitor.open("actions/initiate_payment?execution_date=2027-05-15")
        visitor.wait_until_built()
        page.get_by_text(say("advanced").de).first.click()
        page.get_by_role("button", name=say("calendar_open").de).click()
        page.locator(".q-date").get_by_role("button", name="31", exact=True).click()
        visitor.sees_value(label, "31.05.2027")
        page.locator(".q-date").wait_for(state="detached")


def test_runs_are_filtered_by_days_as_people_write_them(console: RunningConsole, browser: Any) -> None:
    with Visitor(console, browser, SCREENSHOTS, locale="de-DE", width=1280) as visitor:
        page = visitor.open("runs")
        page.get_by_label(say("runs_since").de, exact=True).fill("1.5.2027")
        page.get_by_label(say("runs_since").de, exact=True).press("Enter")
        page.wait_for_url("**/runs?since=2027-05-01")
        visitor.sees_value(say("runs_since").de, "01.05.2027")
        visitor.open("runs?since=31.02.2027")
        page.locator(".field-error:not(:empty)").wait_for()
        assert page.locator(".run-line").count() == 0
