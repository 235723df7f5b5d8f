"""German is German on every page of the console: no field name of the API, and no English sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import httpx
import pytest
from playwright.sync_api import expect
from sqlalchemy import Connection

from connector import Connector
from connector.core.callers import ROLES
from connector.core.messages import say
from connector.durable.upkeep.attention import AREAS, KINDS
from connector.store.runs.runs import KINDS as KINDS_OF_RUNS
from connector.store.runs.runs import STATES
from connector.store.triggers import deliveries, subscriptions
from connector.store.trust import credentials
from tests.core.messages.test_german import REVIEWED, field_names, pairs, words
from tests.interfaces.console.running_console import KEY, RunningConsole, troubled_console
from tests.interfaces.console.visitor import SCREENSHOTS, Visitor
from tests.support.running_sandbox import HOST_TOKEN
from tests.support.troubles import Troubles

CONNECTOR = Connector()
PLACES = [
    *("", "actions", "triggers", "approvals", "sandbox", "exports", "doctor", "runs", "money"),
    *("subscriptions", "inbox", "settings", "settings/key", "settings/budget", "settings/policy", "tokens"),
    *("settings/alerts", "operate"),
    *(f"actions/{id}" for id in CONNECTOR.actions),
    *(f"triggers/{id}" for id in CONNECTOR.triggers),
]
READ = """() => {
    const copy = document.body.cloneNode(true);
    const code = 'pre, code, script, style, noscript, .code-frame, .json, #too_long_message_popup';
    copy.querySelectorAll(code).forEach((one) => one.remove());
    const texts = [];
    const walk = (node) => node.childNodes.forEach((one) => one.nodeType === 3 ? texts.push(one.data) : walk(one));
    walk(copy);
    copy.querySelectorAll('[aria-label], [placeholder], [title]').forEach((one) =>
        texts.push(...['aria-label', 'placeholder', 'title'].map((name) => one.getAttribute(name) || '')));
    return texts.map((one) => one.trim()).filter(Boolean).join('\\n');
}"""
BLANK = re.compile(r"\{[^}]*\}")
ENGLISH = {"the", "and", "is", "are", "were", "with", "from", "your", "this", "that", "which", "not", "have"}
"""Words without which hardly an English sentence does, and which no German one has."""


def english() -> set[str]:
    """The parts of English sentences between blanks, of three words and more, that no German sentence has."""
    german = "\n".join(one for _, _, one in pairs())
    pieces = {piece.strip(" .:,;") for _, one, _ in pairs() for piece in BLANK.split(one)}
    return {piece for piece in pieces if len(piece.split()) >= 3 and piece not in german}


EXCUSED = {german for where, _, german in pairs() if where in {one["where"] for one in REVIEWED["field_names"]}}
"""Sentences in which somebody has reviewed such a name."""
SENTENCES, NAMES = english(), field_names()
GERMAN_TOO = {"SEPA", "Budget", "admin"}
"""Values that are words of German, or stand in a sentence about a command."""


def raw_values() -> set[str]:
    """The values of the wire and of the store that people are never shown as they are."""
    resources = CONNECTOR.library.resources.values()
    known = {str(value) for one in resources for kind in one["fields"].values() for value in _known(kind)}
    words = {value for values in CONNECTOR.library.words.values() for value in values}
    own = {"rewe", "duo", "any", "default", "hidden", *ROLES, *AREAS, *KINDS, *STATES, *KINDS_OF_RUNS}
    return (known | words | own) - GERMAN_TOO


def _known(kind: Any) -> list[Any]:
    return kind.get("known", []) if isinstance(kind, dict) else []


RAW = raw_values()
TECHNICAL = {
    *("Trigger", "Subscription", "Delivery", "Deliveries", "Approval", "Workspace", "Overview", "Settings", "Payload"),
    *("Run", "Runs", "Poll", "Hook", "Lookup", "Event", "Events", "Policy", "Connection", "Credential"),
}
"""English words of this trade that have a German one here."""
TAKEN_AS_WRITTEN = {
    "triggers/banking_event": {"settled", "inactive"},
}
"""Values that people type themselves into a field of a page."""
SAID_BY_THE_BANK = {"The bank is down."}
"""Shown in quotation marks, in the bank's own words."""


def found_in(text: str) -> list[tuple[str, str]]:
    """What does not belong on a German page, with its line: names of fields, words and sentences of English."""
    avoided = NAMES | ENGLISH | RAW | TECHNICAL
    lines = [(word, line) for line in text.splitlines() if line not in EXCUSED for word in words(line) & avoided]
    return [*lines, *((one, "") for one in sorted(SENTENCES) if one in text)]


def test_what_does_not_belong_there_is_found() -> None:
    assert [word for word, _ in found_in("Der Status von creditor_name ist gesetzt")] == ["creditor_name"]
    assert {word for word, _ in found_in("Es gilt: this is not German")} == {"this", "is", "not"}
    assert "Nothing was sent: the caller gave up while it waited" in dict(found_in(say("abandoned").en))
    assert found_in(say("abandoned").de) == []
    for raw in ("Status: SUCCESS", "Modul rewe", "Arbeitsbereich: default", "/hooks/[hidden]", "settled", "viewer"):
        assert found_in(raw) != [], raw


