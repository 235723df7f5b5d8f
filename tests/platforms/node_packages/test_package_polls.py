"""Polls on Node-RED and on Activepieces neither miss nor repeat, over a restart too."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from connector import Connector
from connector.core.service.wire import Wire
from connector.export.catalogue import export
from connector.export.shape import ExportOptions
from connector.runtime.session import Session
from connector.sandbox.banking.demo import HOUSE_BANK, MAIN_ACCOUNT
from connector.sandbox.ledger.demo import ledger_connection_id
from tests.interfaces.host.running_host import RunningHost
from tests.platforms.n8n.engine.stub_service import stub_service
from tests.platforms.node_packages.conftest import Engines
from tests.platforms.node_packages.engines.stand import PollFlow, Refusal, Stand
from tests.support.counted_rows import count_too_many
from tests.support.parts import part
from tests.support.running_sandbox import RunningSandbox

pytestmark = pytest.mark.platforms

CONNECTOR = Connector("unused")
HOUR = 3_600_000
"""Milliseconds."""
HELD = export("node-red", CONNECTOR, ExportOptions(wire=Wire.load({}))).holds["triggers"]
POLLED = sorted(id for id in HELD if CONNECTOR.trigger(id).source == "poll")
PAYMENT = {
    "account_id": MAIN_ACCOUNT,
    "creditor_name": "Reifen Voss KG",
    "creditor_iban": "DE02120300000000202051",
    "amount": 297.5,
}
INPUTS: dict[str, dict[str, Any]] = {
    "new_transaction": {"account_id": MAIN_ACCOUNT},
    "transaction_changed": {"account_id": MAIN_ACCOUNT},
    "consent_expires_soon": {"connection_id": HOUSE_BANK, "days": 30},
    "bank_connection_needs_attention": {"connection_id": HOUSE_BANK},
    "open_item_changed": {"ledger_connection": ledger_connection_id("nordlicht")},
}


def flow(stand: Stand, id: str, start: str = "now", **more: Any) -> PollFlow:
    return stand.poll_flow(CONNECTOR.trigger(id), start, **{**INPUTS.get(id, {}), **more})


def ids(rows: list[dict[str, Any]]) -> list[str]:
    return [row["_id"] for row in rows]


@pytest.mark.parametrize("id", part(POLLED))
def test_polls_fire_what_the_runtime_fires(id: str, direct: Stand, session: Session, sandbox: RunningSandbox) -> None:
    inputs = INPUTS.get(id, {})
    first = _runtime(session, id, inputs, None)
    ours = flow(direct, id, "all")
    assert ids(ours.poll()) == ids(first[0])
    sandbox.order("/transactions", count=25, made_on="2026-01-02")
    sandbox.api.post("/v2/banking/payments", json=PAYMENT)
    sandbox.order(f"/bank-connections/{HOUSE_BANK}/error")
    second = _runtime(session, id, inputs, first[1])
    assert ids(ours.poll()) == ids(second[0])
    assert ids(ours.poll()) == ids(_runtime(session, id, inputs, second[1])[0])


def _runtime(session: Session, id: str, inputs: dict[str, Any], cursor: str | None) -> tuple[list[dict[str, Any]], str]:
    fired: list[dict[str, Any]] = []
    while True:
        polled = session.poll(id, inputs, cursor, start="all")
        fired += polled.items
        cursor = polled.cursor
        if not polled.more:
            return fired, cursor


def test_nothing_is_missed_or_repeated_over_a_restart(direct: Stand, sandbox: RunningSandbox) -> None:
    sandbox.order("/settings", page_size=50)
    ours = flow(direct, "new_transaction")
    assert ours.poll() == []
    [pending] = sandbox.order("/transactions", status="pending")["data"]
    arrived = [pending, *sandbox.order("/transactions", count=120, made_on="2025-01-02")["data"]]
    fired = ours.poll()
    assert ids(fired) == [one["id"] for one in arrived[1:]]
    assert all(row["_late"] and int(row["id"]) > 2**53 for row in fired)
    while_away = sandbox.order("/transactions", count=3)["data"]
    ours.reborn()
    assert ids(ours.poll()) == [one["id"] for one in while_away]
    sandbox.order(f"/transactions/{pending['id']}", status="posted")
    assert ids(ours.poll()) == [pending["id"]]
    assert ours.poll() == []


def test_a_start_after_an_id_fires_only_what_is_later(direct: Stand, sandbox: RunningSandbox) -> None:
    first, *later = sandbox.order("/transactions", count=4)["data"]
    ours = direct.poll_flow(CONNECTOR.trigger("new_transaction"), "since", first["id"], account_id=MAIN_ACCOUNT)
    assert ids(ours.poll()) == [one["id"] for one in later]


@pytest.mark.parametrize("since", ["", "tx-1"])
def test_a_start_after_what_is_no_id_is_refused(since: str, direct: Stand, sandbox: RunningSandbox) -> None:
    refused = direct.poll_flow(CONNECTOR.trigger("new_payment"), "since", since).refused()
    assert "Nothing was sent" in refused.message
    assert [one["path"] for one in sandbox.requests()] == []


def test_a_failed_poll_moves_nothing(direct: Stand, sandbox: RunningSandbox) -> None:
    ours = flow(direct, "new_transaction")
    ours.poll()
    [arrived] = sandbox.order("/transactions")["data"]
    sandbox.order("/faults", kind="error_500", match={"path": "/v2/banking/transactions"}, times=None)
    assert "Run the step again" in ours.refused().message
    sandbox.heal()
    assert ids(ours.poll()) == [arrived["id"]]


def test_a_poll_without_a_source_is_refused_before_it_costs(direct: Stand, sandbox: RunningSandbox) -> None:
    before = len(sandbox.requests())
    refused = direct.poll_flow(CONNECTOR.trigger("new_transaction")).refused()
    assert "Choose a bank connection or a bank account" in refused.message
    assert len(sandbox.requests()) == before


def test_a_paid_list_is_read_only_after_a_free_sign(direct: Stand, sandbox: RunningSandbox) -> None:
    ours = flow(direct, "new_transaction")
    ours.poll()
    before = sandbox.balance()
    for _ in range(3):
        assert ours.poll() == []
    assert sandbox.balance() == before
    [arrived] = sandbox.order("/transactions")["data"]
    assert ids(ours.poll()) == [arrived["id"]]
    assert sandbox.balance() == before - 1


def test_rows_that_stay_missing_are_told_once_and_stop_nothing(
    direct: Stand, kind: str, engines: Engines, sandbox: RunningSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    too_many, process = count_too_many(monkeypatch), engines(kind, "service").process
    flow = direct.poll_flow(CONNECTOR.trigger("new_transaction"), account_id=MAIN_ACCOUNT)
    assert flow.poll() == []
    ids = [row["id"] for row in sandbox.order("/transactions", count=3, unseen=2)["data"]]
    too_many[MAIN_ACCOUNT] = 2
    told: list[str] = []
    refused: list[str] = []
    try:
        for hour in range(1, 25):
            process.do("clock", milliseconds=hour * HOUR)
            try:
                told += [row["id"] for row in flow.poll()]
            except Refusal as refusal:
                refused.append(refusal.message)
    finally:
        process.do("clock", milliseconds=0)
    assert told == ids
    [message] = refused
    assert message.startswith("Transactions that the account counts and the list of transactions has not shown: 2.")
    assert "ask the service" in message


def test_ids_that_are_no_numbers_are_told(kind: str, engines: Engines) -> None:
    rows = [{"id": f"tx-{number}", "made_on": "2026-05-04"} for number in range(3)]
    with stub_service(lambda *asked: (200, {"data": rows})) as stub:
        stand = engines(kind, "service").stand({"baseUrl": stub.url, "apiKey": "a-key"})
        assert "numbers" in flow(stand, "new_transaction").refused().message


def test_a_poll_through_a_host_goes_on_where_it_was(hosted: Stand, sandbox: RunningSandbox, host: RunningHost) -> None:
    ours = flow(hosted, "new_transaction")
    assert ours.poll() == []
    amount = Decimal("1234567890123456.78")
    sandbox.order_exact("/transactions", {"amount": amount, "account_id": MAIN_ACCOUNT})
    ours.reborn()
    [row] = ours.poll()
    assert (int(row["id"]) > 2**53, Decimal(row["amount"])) == (True, amount)
    assert ours.poll() == []
    own = hosted.poll_flow(CONNECTOR.trigger("credits_low"), threshold="5")
    assert own.poll() == []
