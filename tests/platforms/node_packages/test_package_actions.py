"""Every action sends what the runtime sends and brings back what it brings, on Node-RED and on Activepieces."""

from __future__ import annotations

import base64
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from connector import Connector
from connector.core.values import json as exact_json
from connector.runtime.session import Session
from connector.sandbox.banking.demo import MAIN_ACCOUNT
from tests.platforms.marks import unmarked
from tests.platforms.node_packages.conftest import Engines
from tests.platforms.node_packages.engines.stand import Means, Refusal, Stand, items_of
from tests.support.filled_in import NORDLICHT, all_inputs, required_inputs
from tests.support.parts import part
from tests.support.running_sandbox import RunningSandbox

pytestmark = [pytest.mark.platforms, pytest.mark.long]

CONNECTOR = Connector("unused")
CASH = CONNECTOR.action("create_cash_book_entry")
LINE = {"betrag": "-41.65", "belegtext": "Druckerpapier", "gegenkonto": "4930"}
ENTRY: dict[str, Any] = {
    "ledger_connection": NORDLICHT,
    "kassenname": "Ladenkasse",
    "betrag": "-41.65",
    "transaktionsdatum": "2026-05-04T10:30:00+02:00",
    "belegzeilen": [LINE],
}
AGAIN = Means(again=True)
"""Many tests send the same to one sandbox, and mean it."""


def written(sandbox: RunningSandbox) -> list[dict[str, Any]]:
    """The bodies of the writes; a host reads by itself."""
    return [one["body"] for one in sandbox.requests() if one["method"] == "POST"]


def told(one: dict[str, Any]) -> tuple[Any, ...]:
    return one["method"], one["path"], one["query"], unmarked(one["body"]), one["dropdown"]


@pytest.mark.parametrize("fill", [all_inputs, required_inputs], ids=["all inputs", "required inputs"])
@pytest.mark.parametrize("id", part(sorted(CONNECTOR.actions)))
def test_an_action_sends_what_the_runtime_sends(
    id: str, fill: Any, direct: Stand, session: Session, sandbox: RunningSandbox
) -> None:
    action = CONNECTOR.action(id)
    inputs = fill(action, session)
    expected = session.invoke(id, inputs).output
    by_runtime = told(sandbox.requests()[-1])
    sandbox.order("/reset", seed=1)
    sandbox.order("/limits", limit=1_000_000)
    result = direct.run(action, inputs, AGAIN)
    assert told(sandbox.requests()[-1]) == by_runtime
    rows = expected["items"] if action.is_list else [expected]
    found = [set(row) - {"_warnings"} for row in items_of(action, result)]
    assert found == [set(row) for row in rows]


@pytest.mark.parametrize("id", part(sorted(CONNECTOR.actions)))
def test_an_action_runs_through_a_host(id: str, hosted: Stand, session: Session, sandbox: RunningSandbox) -> None:
    action = CONNECTOR.action(id)
    inputs = all_inputs(action, session)
    shown = session.invoke(id, inputs, dry_run=True).output
    assert hosted.run(action, inputs, AGAIN)
    url = urlsplit(shown["url"])
    sent = [one for one in sandbox.requests() if (one["method"], one["path"]) == (shown["method"], url.path)]
    assert sent
    if action.read_back is None:  # otherwise the body carries the key as well
        found = [(one["query"], exact_json.encode(one["body"])) for one in sent]
        assert (dict(parse_qsl(url.query)), exact_json.encode(shown["body"])) in found


def test_an_amount_with_fifteen_digits_and_more_leaves_unchanged(stand: Stand, sandbox: RunningSandbox) -> None:
    for amount in ("1234567890123.45", "12345678901234567890.12"):
        stand.run(CASH, {**ENTRY, "betrag": amount, "belegzeilen": [{**LINE, "betrag": amount}]}, AGAIN)
        body = written(sandbox)[-1]
        assert (body["betrag"], body["belegzeilen"][0]["betrag"]) == (Decimal(amount), Decimal(amount))


def test_what_a_double_cannot_hold_comes_back_unchanged(stand: Stand, sandbox: RunningSandbox) -> None:
    amount = Decimal("1234567890123456.78")
    sandbox.order_exact("/transactions", {"amount": amount, "account_id": MAIN_ACCOUNT})
    listed = CONNECTOR.action("list_transactions")
    newest = items_of(listed, stand.run(listed, {"account_id": MAIN_ACCOUNT, "sort": "id"}))[-1]
    assert int(newest["id"]) > 2**53
    assert Decimal(newest["amount"]) == amount
    again = stand.run(CONNECTOR.action("get_transaction"), {"id": newest["id"], "account_id": MAIN_ACCOUNT})
    assert (again["id"], again["amount"]) == (newest["id"], newest["amount"])


