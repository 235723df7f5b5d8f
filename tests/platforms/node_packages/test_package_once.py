"""Writes through Node-RED and Activepieces: never twice, and what is told of them is true."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from connector import Connector
from connector.core.timing import Clock
from tests.interfaces.host.running_host import RunningHost
from tests.platforms.n8n.engine.stub_service import stub_service
from tests.platforms.node_packages.conftest import Engines
from tests.platforms.node_packages.engines.stand import Means, Refusal, Stand
from tests.platforms.small_bank import BAD_IBAN, ENTRY, PAYMENTS, VOSS, SmallBank, small_bank
from tests.support.running_sandbox import RunningSandbox

pytestmark = pytest.mark.platforms

CONNECTOR = Connector("unused")
PAY = CONNECTOR.action("initiate_payment")
BOOK = CONNECTOR.action("create_cash_book_entry")
PAYMENT = {"account_id": "8101", "creditor_name": VOSS["name"], "creditor_iban": VOSS["iban"], "amount": "297.50"}
DAY = 24 * 60 * 60 * 1000
FIRST, SECOND = Means(run="a1"), Means(run="b2")


@pytest.fixture
def bank() -> Iterator[SmallBank]:
    with small_bank() as bank:
        yield bank


@pytest.fixture
def flow(kind: str, engines: Engines, bank: SmallBank) -> Stand:
    stand: Stand = engines(kind, "service").stand({"baseUrl": bank.url, "apiKey": bank.key})
    return stand


def unknown(flow: Stand, action: Any, inputs: Any, means: Means) -> Refusal:
    with pytest.raises(Refusal, match=r"[nN]obody knows whether") as caught:
        flow.run(action, inputs, means)
    assert (caught.value.kind, caught.value.outcome) == ("outcome_unknown", "unknown")
    return caught.value


def test_a_payment_carries_its_key_and_is_looked_up_first(flow: Stand, bank: SmallBank) -> None:
    flow.run(PAY, PAYMENT, FIRST)
    marks = bank.payments[0]["custom_fields"]
    parts = marks["kontor_key"].split(":")
    assert parts[:3] == (["node-red", "a1", "step"] if flow.name == "node-red" else ["activepieces", "a1", "step_1"])
    assert marks["kontor_digest"].startswith("2:")
    assert bank.asked == [("GET", PAYMENTS), ("POST", PAYMENTS)]


def test_a_retry_of_the_same_run_gives_the_first_result(flow: Stand, bank: SmallBank) -> None:
    first, again = (flow.run(PAY, PAYMENT, FIRST) for _ in range(2))
    assert first["id"] == again["id"]
    assert len(bank.payments) == 1


def test_a_key_of_the_users_own_holds_over_runs(flow: Stand, bank: SmallBank) -> None:
    first, again = (flow.run(PAY, PAYMENT, Means(own="RE-7")) for _ in range(2))
    assert first["id"] == again["id"]
    assert bank.payments[0]["custom_fields"]["kontor_key"] == f"{flow.name}:initiate_payment:RE-7"
    flow.run(PAY, PAYMENT, Means(own="RE-8"))
    with pytest.raises(Refusal, match="other inputs") as caught:
        flow.run(PAY, {**PAYMENT, "amount": "1"}, Means(own="RE-7"))
    assert caught.value.outcome == "not_sent"
    assert len(bank.payments) == 2


def test_a_lost_payment_is_found_and_paid_once(flow: Stand, bank: SmallBank) -> None:
    bank.loses = 1
    assert flow.run(PAY, PAYMENT, FIRST)["id"] == bank.payments[0]["id"]
    assert len(bank.payments) == 1


def test_a_lost_payment_that_is_not_shown_is_unknown_and_never_sent_again(flow: Stand, bank: SmallBank) -> None:
    bank.loses, bank.hides = 1, True
    told = unknown(flow, PAY, PAYMENT, FIRST)
    assert "never sends it again" in told.message
    unknown(flow, PAY, PAYMENT, FIRST)
    assert bank.asked_for("POST", PAYMENTS) == 1
    bank.hides = False
    assert flow.run(PAY, PAYMENT, FIRST)["id"] == bank.payments[0]["id"]
    assert bank.asked_for("POST", PAYMENTS) == 1


def test_a_lost_booking_is_unknown_and_never_sent_again(flow: Stand, bank: SmallBank) -> None:
    bank.loses = 1
    for _ in range(2):
        told = unknown(flow, BOOK, ENTRY, FIRST)
        assert "Look in the ledger or bank" in told.message
    assert len(bank.entries) == 1


def test_an_equal_booking_of_another_run_waits_until_a_person_says_so(flow: Stand, bank: SmallBank) -> None:
    bank.loses = 1
    unknown(flow, BOOK, ENTRY, FIRST)
    with pytest.raises(Refusal, match="Send again on purpose") as held:
        flow.run(BOOK, ENTRY, SECOND)
    assert held.value.kind == "likely_repeat"
    flow.run(BOOK, ENTRY, Means(run="c3", again=True))
    assert len(bank.entries) == 2


def test_after_the_platform_was_killed_a_lost_booking_is_not_repeated(
    kind: str, engines: Engines, bank: SmallBank
) -> None:
    engine = engines(kind, "service")
    flow = engine.stand({"baseUrl": bank.url, "apiKey": bank.key})
    bank.loses = 1
    unknown(flow, BOOK, ENTRY, FIRST)
    flow.poll_flow(CONNECTOR.trigger("new_payment")).reborn()
    unknown(flow, BOOK, ENTRY, FIRST)
    assert len(bank.entries) == 1


def test_a_memory_that_is_lost_pays_nothing_again(kind: str, engines: Engines, bank: SmallBank) -> None:
    address = {"baseUrl": bank.url, "apiKey": bank.key}
    first, second = (engines(kind, "service").stand(address) for _ in range(2))
    made = first.run(PAY, PAYMENT, FIRST)
    assert second.run(PAY, PAYMENT, FIRST)["id"] == made["id"]
    assert len(bank.payments) == 1


def test_a_retry_on_a_later_day_finds_a_payment_whose_day_has_passed(
    kind: str, engines: Engines, bank: SmallBank
) -> None:
    engine = engines(kind, "service")
    flow = engine.stand({"baseUrl": bank.url, "apiKey": bank.key})
    inputs = {**PAYMENT, "execution_date": Clock().berlin_today().isoformat()}
    bank.loses, bank.hides = 1, True
    unknown(flow, PAY, inputs, Means(own="RE-9"))
    bank.hides = False
    engine.process.do("clock", milliseconds=DAY)
    try:
        assert flow.run(PAY, inputs, Means(own="RE-9"))["id"] == bank.payments[0]["id"]
    finally:
        engine.process.do("clock", milliseconds=0)
    assert len(bank.payments) == 1


def test_a_bad_iban_is_told_before_anything_is_asked(flow: Stand, bank: SmallBank) -> None:
    with pytest.raises(Refusal, match="IBAN") as caught:
        flow.run(PAY, {**PAYMENT, "creditor_iban": BAD_IBAN}, FIRST)
    assert (caught.value.field, caught.value.outcome) == ("creditor_iban", "not_sent")
    assert bank.asked == []


def test_nothing_is_paid_where_nobody_can_look(flow: Stand, bank: SmallBank) -> None:
    bank.is_down = True
    with pytest.raises(Refusal, match="Nothing was changed"):
        flow.run(PAY, PAYMENT, FIRST)
    assert bank.asked_for("POST", PAYMENTS) == 0


def test_a_host_pays_once_over_a_retry_of_the_same_run(hosted: Stand, sandbox: RunningSandbox) -> None:
    account = next(row["id"] for row in sandbox.api.get("/v2/banking/accounts").json()["data"])
    inputs = {**PAYMENT, "account_id": account}
    first, again = (hosted.run(PAY, inputs, FIRST)["id"] for _ in range(2))
    assert first == again
    posts = [one for one in sandbox.requests() if (one["method"], one["path"]) == ("POST", PAYMENTS)]
    assert len(posts) == 1


def test_a_payment_that_waits_for_approval_gives_its_run(
    hosted: Stand, host: RunningHost, sandbox: RunningSandbox
) -> None:
    account = next(row["id"] for row in sandbox.api.get("/v2/banking/accounts").json()["data"])
    assert host.http.put("/v1/policy", json={"approve_above": 100}).status_code == 200
    waiting = hosted.run(PAY, {**PAYMENT, "account_id": account}, FIRST)
    assert waiting["state"] == "awaiting_approval"
    assert host.http.get(f"/v1/runs/{waiting['run']}").json()["run"]["state"] == "awaiting_approval"


def test_a_host_that_does_not_answer_leaves_a_write_unknown(kind: str, engines: Engines) -> None:
    """What stands between the platform and the host may answer in its place."""
    with stub_service(lambda *asked: (502, "bad gateway")) as stub:
        stand = engines(kind, "host").stand({"baseUrl": stub.url, "apiKey": "k", "hostToken": "t"})
        with pytest.raises(Refusal, match="knows by its key what became of it") as caught:
            stand.run(PAY, PAYMENT, FIRST)
    assert (caught.value.kind, caught.value.outcome) == ("outcome_unknown", "unknown")
