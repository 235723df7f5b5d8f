"""Payment events: only what the API confirms fires, once, and never back to an earlier status."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from random import Random

import pytest

from connector.durable.inbox import confirm_limits
from connector.durable.inbox.decide_due import DecideWork
from connector.durable.work import run_due
from connector.sandbox.banking.demo import HOUSE_BANK
from tests.durable.inbox.hub_host import HubHost

TRUE_ONES = 200
FALSE_ONES = 1_000


def forge(hub: HubHost, event: str, received_at: str | None = None, **data: object) -> None:
    more = {"received_at": received_at} if received_at else {}
    hub.sandbox.order("/events", event=event, data=data, **more)


async def settle_events(hub: HubHost) -> None:
    """Waits until the sandbox has delivered everything, then decides it."""
    hub.wait_for_events()
    await hub.decide_all()


@pytest.mark.slow
async def test_exactly_the_true_settlements_fire_once_among_forged_repeated_reordered_and_unknown_events(hub):
    settled, _ = hub.subscribe("payment_settled")
    failed, _ = hub.subscribe("payment_failed")
    dice = Random(7)
    for kind in ("event_repeat", "event_reorder", "event_delay"):
        hub.sandbox.order("/faults", kind=kind, times=None, probability=0.2, seed=dice.randint(1, 99), seconds=1)
    true_ones = [hub.pay() for _ in range(TRUE_ONES)]
    bystanders = [hub.pay() for _ in range(50)]  # these never settle
    for id in bystanders:
        hub.move(id, "executed")
    forgeries = [
        lambda number: forge(hub, "payment_update", payment_id=str(10**15 + number), status="settled"),
        lambda number: forge(hub, "payment_update", payment_id=bystanders[number % 50], status="settled", n=number),
        lambda number: forge(hub, "payment_update", payment_id=bystanders[number % 50], status="failed", n=number),
        lambda number: forge(hub, "payment_update", payment_id=true_ones[number % 200], status="failed", n=number),
        lambda number: forge(hub, "payment_update", payment_id=true_ones[number % 200], status="processing", n=number),
        lambda number: forge(hub, "payment_settled_v2", payment_id=bystanders[number % 50], status="settled", n=number),
        lambda number: forge(hub, "tax_audit", number=number),
        lambda number: forge(hub, "payment_update", payment_id=["odd", number], status="settled"),
    ]
    waiting = list(true_ones)
    dice.shuffle(waiting)
    for number in range(FALSE_ONES):
        forgeries[number % len(forgeries)](number)
        if number % 5 == 4:
            hub.move(waiting.pop(), "settled")
    hub.sandbox.heal()
    hub.sandbox.order("/clock", advance=5)
    await settle_events(hub)

    fired = [delivery.item_id for delivery in hub.deliveries(settled)]
    assert len(fired) == TRUE_ONES
    assert set(fired) == {f"{id}:settled" for id in true_ones}
    assert hub.deliveries(failed) == []
    counts = hub.counts()
    assert counts["repeated"] > 0
    assert counts["unknown"] >= 2 * FALSE_ONES // len(forgeries)
    assert counts["forged"] + counts["unconfirmed"] + counts["stale"] > FALSE_ONES // 2
    questions = [request for request in hub.sandbox.requests() if request["path"].startswith("/v2/banking/payments/")]
    assert len(questions) < 300, "confirming must not ask for each event"


@pytest.mark.conforms("payment.live_status", "events.signing")
async def test_webhook_forged(hub):
    """A payment that the API does not know, and one that is not settled: neither fires as settled."""
    settled, _ = hub.subscribe("payment_settled")
    id = hub.pay()
    hub.move(id, "executed")
    forge(hub, "payment_update", payment_id="999", status="settled")
    forge(hub, "payment_update", payment_id=id, status="settled")
    await settle_events(hub)
    assert hub.fired(settled) == []
    assert hub.counts()["forged"] == 1
    assert hub.counts()["unconfirmed"] == 1


async def test_a_forged_event_about_a_true_settlement_cannot_change_its_amount_or_its_custom_fields(hub):
    settled, _ = hub.subscribe("payment_settled")
    id = hub.pay()
    await settle_events(hub)
    hub.sandbox.order("/faults", kind="event_lose", times=1)
    hub.move(id, "settled")
    attributes = {"amount": "99999.99", "creditor_iban": "DE00", "customer_ip_address": "203.0.113.7"}
    forge(
        hub, "payment_update", payment_id=id, status="settled", payment_attributes=attributes, custom_fields={"a": "b"}
    )
    await settle_events(hub)
    (item,) = hub.fired(settled)
    assert Decimal(item["payment_attributes"]["amount"]) == Decimal("297.50")
    assert item["payment_attributes"]["creditor_iban"] == "DE02120300000000202051"
    assert "customer_ip_address" not in item["payment_attributes"]
    assert item["_unconfirmed"] == {"customer_ip_address": "203.0.113.7"}
    assert item["custom_fields"] == {"vorgang": "EK-12"}


async def test_an_old_settlement_from_before_the_hub_never_fires(hub):
    settled, _ = hub.subscribe("payment_settled")
    old = next(
        payment["id"] for payment in hub.sandbox.look("/state")["banking"]["payments"] if payment["status"] == "settled"
    )
    forge(hub, "payment_update", payment_id=old, status="settled")
    await settle_events(hub)
    assert hub.fired(settled) == []
    assert hub.counts()["stale"] == 1


@pytest.mark.conforms("events.retries")
async def test_webhook_repeated_late_reordered(hub):
    """A late `processing` does not take a `settled` back."""
    updates, _ = hub.subscribe("payment_update")
    id = hub.pay()
    hub.move(id, "authorizing")
    hub.sandbox.order("/faults", kind="event_reorder", times=1)
    hub.move(id, "processing")  # held back until the next event has gone
    hub.sandbox.order("/faults", kind="event_repeat", times=1)
    hub.move(id, "settled")
    await settle_events(hub)
    forge(hub, "payment_update", payment_id=id, status="processing")
    await settle_events(hub)
    fired = [delivery.item_id for delivery in hub.deliveries(updates)]
    assert fired.count(f"{id}:settled") == 1
    assert fired[-1] == f"{id}:settled"
    assert hub.counts()["repeated"] == 1


@pytest.mark.conforms("payment_status.executed_is_not_final", "events.rely_on_settled")
async def test_executed_read_as_paid(hub):
    """`executed` is told as an update, and the trigger for settlements stays silent until `settled`."""
    settled, _ = hub.subscribe("payment_settled")
    updates, _ = hub.subscribe("payment_update", status="executed")
    id = hub.pay()
    hub.move(id, "executed")
    await settle_events(hub)
    assert hub.fired(settled) == []
    assert [item["status"] for item in hub.fired(updates)] == ["executed"]
    hub.move(id, "settled")
    await settle_events(hub)
    assert [item["_id"] for item in hub.fired(settled)] == [f"{id}:settled"]


@pytest.mark.conforms("payment_status.info_required")
async def test_a_payment_that_waits_for_a_tan_is_told_to_the_trigger_for_it(hub):
    confirmation, _ = hub.subscribe("payment_needs_confirmation", custom_field="vorgang", custom_value="EK-12")
    id = hub.pay()
    hub.move(id, "initiated_info_required")
    await settle_events(hub)
    (item,) = hub.fired(confirmation)
    assert all(datetime.fromisoformat(item.pop(name)).tzinfo for name in ("received_at", "_arrived_at"))
    assert item == {
        "payment_id": id,
        "status": "initiated_info_required",
        "custom_fields": {"vorgang": "EK-12"},
        "_id": f"{id}:initiated_info_required",
    }


async def test_an_event_waits_while_the_api_cannot_be_reached_and_fires_afterwards(hub):
    settled, _ = hub.subscribe("payment_settled")
    id = hub.pay()
    await settle_events(hub)
    hub.move(id, "settled")
    hub.sandbox.deliveries()
    hub.sandbox.order("/faults", kind="wrong_content_type", times=None, match={"path": "/v2/banking/payments"})
    assert await hub.decide() == 0
    assert hub.counts()["new"] == 1
    hub.sandbox.heal()
    await hub.decide_all()
    assert [item["_id"] for item in hub.fired(settled)] == [f"{id}:settled"]


async def test_while_the_api_cannot_be_asked_new_events_wait_with_the_others_and_cause_no_requests(hub):
    settled, _ = hub.subscribe("payment_settled")
    first, second = hub.pay(), hub.pay()
    await settle_events(hub)
    work = DecideWork(hub.context)
    hub.sandbox.order("/faults", kind="wrong_content_type", times=None, match={"path": "/v2/banking/payments"})

    def asked() -> int:
        return sum(request["path"].startswith("/v2/banking/payments/") for request in hub.sandbox.requests())

    hub.move(first, "settled")
    hub.wait_for_events()
    before = asked()
    assert await run_due(work) == 0
    failed = asked()
    assert failed > before
    hub.move(second, "settled")
    hub.wait_for_events()
    assert await run_due(work) == 0
    assert asked() == failed, "in the pause nobody asks"
    hub.clock.advance(confirm_limits.FIRST_SECONDS + 0.1)
    assert await run_due(work) == 0
    assert asked() > failed, "after the pause somebody does"
    hub.sandbox.heal()
    hub.clock.advance(confirm_limits.LONGEST_SECONDS)
    assert await run_due(work) == 2
    assert sorted(item["_id"] for item in hub.fired(settled)) == sorted(f"{id}:settled" for id in (first, second))


async def test_a_payment_that_the_api_always_fails_to_show_holds_up_no_other(hub):
    settled, _ = hub.subscribe("payment_settled")
    broken, sound = hub.pay(), hub.pay()
    await settle_events(hub)
    path = f"/v2/banking/payments/{broken}"
    hub.sandbox.order("/faults", kind="wrong_content_type", times=None, match={"path": path})
    hub.move(broken, "settled")
    hub.move(sound, "settled")
    hub.wait_for_events()
    assert await hub.decide() == 1
    assert [item["_id"] for item in hub.fired(settled)] == [f"{sound}:settled"]
    assert hub.counts()["new"] == 1
    hub.sandbox.heal()
    await hub.decide_all()
    assert [item["_id"] for item in hub.fired(settled)] == [f"{id}:settled" for id in (sound, broken)]


async def test_a_payment_that_the_api_always_fails_to_show_holds_up_no_event_about_anything_else(hub):
    settled, _ = hub.subscribe("payment_settled")
    refreshed, _ = hub.subscribe("refresh_complete")
    named, _ = hub.subscribe("banking_event", event="tax_audit")
    broken = hub.pay()
    await settle_events(hub)
    hub.sandbox.order("/faults", kind="wrong_content_type", times=None, match={"path": "/v2/banking/payments"})
    hub.move(broken, "settled")
    forge(hub, "tax_audit", number=1)
    hub.wait_for_events()
    assert await hub.decide() == 1, "what nobody has to be asked about is decided"
    assert [item["number"] for item in hub.fired(named)] == [1]
    hub.sandbox.order(f"/bank-connections/{HOUSE_BANK}/refresh", transactions=1)
    hub.wait_for_events()
    hub.clock.advance(confirm_limits.LONGEST_SECONDS)
    assert await hub.decide() == 1, "what can be asked is asked"
    assert [item["connection_id"] for item in hub.fired(refreshed)] == [HOUSE_BANK]
    assert hub.counts()["new"] == 1
    hub.sandbox.heal()
    await hub.decide_all()
    assert [item["_id"] for item in hub.fired(settled)] == [f"{broken}:settled"]


async def test_a_flow_gets_the_fields_that_its_user_gave_and_not_our_marks(hub):
    settled, _ = hub.subscribe("payment_settled")
    id = hub.pay(custom_fields={"vorgang": "EK-12", "kontor_key": "k", "kontor_digest": "2:0"})
    hub.move(id, "settled")
    await settle_events(hub)
    (item,) = hub.fired(settled)
    assert item["custom_fields"] == {"vorgang": "EK-12"}
