"""Answers that the sandbox never gives, and inputs that no form produces, through n8n's own engine."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from connector import Connector
from connector.sandbox.banking.demo import MAIN_ACCOUNT
from tests.platforms.n8n.engine.n8n_engine import Engine, EventFlow, Flow, Refusal, Stand, chosen, run_against
from tests.platforms.n8n.engine.stub_service import Reply, StubService, stub_service
from tests.support.filled_in import NORDLICHT
from tests.support.running_sandbox import RunningSandbox

pytestmark = pytest.mark.platforms

CONNECTOR = Connector("unused")
CASH = CONNECTOR.action("create_cash_book_entry")
ENTRY: dict[str, Any] = {
    "ledger_connection": NORDLICHT,
    "kassenname": "Ladenkasse",
    "betrag": "-41.65",
    "transaktionsdatum": "2026-05-04T10:30:00+02:00",
    "belegzeilen": [{"betrag": "-41.65", "belegtext": "Druckerpapier", "gegenkonto": "4930"}],
}


def at(engine: Engine, stub: StubService) -> Stand:
    return Stand(engine, {"baseUrl": stub.url, "apiKey": "a-key-of-the-stub"})


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        ({"betrag": "1.234"}, "'Total amount': 1.234 may mean 1,234.00 or, rounded, 1.23."),
        ({"betrag": "much"}, "'Total amount' must be a number"),
        ({"belegzeilen": [{"betrag": "1,234"}]}, "Line 1: 'Amount': 1,234 may mean"),
        ({"kassenname": "={{ '' }}"}, "'Cash book' is required."),
        ({"ledger_connection": "nordlicht"}, "Ledger connection: It must be a UUID"),
    ],
)
def test_a_wrong_input_is_told_in_a_sentence_with_its_label(
    raw: dict[str, Any], told: str, stand: Stand, sandbox: RunningSandbox
) -> None:
    before = len(sandbox.requests())
    with pytest.raises(Refusal) as caught:
        stand.run_raw(CASH, {**ENTRY, **raw})
    assert told in caught.value.message
    assert not set(raw) & set(caught.value.message.split())
    assert "Nothing was sent" in caught.value.remedy
    assert len(sandbox.requests()) == before


def test_raw_inputs_reach_the_service_as_exact_json(engine: Engine) -> None:
    raw = {**ENTRY, "betrag": 12.5, "belegzeilen": [{"betrag": 12.5}], "client": " 29098-10001 "}
    with stub_service(lambda *asked: (200, {"status": "SUCCESS", "betrag": 12.5})) as stub:
        assert run_against(engine, stub.url, CASH, raw) == [{"status": "SUCCESS", "betrag": Decimal("12.5")}]
    [(method, path, body)] = stub.asked
    assert (method, body["betrag"], body["waehrung"]) == ("POST", 12.5, "EUR")
    assert "29098-10001" in path


@pytest.mark.parametrize("status", [400, 401, 403])
def test_a_key_that_is_refused_is_known_by_what_is_said_of_it(engine: Engine, status: int) -> None:
    action = CONNECTOR.action("list_bank_accounts")
    with stub_service(lambda *asked: (status, {"error": "Invalid API key"})) as stub:
        answer = engine.ask(
            "run", "kontor", at(engine, stub).credential, parameters=chosen(action), continueOnFail=True
        )
    [item] = answer["items"]
    assert item["json"]["kind"] == "key_refused"
    assert len(stub.asked) == 1


def test_the_key_is_hidden_in_what_the_service_says(engine: Engine) -> None:
    said = {"error": "no such thing for a-key-of-the-stub"}
    with stub_service(lambda *asked: (422, said)) as stub, pytest.raises(Refusal, match="no such thing") as caught:
        at(engine, stub).run(CONNECTOR.action("list_bank_accounts"), {})
    assert "a-key-of-the-stub" not in str(caught.value)


def test_a_webhook_url_that_is_not_found_can_be_subscribed(engine: Engine) -> None:
    urls: list[str] = []

    def answer(method: str, path: str, body: Any) -> Reply:
        if method == "PUT":
            urls.append(body["webhook_url"])
            return 200, {"data": {}}
        return (200, {"data": {"webhook_url": urls[-1]}}) if urls else (404, {"error": "not found"})

    with stub_service(answer) as stub:
        flow = EventFlow(at(engine, stub), CONNECTOR.trigger("banking_event"))
        assert flow.hook("checkExists") is False
        assert flow.hook("create") is True
        assert flow.hook("checkExists") is True
    assert urls == [flow.url]


def test_ids_that_are_no_numbers_are_told_and_move_nothing(engine: Engine) -> None:
    rows = [{"id": f"tx-{number}", "made_on": "2026-05-04"} for number in range(3)]
    with stub_service(lambda *asked: (200, {"data": rows})) as stub:
        flow = Flow(at(engine, stub), CONNECTOR.trigger("new_transaction"), account_id="8101")
        with pytest.raises(Refusal, match="numbers"):
            flow.poll()
    assert not flow.static.get("node:Kontor")


def test_a_start_after_an_id_asks_from_there(stand: Stand, sandbox: RunningSandbox) -> None:
    first, *later = sandbox.order("/transactions", count=4)["data"]
    trigger = CONNECTOR.trigger("new_transaction")
    flow = Flow(stand, trigger, "since", since=first["id"], account_id=MAIN_ACCOUNT)
    before = len(sandbox.requests())
    assert [row["_id"] for row in flow.poll()] == [one["id"] for one in later]
    asked = [row["query"]["from_id"] for row in sandbox.requests()[before:] if row["path"].endswith("/transactions")]
    assert asked[0] == first["id"]


@pytest.mark.parametrize("since", ["", "tx-1", "12.5"])
def test_a_start_after_what_is_no_id_is_refused(since: str, stand: Stand, sandbox: RunningSandbox) -> None:
    before = len(sandbox.requests())
    with pytest.raises(Refusal):
        Flow(stand, CONNECTOR.trigger("new_payment"), "since", since=since).poll()
    assert len(sandbox.requests()) == before


def test_a_cursor_that_an_earlier_package_wrote_is_read(stand: Stand, sandbox: RunningSandbox) -> None:
    *known, new = sandbox.order("/transactions", count=3)["data"]
    flow = Flow(stand, CONNECTOR.trigger("new_transaction"), account_id=MAIN_ACCOUNT)
    of = f'["new_transaction",["account_id","{MAIN_ACCOUNT}"]]'
    flow.static = {"node:Kontor": {"of": of, "cursor": f"{known[-1]['id']}+2"}}
    assert [row["_id"] for row in flow.poll()] == [new["id"]]


def test_only_as_many_rows_as_wanted_come_out(stand: Stand) -> None:
    action = CONNECTOR.action("list_transactions")
    form = {**chosen(action), "account_id": MAIN_ACCOUNT}
    everything = stand.run_form(form)
    assert len(everything) > 50
    assert stand.run_form({**form, "returnAll": False, "limit": 3}) == everything[:3]
    usual = {name: value for name, value in form.items() if name != "returnAll"}
    assert stand.run_form(usual) == everything[:50]


def test_a_limit_that_is_none_is_told_before_anything_is_paid(stand: Stand, sandbox: RunningSandbox) -> None:
    form = {**chosen(CONNECTOR.action("list_transactions")), "account_id": MAIN_ACCOUNT}
    before = len(sandbox.requests())
    for limit in (0, "={{ 'many' }}"):
        with pytest.raises(Refusal, match=r"^Limit: It must be at least 1"):
            stand.run_form({**form, "returnAll": False, "limit": limit})
    assert len(sandbox.requests()) == before


def test_a_limit_of_the_service_itself_is_filled_by_the_forms_limit(stand: Stand, sandbox: RunningSandbox) -> None:
    form = chosen(CONNECTOR.action("list_payments"))
    assert len(stand.run_form({**form, "returnAll": False, "limit": 2})) == 2
    stand.run_form(form)
    limits = [row["query"].get("limit") for row in sandbox.requests()]
    assert limits[-2:] == ["2", None]


def test_a_lost_booking_is_not_taken_for_unsent_because_of_its_text(stand: Stand, sandbox: RunningSandbox) -> None:
    path = "/v2/ledger-duo/kassenbuch-advanced"
    sandbox.order("/faults", kind="drop_after", match={"path": path}, times=None)
    lines = [{"betrag": "-41.65", "belegtext": "ECONNREFUSED CERT_HAS_EXPIRED ENOTFOUND"}]
    with pytest.raises(Refusal, match="Nobody knows whether") as caught:
        stand.run(CASH, {**ENTRY, "belegzeilen": lines})
    assert "Look in the ledger or bank" in caught.value.remedy
    assert [row["path"] for row in sandbox.requests()].count(path) == 1
