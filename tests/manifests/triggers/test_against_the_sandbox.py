"""Triggers on a real socket: what a manifest declares and a handler asks is what the service understands."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from connector import Connector
from connector.core.data.answers import items_in, object_in
from connector.core.polls.page import Page
from connector.core.service.wire import Wire
from connector.core.values.json import decode
from connector.runtime.poll import page_looks_cut, process_page, strategy_inputs
from connector.runtime.requests.request import build_call
from connector.runtime.result import Credits
from connector.sandbox.banking.demo import HOUSE_BANK, MAIN_ACCOUNT
from tests.manifests.triggers.bank_feed import ids
from tests.support.running_sandbox import RunningSandbox

CONNECTOR = Connector("unused")
FREE = Credits(Decimal(0), None)


class Flow:
    """Polls one trigger over HTTP and keeps its cursor."""

    def __init__(self, sandbox: RunningSandbox, trigger: str, start: str = "now", **inputs: Any) -> None:
        self.sandbox, self._start = sandbox, start
        self._trigger = CONNECTOR.trigger(trigger)
        self._inputs = CONNECTOR.inputs(self._trigger).clean(inputs)
        self.cursor: str | None = None

    def poll(self) -> list[dict[str, Any]]:
        now = datetime.fromisoformat(self.sandbox.order("/clock")["now"]).astimezone(UTC)
        fired: list[dict[str, Any]] = []
        while True:
            asked = strategy_inputs(self._trigger, self._inputs, self.cursor, now, self._start)
            call = build_call(self._trigger, self._inputs | asked, Wire.with_overrides({}))
            answer = self.sandbox.api.request(call.method, call.path, params=call.query)
            assert answer.status_code == 200, answer.text
            reply = decode(answer.content)
            rows = items_in(reply) if self._trigger.is_list else [object_in(reply)]
            page = Page(rows, page_looks_cut(self._trigger, len(rows), self.cursor))
            polled = process_page(self._trigger, page, self._inputs, self.cursor, self._start, now, FREE)
            self.cursor = polled.cursor
            fired += polled.items
            if not polled.more:
                return fired


@pytest.mark.conforms("transactions.from_id")
def test_transactions_fire_once_with_late_pending_and_paged_ones(sandbox: RunningSandbox) -> None:
    flow = Flow(sandbox, "new_transaction", account_id=MAIN_ACCOUNT)
    sandbox.order("/settings", page_size=50)
    assert flow.poll() == []
    [pending] = sandbox.order("/transactions", status="pending")["data"]
    arrived = [pending, *sandbox.order("/transactions", count=120, made_on="2025-01-02")["data"]]
    fired = flow.poll()
    assert ids(fired) == [one["id"] for one in arrived[1:]]
    assert all(item["_late"] for item in fired)
    sandbox.order(f"/transactions/{pending['id']}", status="posted")
    assert ids(flow.poll()) == [pending["id"]]
    assert flow.poll() == []


@pytest.mark.conforms("transaction_status.states")
def test_a_changed_transaction_is_told(sandbox: RunningSandbox) -> None:
    [one] = sandbox.order("/transactions", status="pending")["data"]
    flow = Flow(sandbox, "transaction_changed", account_id=MAIN_ACCOUNT)
    assert flow.poll() == []
    sandbox.order(f"/transactions/{one['id']}", status="posted", duplicated=True)
    assert ids(flow.poll()) == [f"{one['id']}:posted:posted", f"{one['id']}:duplicated:true"]
    assert flow.poll() == []


def test_a_payment_is_followed_to_its_settlement(sandbox: RunningSandbox) -> None:
    sandbox.order("/settings", auto_payments=False)
    new, changed = Flow(sandbox, "new_payment"), Flow(sandbox, "payment_status_changed")
    assert (new.poll(), changed.poll()) == ([], [])
    body = {"account_id": MAIN_ACCOUNT, "creditor_name": "Voss", "creditor_iban": "DE02120300000000202051", "amount": 5}
    id = sandbox.api.post("/v2/banking/payments", json=body).json()["data"]["id"]
    assert ids(new.poll()) == [id]
    assert ids(changed.poll()) == [f"{id}:initiated"]
    sandbox.order(f"/payments/{id}", status="executed")
    assert ids(changed.poll()) == [f"{id}:executed"]
    sandbox.order(f"/payments/{id}", status="settled")
    assert ids(changed.poll()) == [f"{id}:settled"]
    assert (new.poll(), changed.poll()) == ([], [])


def test_an_ending_consent_and_a_broken_bank_connection_are_told_once(sandbox: RunningSandbox) -> None:
    consent = Flow(sandbox, "consent_expires_soon", connection_id=HOUSE_BANK, days=3)
    attention = Flow(sandbox, "bank_connection_needs_attention", connection_id=HOUSE_BANK)
    assert (consent.poll(), attention.poll()) == ([], [])
    sandbox.order(f"/bank-connections/{HOUSE_BANK}/expire-consent")
    assert (len(consent.poll()), len(attention.poll())) == (1, 1)
    assert (consent.poll(), attention.poll()) == ([], [])
    sandbox.order(f"/bank-connections/{HOUSE_BANK}/reconnect")
    assert (consent.poll(), attention.poll()) == ([], [])
    sandbox.order(f"/bank-connections/{HOUSE_BANK}/error")
    assert len(attention.poll()) == 1


@pytest.mark.conforms("events.other_areas")
def test_lists_without_a_cursor_fire_everything_once(sandbox: RunningSandbox) -> None:
    for trigger in ("new_bank_account", "new_mobility_customer"):
        flow = Flow(sandbox, trigger, start="all")
        assert len(flow.poll()) > 1
        assert flow.poll() == []


@pytest.mark.conforms("open_items.grouping", "events.other_areas")
def test_open_items_fire_once_oldest_first(sandbox: RunningSandbox) -> None:
    [rewe, *_] = items_in(decode(sandbox.api.get("/v2/ledger-rewe-read/connections").content))
    flow = Flow(sandbox, "open_item_changed", start="all", ledger_connection=rewe["id"])
    fired = flow.poll()
    assert fired
    assert {item["_change"] for item in fired} == {"new"}
    assert [item["belegdatum"] for item in fired] == sorted(item["belegdatum"] for item in fired)
    assert flow.poll() == []