def test_lines_that_do_not_add_up_are_named_before_anything_is_sent(stand: Stand, sandbox: RunningSandbox) -> None:
    with pytest.raises(Refusal, match=r"The difference is 0.01 EUR.*Nothing was sent") as caught:
        stand.run(CASH, {**ENTRY, "betrag": "-41.66"})
    assert (caught.value.kind, caught.value.outcome, caught.value.field) == ("input", "not_sent", "betrag")
    assert written(sandbox) == []


def test_a_receipt_image_is_taken_as_the_platform_hands_it_on(direct: Stand, sandbox: RunningSandbox) -> None:
    content = b"%PDF-1.7\nreceipt"
    image: Any = {"content": base64.b64encode(content).decode(), "dateiname": "KB-1.pdf"}
    if direct.name == "node-red":
        image["content"] = {"$buffer": image["content"]}
    direct.run_raw(CASH, {**ENTRY, "belegbilder": [image]}, AGAIN)
    sent = sandbox.requests()[-1]["body"]["belegbilder"]
    assert sent == [{"content": base64.b64encode(content).decode(), "dateiname": "KB-1.pdf"}]


@pytest.mark.parametrize("code", ["ledger_connection_invalid", "ledger_endpoint_not_authorized"])
def test_an_error_of_the_ledger_carries_its_own_remedy(code: str, stand: Stand, sandbox: RunningSandbox) -> None:
    sandbox.order(f"/ledger-connections/{NORDLICHT}", **{"break": code})
    with pytest.raises(Refusal) as caught:
        stand.run(CONNECTOR.action("list_cash_books"), {"ledger_connection": NORDLICHT})
    reconnects = code == "ledger_connection_invalid"
    assert ("https://" in caught.value.message) is reconnects
    assert ("does not help" in caught.value.message) is not reconnects


@pytest.mark.parametrize("fault", ["drop_before", "drop_after", "error_500"])
def test_a_read_that_fails_once_is_tried_again(fault: str, direct: Stand, sandbox: RunningSandbox) -> None:
    sandbox.order("/faults", kind=fault, match={"path": "/v2/banking/accounts"}, times=1)
    assert direct.run(CONNECTOR.action("list_bank_accounts"), {})


def test_a_used_up_rate_window_says_until_when(direct: Stand, sandbox: RunningSandbox) -> None:
    sandbox.order("/faults", kind="rate_limited", match={"path": "/v2/banking/accounts"}, times=None)
    with pytest.raises(Refusal, match=r"away until \d\d:\d\d:\d\d") as caught:
        direct.run(CONNECTOR.action("list_bank_accounts"), {})
    assert (caught.value.kind, caught.value.status) == ("rate_limited", 429)


@pytest.mark.parametrize("way", ["service", "host"])
def test_nobody_at_the_address_is_told_and_nothing_is_changed(
    way: Any, kind: str, engines: Engines, unused_port: int
) -> None:
    address = {"baseUrl": f"http://127.0.0.1:{unused_port}", "apiKey": "a-key", "hostToken": "a-token"}
    stand = engines(kind, way).stand(address)
    with pytest.raises(Refusal, match=f"127.0.0.1:{unused_port} cannot be reached.*Nothing was changed"):
        stand.run(CASH, ENTRY)


def test_the_key_appears_in_no_error(kind: str, engines: Engines, sandbox: RunningSandbox) -> None:
    secret = "a-secret-key-nobody-may-see"
    stand = engines(kind, "service").stand({"baseUrl": sandbox.url, "apiKey": secret})
    with pytest.raises(Refusal) as caught:
        stand.run(CONNECTOR.action("list_bank_accounts"), {})
    assert caught.value.kind == "key_refused"
    assert secret not in caught.value.message + caught.value.remedy


@pytest.mark.parametrize(("way", "missing"), [("service", "API key"), ("host", "Kontor host token")])
def test_a_credential_that_lacks_something_says_what(way: Any, missing: str, kind: str, engines: Engines) -> None:
    stand = engines(kind, way).stand({"baseUrl": "http://127.0.0.1:9", "apiKey": "" if way == "service" else "k"})
    with pytest.raises(Refusal, match=f"'{missing}' is required"):
        stand.run(CONNECTOR.action("list_bank_accounts"), {})


def test_a_plain_address_beyond_this_machine_is_refused(kind: str, engines: Engines) -> None:
    stand = engines(kind, "service").stand({"baseUrl": "http://service.example", "apiKey": "a-key"})
    with pytest.raises(Refusal, match="unencrypted"):
        stand.run(CONNECTOR.action("list_bank_accounts"), {})
