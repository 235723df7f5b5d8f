"""The flows that `kontor templates` offers run in a real n8n server as they are imported, in both languages.

What a person chooses is chosen by the test. Slack and Google are not there: what they would answer is pinned, as one
pins it in the editor, and where a flow is active, these steps are switched off; mails go to a mail server of the test.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from connector import Connector
from connector.export.n8n.flows import flows, workflow
from connector.sandbox.banking.demo import MAIN_ACCOUNT
from tests.platforms.n8n_server.mailbox import Mailbox, mailbox
from tests.platforms.n8n_server.n8n_rest import CREDENTIAL, Editor, Execution
from tests.support.filled_in import NORDLICHT
from tests.support.running_sandbox import RunningSandbox

pytestmark = [pytest.mark.platforms, pytest.mark.n8n_server]

CONNECTOR = Connector("unused")
LANGUAGES = ["en", "de"]
CHOSEN: dict[str, Any] = {"ledger_connection": NORDLICHT, "kassenname": "Ladenkasse", "account_id": MAIN_ACCOUNT}
MAILS = {"fromEmail": "kontor@localhost", "toEmail": "ada@localhost"}
PERSON = {"user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"}
"""By which n8n tells a person who approves from a program that looks through mails."""
PAYMENT = {"creditor_name": "Reifen Voss KG", "creditor_iban": "DE02120300000000202051", "amount": "297.50"}


POLL_SECONDS = 90.0
"""n8n polls once a minute, at a second of its own choice, and switching a workflow on takes its time."""


@pytest.fixture
def mails() -> Iterator[Mailbox]:
    with mailbox() as server:
        yield server


@pytest.fixture
def smtp(editor: Editor, mails: Mailbox) -> dict[str, str]:
    data = {
        "host": "127.0.0.1",
        "port": mails.port,
        "secure": False,
        "disableStartTls": True,
        "user": "",
        "password": "",
    }
    return editor.stored("smtp", data)


def completed(name: str, lang: str, kept: dict[str, str], smtp: dict[str, str]) -> dict[str, Any]:
    """A flow with all that its note asks for."""
    flow = flows()[name]
    made = workflow(flow, CONNECTOR, lang)
    asked = {step["name"][lang]: step.get("ask", ()) for step in flow.steps}
    for node in made["nodes"]:
        chosen = {**CHOSEN, **MAILS}
        node["parameters"] |= {field: chosen[field] for field in asked.get(node["name"], ()) if field in chosen}
        if node["type"].startswith("n8n-nodes-kontor."):
            node["credentials"] = {CREDENTIAL: kept}
        elif node["type"].endswith(".emailSend"):
            node["credentials"] = {"smtp": smtp}
        elif node["type"].endswith(".webhook"):
            node["parameters"]["path"] += f"-{lang}"
        elif node["type"].endswith((".slack", ".googleSheets")):
            made["pinData"][node["name"]] = [{"json": {"ok": True}}]
    return made


def wait_for(what: str, sign: Callable[[], Any], seconds: float = 30.0) -> Any:
    patience = time.monotonic() + seconds
    while time.monotonic() < patience:
        if found := sign():
            return found
        time.sleep(0.5)
    raise AssertionError(f"{what}: not within {seconds:g} seconds")


def call(editor: Editor, path: str, body: dict[str, Any]) -> httpx.Response:
    """Calls a webhook of an active flow; activating takes its time."""

    def answered() -> httpx.Response | None:
        answer = httpx.post(f"{editor.url}/webhook/{path}", json=body, trust_env=False, timeout=60)
        return None if answer.status_code == 404 else answer

    found: httpx.Response = wait_for("the webhook", answered)
    return found


def names(name: str, lang: str) -> list[str]:
    return [step["name"][lang] for step in flows()[name].steps]


def went_well(execution: Execution) -> Execution:
    assert execution.status == "success", execution.result.get("error")
    return execution


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_cash_closing_is_booked(
    lang: str, editor: Editor, kept: dict[str, str], smtp: dict[str, str], sandbox: RunningSandbox
) -> None:
    active = editor.activate(editor.imported(completed("cash_closing", lang, kept, smtp)))
    closing = {"betrag": "412,50", "tag": "2026-05-04T18:00:00+02:00", "text": "Tageseinnahme", "gegenkonto": "8400"}
    answer = call(editor, f"kontor-cash-closing-{lang}", closing)
    assert answer.status_code == 200, answer.text
    [sent] = [row["body"] for row in sandbox.requests() if row["path"] == "/v2/ledger-duo/kassenbuch-advanced"]
    assert (str(sent["betrag"]), sent["belegzeilen"][0]["belegtext"]) == ("412.50", "Tageseinnahme")
    editor.deactivate(active)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_new_transaction_becomes_a_row(
    lang: str, editor: Editor, kept: dict[str, str], smtp: dict[str, str], sandbox: RunningSandbox
) -> None:
    [new] = sandbox.order("/transactions", amount="-12.34", account_id=MAIN_ACCOUNT)["data"]
    start, row, sheet = names("transaction_sheet", lang)
    done = went_well(editor.run_whole(editor.imported(completed("transaction_sheet", lang, kept, smtp)), start))
    [last] = [one for one in done.items(row) if one["ID"] == new["id"]]
    assert last["Betrag" if lang == "de" else "Amount"] == -12.34
    assert done.items(sheet)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_payment_waits_for_its_approval_and_is_told_when_it_is_settled(
    lang: str, editor: Editor, kept: dict[str, str], smtp: dict[str, str], mails: Mailbox, sandbox: RunningSandbox
) -> None:
    active = editor.activate(editor.imported(completed("payment_approval", lang, kept, smtp)))
    call(editor, f"kontor-payment-{lang}", {**PAYMENT, "description": "Rechnung V-88120"})
    [asked] = wait_for("the mail that asks", lambda: mails.mails)
    assert sent(sandbox) == []
    text = "".join(str(part.get_content()) for part in asked.walk() if part.get_content_maintype() == "text")
    assert "297.50 EUR" in text
    link = next(one for one in re.findall(r'href="([^"]+)"', text) if "approved=true" in one)
    url = link.replace("&amp;", "&")  # the mail may be there before n8n has noted that it waits
    wait_for("the approval", lambda: httpx.get(url, headers=PERSON, trust_env=False).is_success)
    [payment] = wait_for("the payment", lambda: sent(sandbox))
    assert payment["creditor_name"] == "Reifen Voss KG"
    [row] = sandbox.api.get("/v2/banking/payments", params={"limit": 1}).json()["data"][:1]
    sandbox.order(f"/payments/{row['id']}", status="settled")
    told = wait_for("the mail that tells", lambda: mails.mails[1:])[0]
    assert row["id"] in told["subject"]
    editor.deactivate(active)


def sent(sandbox: RunningSandbox) -> list[dict[str, Any]]:
    rows = [row for row in sandbox.requests() if (row["method"], row["path"]) == ("POST", "/v2/banking/payments")]
    return [row["body"] for row in rows]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_consent_that_ends_is_told_by_mail(
    lang: str, editor: Editor, kept: dict[str, str], smtp: dict[str, str], mails: Mailbox
) -> None:
    start = names("consent_mail", lang)[0]
    went_well(editor.run_whole(editor.imported(completed("consent_mail", lang, kept, smtp)), start))
    assert ("Zustimmung endet" if lang == "de" else "consent ends") in mails.mails[0]["subject"]


STARTS = {"transaction_sheet": "now", "consent_mail": "all", "open_items_message": "all"}
"""Where the poll that starts a flow begins: an open item is read once a day, and so told of by the first poll here."""


def test_the_flows_that_polls_start_are_started_by_them(
    editor: Editor, kept: dict[str, str], smtp: dict[str, str], mails: Mailbox, sandbox: RunningSandbox
) -> None:
    active = {
        (name, lang): editor.activate(editor.imported(polled_each_minute(completed(name, lang, kept, smtp), start)))
        for name, start in STARTS.items()
        for lang in LANGUAGES
    }
    try:
        sheets = [id for (name, _), id in active.items() if name == "transaction_sheet"]
        wait_for("the baselines", lambda: all(has_cursor(editor, id) for id in sheets), POLL_SECONDS)
        [new] = sandbox.order("/transactions", amount="-12.34", account_id=MAIN_ACCOUNT)["data"]
        for (name, lang), id in active.items():
            [fired, *_] = wait_for(f"{name} {lang}", lambda id=id: editor.executions(id), POLL_SECONDS)
            assert (went_well(fired).mode, name) == ("trigger", name)
            steps = names(name, lang)
            first = fired.items(steps[0])
            if name == "transaction_sheet":
                assert [row["id"] for row in first] == [new["id"]]
                assert [row["ID"] for row in fired.items(steps[1])] == [new["id"]]
            elif name == "open_items_message":
                assert first[0]["bezeichnung"]
        told = {mail["subject"] for mail in mails.mails}
        assert any("Zustimmung endet" in one for one in told)
        assert any("consent ends" in one for one in told)
    finally:
        for id in active.values():
            editor.deactivate(id)


def polled_each_minute(flow: dict[str, Any], start: str) -> dict[str, Any]:
    """The flow with its poll as often as n8n allows, and without what is not there."""
    for node in flow["nodes"]:
        if node["type"] == "n8n-nodes-kontor.kontorTrigger":
            node["parameters"] |= {"start": start, "pollTimes": {"item": [{"mode": "everyMinute"}]}}
        node["disabled"] = node["type"].endswith((".slack", ".googleSheets"))
    return flow


def has_cursor(editor: Editor, workflow: str) -> bool:
    return any(one.get("cursor") for one in editor.kept_data(workflow).values())


@pytest.mark.parametrize("lang", LANGUAGES)
def test_an_open_item_that_changed_becomes_a_message(
    lang: str, editor: Editor, kept: dict[str, str], smtp: dict[str, str]
) -> None:
    start, message = names("open_items_message", lang)
    done = went_well(editor.run_whole(editor.imported(completed("open_items_message", lang, kept, smtp)), start))
    assert done.items(start)[0]["bezeichnung"]
    assert done.items(message)
