"""Pictures of every page in both languages, on a wide screen and on a phone; `make screenshots` writes them.

They come to docs/screenshots. The README shows some of them; only those are committed.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import sync_playwright

from connector.core.messages import say
from tests.interfaces.console.running_console import running_console
from tests.interfaces.console.visitor import Visitor
from tests.support.chromium import CHROMIUM, FLAGS

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "docs" / "screenshots"
CLIENT = "Nordlicht Fahrradhandel GmbH"
PLACES = {
    "overview": "",
    "accounts": "money",
    "open-items": "money/open-items",
    "payments": "money/payments",
    "trial-balance": "money/trial-balance",
    "actions": "actions",
    "cash-book-entry": "actions/create_cash_book_entry",
    "payment": "actions/initiate_payment",
    "runs": "runs",
    "triggers": "triggers",
    "trigger": "triggers/payment_settled",
    "subscriptions": "subscriptions",
    "inbox": "inbox",
    "approvals": "approvals",
    "operate": "operate",
    "settings": "settings",
    "settings-key": "settings/key",
    "settings-budget": "settings/budget",
    "settings-policy": "settings/policy",
    "settings-alerts": "settings/alerts",
    "people": "people",
    "workspaces": "workspaces",
    "tokens": "tokens",
    "sandbox": "sandbox",
    "exports": "exports",
    "doctor": "doctor",
}
ROWS = "1.234,50\tTageseinnahme\t8400\tKB-1\n-41,65\tDruckerpapier\t4930\tKB-2\n7,15\tPfand\t4910\tKB-3\n"
PASTE = """(text) => { const data = new DataTransfer(); data.setData('text/plain', text);
  document.querySelector('[data-cell] input').dispatchEvent(
    new ClipboardEvent('paste', {clipboardData: data, bubbles: true, cancelable: true})); }"""


def read_money(visitor: Visitor) -> dict[str, str]:
    """Read once what the pages about money show; return the address of what was chosen on each."""
    chosen = {}
    for place, fields in {
        "money": (),
        "money/payments": (),
        "money/open-items": ("Ledger connection",),
        "money/trial-balance": ("Ledger connection", "Start of the fiscal year"),
    }.items():
        visitor.open(place)
        for label in fields:
            visitor.choose(label, CLIENT if label == "Ledger connection" else "")
        visitor.page.get_by_role("button", name=say("answer_read", cost="").en.split(" (")[0]).click()
        visitor.page.locator(".data-table").first.wait_for()
        chosen[place] = f"{place}?{urlsplit(visitor.page.url).query}"
    return chosen


def take(visitor: Visitor, name: str, place: str, lang: str, width: int) -> None:
    """Open a page and save its picture."""
    visitor.open(place)
    visitor.wait_until_built()
    if name == "cash-book-entry":
        visitor.page.locator("[data-cell] input").first.wait_for()
        visitor.page.evaluate(PASTE, ROWS)
        visitor.page.get_by_text(say("paste_done", count=3).in_(lang)).wait_for()
    _settle(visitor.page)
    visitor.page.screenshot(path=str(FOLDER / f"{name}-{lang}-{width}.png"))


def _settle(page: Any) -> None:
    """Wait until a page has shown the same for two seconds: parts of it follow when it is open already."""
    shown: list[str] = []
    while len(shown) < 20 and (len(shown) < 3 or len(set(shown[-3:])) > 1):
        page.wait_for_timeout(1000)
        shown.append(page.locator("main").inner_text())


def main(wanted: list[str]) -> None:
    """Take the pictures of these pages, or of all."""
    if unknown := sorted({*wanted} - {*PLACES}):
        sys.exit(f"no page is called {', '.join(unknown)}; there are {', '.join(PLACES)}")
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data, running_console(Path(data)) as console, sync_playwright() as playwright:
        browser: Any = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        with Visitor(console, browser, FOLDER, locale="en-US", width=1440) as visitor:
            chosen = read_money(visitor)
        for lang, locale in (("en", "en-US"), ("de", "de-DE")):
            for width in (1440, 390):
                with Visitor(console, browser, FOLDER, locale=locale, width=width) as visitor:
                    for name in wanted or PLACES:
                        take(visitor, name, chosen.get(PLACES[name], PLACES[name]), lang, width)
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
