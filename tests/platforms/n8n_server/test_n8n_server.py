"""The exported package in a whole n8n server, driven as its editor drives it, against the sandbox."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from connector import Connector
from connector.sandbox.banking.demo import MAIN_ACCOUNT
from tests.platforms.n8n.engine.n8n_engine import chosen, parameters_of
from tests.platforms.n8n_server.n8n_rest import Editor, Execution
from tests.support.filled_in import NORDLICHT
from tests.support.running_sandbox import RunningSandbox

pytestmark = [pytest.mark.platforms, pytest.mark.n8n_server]

CONNECTOR = Connector("unused")
CASH_BOOK = "/v2/ledger-duo/kassenbuch-advanced"
ENTRY: dict[str, Any] = {
    "ledger_connection": NORDLICHT,
    "kassenname": "Ladenkasse",
    "betrag": "1234567890123.45",
    "transaktionsdatum": "2026-05-04T10:30:00+02:00",
    "belegzeilen": [
        {"betrag": "1234567890123.15", "belegtext": "Lastenrad Deich 20", "gegenkonto": "8400"},
        {"betrag": "0.30", "belegtext": "Klingel", "gegenkonto": "8400"},
    ],
}


def filled(action: str, **inputs: Any) -> dict[str, Any]:
    """The action node's form as a person would have left it."""
    manifest = CONNECTOR.action(action)
    return {**chosen(manifest), **parameters_of(manifest, inputs)}


def run(editor: Editor, kept: dict[str, str], action: str, **inputs: Any) -> Execution:
    return editor.run(kept, filled(action, **inputs))


def field(editor: Editor, action: str, name: str) -> dict[str, Any]:
    """A field of the action's form as n8n itself describes it."""
    [found] = [
        one
        for one in editor.node_types()["kontor"]["properties"]
        if one["name"] == name and action in one.get("displayOptions", {}).get("show", {}).get("operation", [])
    ]
    return found


def test_the_packed_package_brings_its_nodes_and_their_icons(editor: Editor) -> None:
    nodes = editor.node_types()
    assert set(nodes) == {"kontor", "kontorTrigger", "kontorEventTrigger", "kontorTool"}
    icons = {icon for node in nodes.values() for icon in node["iconUrl"].values()}
    assert {editor.content_type(f"/{icon}").partition(";")[0] for icon in icons} == {"image/svg+xml"}


def test_a_credential_with_the_right_key_is_found_good_for_nothing(
    editor: Editor, kept: dict[str, str], sandbox: RunningSandbox
) -> None:
    before = sandbox.balance()
    assert editor.test_credential(kept, sandbox.url, "sandbox-key")["status"] == "OK"
    assert sandbox.balance() == before


def test_a_credential_with_a_wrong_key_is_found_bad_and_says_what_to_do(
    editor: Editor, sandbox: RunningSandbox
) -> None:
    wrong = "a-key-that-nobody-knows"
    shown = editor.test_credential(editor.new_credential(sandbox.url, wrong), sandbox.url, wrong)
    assert shown["status"] == "Error"
    assert "does not accept the API key" in shown["message"]
    assert "dashboard" in shown["message"]
    assert wrong not in shown["message"]


def test_a_credential_for_another_address_says_so(
    editor: Editor, kept: dict[str, str], sandbox: RunningSandbox
) -> None:
    shown = editor.test_credential(kept, f"{sandbox.url}/elsewhere", "sandbox-key")
    assert (shown["status"], "Check the address" in shown["message"]) == ("Error", True)


@pytest.mark.parametrize("address", ["http://127.0.0.1:1", "not an address"])
def test_an_address_that_leads_nowhere_is_told_in_a_sentence(
    editor: Editor, kept: dict[str, str], address: str
) -> None:
    shown = editor.test_credential(kept, address, "sandbox-key")
    assert shown["status"] == "Error"
    assert shown["message"].startswith(("The service at 127.0.0.1:1 cannot", "The base URL is not"))


def test_a_dropdown_opens(editor: Editor, kept: dict[str, str]) -> None:
    accounts = field(editor, "initiate_payment", "account_id")
    answer = editor.options("kontor", accounts, kept, filled("initiate_payment"))
    assert MAIN_ACCOUNT in [one["value"] for one in answer.json()["data"]["results"]]


