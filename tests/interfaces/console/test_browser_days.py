"""Days and amounts in a real browser: in any language and time zone the value or refusal that the converter gives."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any
from urllib.parse import urlencode

import pytest
from running_console import RunningConsole, running_console
from visitor import SCREENSHOTS, Visitor

from connector import Connector
from connector.core.errors import InputError
from connector.core.messages import say
from connector.core.values import json
from connector.runtime import checks

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
PLACES = [(lang, zone) for lang in ("de", "en") for zone in ("Europe/Berlin", "America/New_York", "Asia/Tokyo")]


@pytest.fixture(scope="module")
def console(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningConsole]:
    with running_console(tmp_path_factory.mktemp("days")) as console:
        yield console


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
    field = page.get_by_label(label)
    page.evaluate("document.querySelectorAll('.result').forEach((one) => one.setAttribute('data-old', ''))")
    field.fill(written)
    page.wait_for_function("![...document.querySelectorAll('.field-error')].some((one) => one.innerText)")
    visitor.press(say("dry_run").in_(lang))
    page.locator(".result:not([data-old]) pre.code, .field-error:not(:empty)").first.wait_for()
    body = page.locator(".result:not([data-old]) pre.code")
    if body.count():
        return json.decode(body.first.inner_text().split("\n\n", 1)[1])[name], ""
    said = (field.get_attribute("aria-describedby") or "").split()[0]
    return None, page.locator(f"#{said}").inner_text()


@pytest.mark.parametrize(("lang", "zone"), PLACES)
def test_what_is_written_is_read_as_everywhere_or_refused_at_its_field(
    console: RunningConsole, browser: Any, lang: str, zone: str
) -> None:
    with console.state.connector.open(console.state.settings.own_credential) as session:
        account = next(iter(session.options("bank_accounts", {"payments_only": True}))).value
    given = {"account_id": account, "amount": "1.00", "creditor_name": "Reifen Voss KG"}
    given |= {"creditor_iban": "DE02120300000000202051", "description": "V-88120"}
    locale = "de-DE" if lang == "de" else "en-US"
    with Visitor(console, browser, SCREENSHOTS, locale=locale, width=1280, zone=zone) as visitor:
        visitor.open(f"actions/initiate_payment?{urlencode(given)}")
        visitor.page.get_by_text(say("advanced").in_(lang)).first.click()
        wrong = []
        for name, written in [*(("amount", one) for one in AMOUNTS), *(("execution_date", one) for one in DAYS)]:
            label = next(field.label for field in PAYMENT.inputs if field.name == name).in_(lang)
            found = entered(visitor, label, written, lang, name)
            wanted = expected({**given, name: written}, name, lang)
            if found != wanted:
                wrong.append((name, written, found, wanted))
            if name == "amount" and written == AMOUNTS[-1]:
                visitor.page.get_by_label(label).fill("1.00")
        assert wrong == []
        assert len({one for one in DAYS if expected({**given, "execution_date": one}, "execution_date", lang)[1]}) > 8