@pytest.fixture(scope="module")
def troubled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RunningConsole, Troubles]]:
    with troubled_console(tmp_path_factory.mktemp("german")) as troubled:
        yield troubled


@pytest.mark.long
@pytest.mark.parametrize("places", [PLACES[:9], *(PLACES[9:][one::4] for one in range(4))], ids=range(5))
def test_every_page_in_german(troubled: tuple[RunningConsole, Troubles], browser: Any, places: list[str]) -> None:
    wrong, (console, troubles) = [], troubled
    made = dict(troubles.made)
    things = [f"runs/{made['approval_waiting']}", f"subscriptions/{made['subscription_failing']}"]
    with Visitor(console, browser, SCREENSHOTS, locale="de-DE", width=1280) as visitor:
        for place in [*places, *things]:
            page = visitor.open(place)
            visitor.wait_until_built()
            wrong += [
                f"{place}: {what!r} in {line!r}"
                for what, line in found_in(page.evaluate(READ))
                if what not in TAKEN_AS_WRITTEN.get(place, set()) and line not in SAID_BY_THE_BANK
            ]
    assert wrong == [], "\n".join(wrong)


def test_what_the_provider_and_the_doctor_say_is_german(german_visitor: Visitor) -> None:
    visitor = german_visitor
    connections = httpx.get(
        f"{visitor.console.sandbox.url}/v2/ledger-duo/connections", headers={"x-api-key": KEY}, trust_env=False
    ).json()["connections"]
    entry = {
        "ledger_connection": next(one["id"] for one in connections if one["status"] == "connected"),
        "kassenname": "Ladenkasse",
        "betrag": "5.00",
        "transaktionsdatum": "2026-05-04T10:30",
        "belegzeilen": [{"betrag": "5.00", "gegenkonto": "8400", "belegtext": "Pfand"}],
    }
    made = httpx.post(
        f"{visitor.console.base}/v1/actions/create_cash_book_entry/run",
        json={"inputs": entry, "key": "german"},
        headers={"authorization": f"Bearer {HOST_TOKEN}", "x-api-key": KEY},
        trust_env=False,
    ).json()
    assert made["output"]["ledgerAntwort"]["status"] == "SUCCESS"
    visitor.open(f"runs/{made['run']}")
    visitor.sees("Erfolgreich")
    assert found_in(visitor.page.evaluate(READ)) == []
    visitor.open("doctor")
    visitor.press("Jetzt untersuchen")
    visitor.sees("Verbindungen zur Buchhaltung für Belege und Kassen")
    visitor.sees("/hooks/[verborgen]")
    assert found_in(visitor.page.evaluate(READ)) == []


def test_widgets_name_their_own_buttons_in_german(german_visitor: Visitor) -> None:
    page = german_visitor.open("actions/create_cash_book_entry")
    page.get_by_role("button", name="Leeren").first.wait_for()
    assert page.get_by_role("button", name="Clear").count() == page.get_by_role("button", name="Expand").count() == 0
    expect(page.locator("html")).to_have_attribute("lang", "de")


@pytest.mark.parametrize("id", ["list_payments", "list_bank_accounts", "list_mobility_customers"])
def test_a_result_in_german(german_visitor: Visitor, id: str) -> None:
    page = german_visitor.open(f"actions/{id}")
    german_visitor.press(say("run").de)
    page.locator(".data-table td").first.wait_for()
    assert found_in(page.evaluate(READ)) == []


def test_faults_of_the_sandbox_and_reasons_of_failed_deliveries_are_told_in_german(german_visitor: Visitor) -> None:
    german_visitor.open("sandbox")
    for name in ("Anfragegrenze", "3 Ereignisse verlieren", "Kaputte Antworten"):
        german_visitor.press(name)
        german_visitor.sees(f"Erledigt: {name}.")
    for fault in (r"Anfragegrenze · \d/5", r"Ereignis verloren · \d/3", r"kaputte Antwort · \d/3"):
        german_visitor.sees(re.compile(fault))  # the host polls meanwhile, and meets them too
    assert found_in(german_visitor.page.evaluate(READ)) == []
    state = german_visitor.console.state
    now, own = state.context.now(), state.settings.own_credential
    assert own is not None

    def fail(connection: Connection) -> None:
        id = credentials.save(connection, state.vault, own, now, "default", chosen=True)
        made = subscriptions.create_once(
            connection,
            digest=None,
            credential_id=id,
            trigger="payment_settled",
            inputs={},
            target_url="https://nobody.example/",
            sealed_secret=state.vault.seal("s"),
            now=now,
        )
        assert made is not None
        subscriptions.pause(connection, made.id, now)
        deliveries.enqueue(connection, made.id, "1", "{}", now)
        head = deliveries.next_waiting(connection, made.id)
        assert head is not None
        why = say("send_no_answer", seconds="15").en
        deliveries.mark_failed(connection, head, None, why, now + timedelta(hours=1))

    state.database.write(fail).result()
    german_visitor.open("subscriptions")
    german_visitor.sees("keine Antwort innerhalb von 15 Sekunden")
    assert found_in(german_visitor.page.evaluate(READ)) == []