def test_a_long_dropdown_is_searched_and_comes_page_by_page(editor: Editor, kept: dict[str, str]) -> None:
    currencies = field(editor, "create_cash_book_entry", "waehrung")
    form = filled("create_cash_book_entry")
    first = editor.options("kontor", currencies, kept, form).json()["data"]
    next = editor.options("kontor", currencies, kept, form, paginationToken=first["paginationToken"]).json()["data"]
    assert (len(first["results"]), "paginationToken" in next) == (100, False)
    assert len({one["value"] for one in [*first["results"], *next["results"]]}) > 150
    francs = editor.options("kontor", currencies, kept, form, filter="swiss fr").json()["data"]["results"]
    assert [one["value"] for one in francs] == ["CHF"]


@pytest.mark.parametrize("mode", ["list", "id", "text"])
def test_an_id_is_taken_however_it_was_entered(
    mode: str, editor: Editor, kept: dict[str, str], sandbox: RunningSandbox
) -> None:
    form = filled("list_transactions", account_id=MAIN_ACCOUNT)
    form["account_id"] = MAIN_ACCOUNT if mode == "text" else {"__rl": True, "mode": mode, "value": MAIN_ACCOUNT}
    done = editor.run(kept, form)
    assert done.status == "success", done.result
    assert sandbox.requests()[-1]["query"]["account_id"] == MAIN_ACCOUNT


def test_a_dropdown_that_depends_on_another_opens_with_it_and_asks_for_it_without(
    editor: Editor, kept: dict[str, str]
) -> None:
    cash_books = field(editor, "create_cash_book_entry", "kassenname")
    assert "ledger_connection" in cash_books["typeOptions"]["loadOptionsDependsOn"]
    form = filled("create_cash_book_entry", ledger_connection=NORDLICHT)
    answer = editor.options("kontor", cash_books, kept, form)
    assert "Ladenkasse" in [one["value"] for one in answer.json()["data"]["results"]]
    empty = editor.options("kontor", cash_books, kept, filled("create_cash_book_entry"))
    assert not empty.is_success
    assert "Choose this first: Ledger connection" in empty.json()["message"]


def test_a_cash_book_entry_arrives_once_and_to_the_cent(
    editor: Editor, kept: dict[str, str], sandbox: RunningSandbox
) -> None:
    done = run(editor, kept, "create_cash_book_entry", **ENTRY)
    assert done.status == "success", done.result
    [sent] = [row for row in sandbox.requests() if row["path"] == CASH_BOOK]
    assert sent["body"]["betrag"] == Decimal("1234567890123.45")
    assert [line["betrag"] for line in sent["body"]["belegzeilen"]] == [Decimal("1234567890123.15"), Decimal("0.30")]
    assert sent["query"]["quelle"] == "n8n"


def test_an_id_longer_than_a_double_comes_back_as_it_is(
    editor: Editor, kept: dict[str, str], sandbox: RunningSandbox
) -> None:
    [made] = sandbox.order("/transactions", amount="-12.34", account_id=MAIN_ACCOUNT)["data"]
    assert int(made["id"]) > 2**53
    listed = run(editor, kept, "list_transactions", account_id=MAIN_ACCOUNT, sort="id")
    assert listed.items("Kontor")[-1]["id"] == made["id"]
    [got] = run(editor, kept, "get_transaction", account_id=MAIN_ACCOUNT, id=made["id"]).items("Kontor")
    assert got["id"] == made["id"]


def test_a_mistake_in_the_form_is_shown_with_its_remedy_and_nothing_is_sent(
    editor: Editor, kept: dict[str, str], sandbox: RunningSandbox
) -> None:
    done = run(editor, kept, "create_cash_book_entry", **{**ENTRY, "betrag": "1234567890123.46"})
    assert done.status == "error"
    assert "The difference is 0.01 EUR" in done.error["message"]
    assert "Nothing was sent" in done.error["description"]
    assert [row for row in sandbox.requests() if row["path"] == CASH_BOOK] == []


def test_a_refusal_of_the_service_is_shown_with_its_remedy(
    editor: Editor, kept: dict[str, str], sandbox: RunningSandbox
) -> None:
    sandbox.order(f"/ledger-connections/{NORDLICHT}", **{"break": "ledger_connection_invalid"})
    done = run(editor, kept, "list_cash_books", ledger_connection=NORDLICHT)
    assert done.status == "error"
    assert "https://" in done.error["description"]
