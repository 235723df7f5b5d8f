"""Double and triple clicks at random gaps, on every form that writes: exactly one write each. In a real browser.

`KONTOR_CLICKS` says how many (200 for a full proof), `KONTOR_CLICK_SEED` repeats a run.
"""

from __future__ import annotations

import os
import random
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import httpx

from connector import Connector
from tests.interfaces.console.running_console import RunningConsole
from tests.interfaces.console.visitor import SENDS, Visitor

CLICKS = int(os.environ.get("KONTOR_CLICKS", "14"))
SEED = int(os.environ.get("KONTOR_CLICK_SEED", "0")) or random.SystemRandom().randrange(1, 10**6)
LONGEST_GAP = 800
CLICK_THERE = """([label, gaps]) => {
    const sleep = ms => new Promise(done => setTimeout(done, ms))
    const shown = [...document.querySelectorAll('main button')].filter(b => b.offsetParent && !b.disabled)
    const button = shown.find(b => new RegExp(label).test(b.innerText.trim()))
    button.scrollIntoView({block: 'center'})
    const at = button.getBoundingClientRect(), x = at.left + at.width / 2, y = at.top + at.height / 2
    window.clicking = (async () => {
        for (const gap of gaps) {
            await sleep(gap)
            document.elementFromPoint(x, y)?.closest('button')?.click()
        }
    })()
}"""
"""Clicks where the button was, as a mouse that is not moved does, whatever stands there by then."""


@dataclass(frozen=True, slots=True)
class Written:
    """A form that writes: how it is filled, what makes each trial another one, and where its write goes."""

    action: str
    filled: dict[str, str]
    varies: str
    path: str
    method: str = "POST"

    def address(self, trial: int) -> str:
        varied = {
            "transaktionsdatum": f"2026-05-{trial % 28 + 1:02}T10:{trial % 60:02}",
            "webhook_url": f"https://flows.example/hook/{trial}",
            "return_url": f"https://flows.example/back/{trial}",
            "body": f'{{"country_code": "DE", "return_url": "https://flows.example/call/{trial}"}}',
        }
        value = varied.get(self.varies, f"Klick {trial}")
        return f"actions/{self.action}?{urlencode({**self.filled, self.varies: value} if self.varies else self.filled)}"


def test_clicks_at_random_gaps_on_every_writing_form_are_one_write_each(visitor: Visitor) -> None:
    print(f"KONTOR_CLICK_SEED={SEED}")  # noqa: T201 - to repeat a run that failed
    gaps = random.Random(SEED)
    console = visitor.console
    forms = _forms(console)
    assert {one.action for one in forms} == {id for id, one in Connector().actions.items() if one.writes}
    httpx.post(f"{console.sandbox.url}/sandbox/limits", json={"limit": 100_000}, trust_env=False).raise_for_status()
    httpx.post(f"{console.sandbox.url}/sandbox/credits", json={"balance": 100_000}, trust_env=False)
    pages = [visitor.context.new_page() for _ in forms]
    before, done = _writes(console, forms), 0
    for trial in range(1, -(-CLICKS // len(forms)) + 1):
        for form, page in zip(forms, pages, strict=True):
            page.goto(f"{console.url}/{form.address(trial)}")
        for page in pages:
            page.get_by_role("button", name="Review", exact=True).click(trial=True)
            page.evaluate(CLICK_THERE, ["^Review$", _gaps(gaps)])
        for page in pages:
            page.evaluate("() => window.clicking")
            page.locator(".review").get_by_role("button", name=SENDS).click(trial=True)
            page.evaluate(CLICK_THERE, [SENDS.pattern, _gaps(gaps)])
        for page in pages:
            page.wait_for_url("**/console/runs/*")
            page.get_by_text("Sent.").filter(visible=True).first.wait_for()
            page.evaluate("() => window.clicking")
        done += len(forms)
        written = _writes(console, forms)
        assert {path: written[path] - before[path] for path in written} == _expected(forms, trial), f"seed {SEED}"
    assert done >= CLICKS


def _gaps(gaps: random.Random) -> list[int]:
    """Two or three clicks; small gaps are more likely, as fingers are."""
    return [0, *(int(LONGEST_GAP * gaps.random() ** 2) for _ in range(gaps.choice((1, 2))))]


def _expected(forms: list[Written], trials: int) -> dict[str, int]:
    expected: dict[str, int] = {}
    for form in forms:
        expected[form.path] = expected.get(form.path, 0) + trials
    return expected


def _writes(console: RunningConsole, forms: list[Written]) -> dict[str, int]:
    """How often the service was asked to write, by path."""
    record = httpx.get(f"{console.sandbox.url}/sandbox/record?limit=1000000", trust_env=False).json()["data"]
    return {
        form.path: sum(one["path"] == form.path and one["method"] in {"POST", "PUT"} for one in record)
        for form in forms
    }


def _forms(console: RunningConsole) -> list[Written]:
    """Every form that writes, filled with what the sandbox knows."""
    credential = console.state.settings.own_credential
    with console.state.connector.open(credential) as session:
        ledger = next(one for one in session.options("ledger_connections") if one.label.startswith("Nordlicht")).value
        account = next(iter(session.options("bank_accounts", {"payments_only": True}))).value
        customer = next(iter(session.options("mobility_customers"))).value
        entry: dict[str, Any] = {
            "ledger_connection": ledger,
            "kassenname": "Ladenkasse",
            "transaktionsdatum": "2026-04-01T08:00",
            "belegzeilen": [{"betrag": "5.00", "gegenkonto": "8400"}],
        }
        first = session.invoke("create_cash_book_entry", entry, key="clicks")
    cash_book, connect = "/v2/ledger-duo/kassenbuch-advanced", "/v2/banking/connect"
    payment = {"account_id": account, "creditor_name": "Reifen Voss KG", "amount": "12.50"}
    person = {
        "ledger_connection": ledger,
        "personenkontoNummer": "70001",
        "kontonummernLaenge": "4",
        "geschaeftsjahrStartDatum": "2026-01-01",
    }
    return [
        Written(
            "initiate_payment",
            {**payment, "creditor_iban": "DE02120300000000202051"},
            "description",
            "/v2/banking/payments",
        ),
        Written("create_cash_book_entry", {"like": str(first.run)}, "transaktionsdatum", cash_book),
        Written("save_person_account", person, "firmenname", "/v2/ledger-rewe/personenkonto"),
        Written(
            "create_collective_invoice", {"customer_id": customer}, "", f"/v2/mobility/customers/{customer}/invoice"
        ),
        Written("start_bank_connect", {}, "return_url", connect),
        Written("set_webhook_url", {}, "webhook_url", "/v2/banking/webhook-url", "PUT"),
        Written("call_api", {"method": "POST", "path": connect}, "body", connect),
    ]
