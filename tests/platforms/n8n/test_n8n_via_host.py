"""The package for a Kontor host, on n8n's own engine, with a real host and the sandbox behind it."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from connector import Connector, Credential
from connector.core.service.wire import Wire
from connector.core.timing import Clock
from connector.core.values import json
from connector.runtime.session import Session
from connector.sandbox.banking.demo import MAIN_ACCOUNT
from tests.interfaces.host.running_host import TOKEN, RunningHost
from tests.platforms.n8n.engine.n8n_engine import Engine, EventFlow, Flow, Refusal, Stand, chosen, parameters_of
from tests.platforms.n8n.engine.stub_service import stub_service
from tests.support.filled_in import NORDLICHT, all_inputs
from tests.support.running_sandbox import Receiver, RunningSandbox

pytestmark = pytest.mark.platforms

CONNECTOR = Connector("unused")
KEY = "sandbox-key"
PAYMENTS, CASH_BOOK = "/v2/banking/payments", "/v2/ledger-duo/kassenbuch-advanced"
ENTRY = {
    "ledger_connection": NORDLICHT,
    "kassenname": "Ladenkasse",
    "transaktionsdatum": "2026-05-04T10:30:00+02:00",
    "belegzeilen": [{"betrag": "-41.65"}],
}
PAYMENT = {
    "account_id": MAIN_ACCOUNT,
    "creditor_name": "Reifen Voss KG",
    "creditor_iban": "DE02120300000000202051",
    "amount": "297.50",
}


@pytest.fixture
def stand(host_engine: Engine, host: RunningHost) -> Stand:
    return Stand(host_engine, {"baseUrl": host.url, "hostToken": TOKEN, "apiKey": KEY})


@pytest.fixture
def session(sandbox: RunningSandbox, tmp_path: Path) -> Iterator[Session]:
    connector = Connector(str(tmp_path / "beside"))
    with connector.open(Credential(sandbox.url, KEY, wire=Wire.load({}))) as session:
        yield session
    connector.close()


@pytest.mark.parametrize("id", sorted(CONNECTOR.actions))
def test_every_operation_runs_through_the_host(
    id: str, stand: Stand, session: Session, sandbox: RunningSandbox
) -> None:
    action = CONNECTOR.action(id)
    inputs = all_inputs(action, session)
    expected = session.invoke(id, inputs, dry_run=True).output
    assert stand.run(action, inputs)
    path = urlsplit(expected["url"]).path
    sent = [one["body"] for one in sandbox.requests() if (one["method"], one["path"]) == (expected["method"], path)]
    assert sent
    if action.read_back is None:  # otherwise the body carries the key as well
        assert expected["body"] in sent


def test_a_retry_of_the_same_step_pays_once(stand: Stand, sandbox: RunningSandbox) -> None:
    action = CONNECTOR.action("initiate_payment")
    first, again = (stand.run(action, PAYMENT, execution="7")[0]["id"] for _ in range(2))
    other = stand.run(action, PAYMENT, execution="8")[0]["id"]
    assert first == again != other
    posts = [one for one in sandbox.requests() if (one["method"], one["path"]) == ("POST", "/v2/banking/payments")]
    assert len(posts) == 2


def test_the_host_decides_about_a_step_that_it_knows_though_its_day_has_passed_here(
    stand: Stand, sandbox: RunningSandbox
) -> None:
    action = CONNECTOR.action("initiate_payment")
    inputs = {**PAYMENT, "account_id": "={{ $json.account }}", "execution_date": Clock().berlin_today().isoformat()}
    items = [{"json": {"account": MAIN_ACCOUNT}}, {"json": {"account": "1"}}]
    with pytest.raises(Refusal) as caught:
        stand.run(action, inputs, items=items)
    parameters, of = {**chosen(action), **parameters_of(action, inputs)}, caught.value.execution
    ahead = {"ahead": 24 * 60 * 60 * 1000, "saved": True, "continueOnFail": True}
    again = stand.engine.ask("retry", "kontor", stand.credential, parameters=parameters, of=of, **ahead)["items"]
    [made] = sandbox.api.get(PAYMENTS, params={"sort": "date"}).json()["data"][:1]
    assert again[0]["json"]["id"] == made["id"]
    assert [one["body"]["account_id"] for one in sandbox.requests() if one["method"] == "POST"].count(MAIN_ACCOUNT) == 1


def test_a_payment_that_waits_for_approval_gives_its_run(stand: Stand, host: RunningHost) -> None:
    assert host.http.put("/v1/policy", json={"approve_above": 100}).status_code == 200
    [waiting] = stand.run(CONNECTOR.action("initiate_payment"), PAYMENT)
    assert waiting["state"] == "awaiting_approval"
    assert host.http.get(f"/v1/runs/{waiting['run']}").json()["run"]["state"] == "awaiting_approval"


def posts(sandbox: RunningSandbox, path: str) -> int:
    return [(one["method"], one["path"]) for one in sandbox.requests()].count(("POST", path))


def lost_booking(stand: Stand, sandbox: RunningSandbox) -> Refusal:
    """A cash book entry whose answer the host did not get."""
    sandbox.order("/faults", kind="drop_after", match={"path": CASH_BOOK})
    with pytest.raises(Refusal) as caught:
        stand.run(CONNECTOR.action("create_cash_book_entry"), ENTRY, retry=True)
    return caught.value


def test_a_parked_booking_is_booked_once_over_retry_on_fail_and_retry_execution(
    stand: Stand, sandbox: RunningSandbox
) -> None:
    action = CONNECTOR.action("create_cash_book_entry")
    failed = lost_booking(stand, sandbox)
    parameters = {**chosen(action), **parameters_of(action, ENTRY)}
    with pytest.raises(Refusal):
        stand.engine.ask("retry", "kontor", stand.credential, parameters=parameters, of=failed.execution)
    assert posts(sandbox, CASH_BOOK) == 1


def test_an_equal_booking_of_another_execution_is_refused_while_the_first_is_parked(
    stand: Stand, sandbox: RunningSandbox
) -> None:
    lost_booking(stand, sandbox)
    action = CONNECTOR.action("create_cash_book_entry")
    [item] = stand.run(action, ENTRY, continueOnFail=True)
    assert (item["kind"], item["outcome"]) == ("likely_repeat", "not_sent")
    assert posts(sandbox, CASH_BOOK) == 1


def test_the_refusal_of_the_second_item_names_the_payment_of_the_first(stand: Stand, sandbox: RunningSandbox) -> None:
    action = CONNECTOR.action("initiate_payment")
    items = [{"json": {"account": MAIN_ACCOUNT}}, {"json": {"account": "1"}}]
    with pytest.raises(Refusal) as caught:
        stand.run(action, {**PAYMENT, "account_id": "={{ $json.account }}"}, items=items, retry=True)
    made = sandbox.api.get(PAYMENTS).json()["data"][0]
    assert made["custom_fields"]["kontor_key"].endswith(":0:0")
    assert f"item 1 ({made['id']}, " in caught.value.remedy
    assert [one["body"]["account_id"] for one in sandbox.requests() if one["method"] == "POST"].count(MAIN_ACCOUNT) == 1


def test_a_bad_iban_among_two_items_is_told_before_the_host_is_asked(stand: Stand, sandbox: RunningSandbox) -> None:
    action = CONNECTOR.action("initiate_payment")
    items = [{"json": {"iban": PAYMENT["creditor_iban"]}}, {"json": {"iban": "DE02120300000000202052"}}]
    with pytest.raises(Refusal, match="IBAN"):
        stand.run(action, {**PAYMENT, "creditor_iban": "={{ $json.iban }}"}, items=items, retry=True)
    assert posts(sandbox, PAYMENTS) == 0


def test_a_host_that_does_not_answer_leaves_a_write_unknown(host_engine: Engine) -> None:
    """What stands between n8n and the host may answer in its place."""
    with stub_service(lambda *asked: (502, "bad gateway")) as stub:
        stand = Stand(host_engine, {"baseUrl": stub.url, "hostToken": TOKEN, "apiKey": KEY})
        [item] = stand.run(CONNECTOR.action("initiate_payment"), PAYMENT, continueOnFail=True)
    assert (item["kind"], item["outcome"]) == ("outcome_unknown", "unknown")
    assert "Retry the execution" in item["remedy"]


def test_dropdowns_and_their_dependencies_come_from_the_host(stand: Stand) -> None:
    assert NORDLICHT in [one["value"] for one in stand.options("ledger_connections_duo", {})]
    books = stand.options("cash_books_by_ledger_connection_by_client", {"ledger_connection": NORDLICHT})
    assert "Ladenkasse" in [one["value"] for one in books]
    searched = stand.options(
        "cash_books_by_ledger_connection_by_client", {"ledger_connection": NORDLICHT}, search="laden"
    )
    assert [one["value"] for one in searched] == ["Ladenkasse"]
    first, next = stand.page("currencies", {})
    assert (len(first), next) == (100, first[-1]["value"])
    later, end = stand.page("currencies", {}, after=next)
    assert (end, {one["value"] for one in first} & {one["value"] for one in later}) == (None, set())


def test_an_error_of_the_host_shows_its_remedy(stand: Stand) -> None:
    with pytest.raises(Refusal) as caught:
        stand.run(CONNECTOR.action("get_payment"), {"id": "1"})
    assert "Check the id" in caught.value.remedy


def test_every_polled_trigger_polls_through_the_host(stand: Stand, sandbox: RunningSandbox) -> None:
    flow = Flow(stand, CONNECTOR.trigger("new_transaction"), account_id=MAIN_ACCOUNT)
    assert flow.poll() == []
    amount = Decimal("123456789012.345")
    sandbox.order_exact("/transactions", {"amount": amount, "account_id": MAIN_ACCOUNT})
    [row] = flow.poll()
    assert (int(row["id"]) > 2**53, Decimal(row["amount"])) == (True, amount)
    assert flow.poll() == []
    assert Flow(stand, CONNECTOR.trigger("credits_low"), threshold="5").poll() == []


def test_a_cursor_that_an_earlier_package_wrote_is_read(stand: Stand, sandbox: RunningSandbox) -> None:
    trigger = CONNECTOR.trigger("new_transaction")
    flow = Flow(stand, trigger, account_id=MAIN_ACCOUNT)
    flow.poll()
    usual = {field.name: field.default for field in trigger.inputs if field.default is not None}
    flow.static["node:Kontor"]["of"] = json.encode([trigger.id, {"account_id": MAIN_ACCOUNT, **usual}]).decode()
    [new] = sandbox.order("/transactions", account_id=MAIN_ACCOUNT)["data"]
    assert [row["id"] for row in flow.poll()] == [new["id"]]


def test_a_mistake_in_the_form_is_told_before_the_host_is_asked(host_engine: Engine, unused_port: int) -> None:
    nobody = {"baseUrl": f"http://127.0.0.1:{unused_port}", "hostToken": TOKEN, "apiKey": KEY}
    with pytest.raises(Refusal, match=r"'Amount': 1\.234 may mean"):
        Stand(host_engine, nobody).run(CONNECTOR.action("initiate_payment"), {**PAYMENT, "amount": "1.234"})
    with pytest.raises(Refusal, match="cannot be reached"):
        Stand(host_engine, nobody).run(CONNECTOR.action("initiate_payment"), PAYMENT)


def test_a_subscription_brings_signed_events_once(stand: Stand, sandbox: RunningSandbox) -> None:
    sandbox.order("/settings", auto_payments=False)
    receiver = Receiver()
    flow = EventFlow(stand, CONNECTOR.trigger("payment_settled"))
    flow.webhook_base = receiver.url.removesuffix("/hooks/1")
    assert flow.hook("checkExists") is False
    assert flow.hook("create") is True
    assert flow.hook("checkExists") is True
    payment = stand.run(CONNECTOR.action("initiate_payment"), PAYMENT)[0]["id"]
    sandbox.order(f"/payments/{payment}", status="settled")
    body, headers = _delivered(receiver)
    assert flow.receive(body, {**headers, "webhook-signature": "v1,AAAA"}) == (401, [])
    status, [row] = flow.receive(body, headers)
    assert (status, row["_id"]) == (200, f"{payment}:settled")
    assert flow.receive(body, headers) == (200, [])
    assert flow.hook("delete") is True
    assert flow.hook("checkExists") is False
    receiver.close()


def _delivered(receiver: Receiver) -> tuple[str, dict[str, Any]]:
    """The delivery to the byte, as the host wrote it: what is signed is the text, not the value."""
    event = receiver.next()
    return json.encode(event).decode(), receiver.headers[-1]
