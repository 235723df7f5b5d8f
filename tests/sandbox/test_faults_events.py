from __future__ import annotations

from connector.sandbox.banking.demo import HOUSE_BANK
from tests.support.running_sandbox import Receiver, RunningSandbox


def _cause(sandbox: RunningSandbox, *error_classes: str) -> None:
    for error_class in error_classes:
        sandbox.order(f"/bank-connections/{HOUSE_BANK}/error", error_class=error_class)


def _received(receiver: Receiver, count: int) -> list[str]:
    return [receiver.next()["data"]["error_class"] for _ in range(count)]


def test_without_faults_events_arrive_in_order(sandbox: RunningSandbox, receiver: Receiver) -> None:
    _cause(sandbox, "A", "B", "C")
    assert _received(receiver, 3) == ["A", "B", "C"]
    assert {delivery["state"] for delivery in sandbox.deliveries()} == {"delivered"}


def test_a_repeated_event_arrives_twice_and_alike(sandbox: RunningSandbox, receiver: Receiver) -> None:
    sandbox.order("/faults", kind="event_repeat")
    _cause(sandbox, "A", "B")
    first, second = receiver.next(), receiver.next()
    assert first == second
    assert _received(receiver, 1) == ["B"]


def test_a_reordered_event_arrives_after_the_next_one(sandbox: RunningSandbox, receiver: Receiver) -> None:
    sandbox.order("/faults", kind="event_reorder")
    _cause(sandbox, "A")
    assert [delivery["state"] for delivery in sandbox.deliveries()] == ["held"]
    _cause(sandbox, "B", "C")
    assert _received(receiver, 3) == ["B", "A", "C"]


def test_a_delayed_event_is_passed_by_later_ones_and_comes_when_its_time_is_there(
    sandbox: RunningSandbox, receiver: Receiver
) -> None:
    sandbox.order("/faults", kind="event_delay", seconds=600)
    _cause(sandbox, "A", "B")
    assert _received(receiver, 1) == ["B"]
    assert [delivery["state"] for delivery in sandbox.deliveries()] == ["waiting", "delivered"]
    sandbox.order("/clock", advance=600)
    assert _received(receiver, 1) == ["A"]


def test_a_lost_event_never_arrives_but_the_world_has_changed(sandbox: RunningSandbox, receiver: Receiver) -> None:
    sandbox.order("/faults", kind="event_lose")
    _cause(sandbox, "A", "B")
    assert _received(receiver, 1) == ["B"]
    assert [delivery["state"] for delivery in sandbox.deliveries()] == ["lost", "delivered"]
    assert sandbox.world.banking.connections[HOUSE_BANK].status == "inactive"


def test_an_event_fault_strikes_only_the_event_it_matches(sandbox: RunningSandbox, receiver: Receiver) -> None:
    sandbox.order("/faults", kind="event_lose", match={"event": "refresh_complete"})
    _cause(sandbox, "A")
    sandbox.order(f"/bank-connections/{HOUSE_BANK}/refresh")
    assert [delivery["state"] for delivery in sandbox.deliveries()] == ["delivered", "lost"]


def test_event_faults_leave_requests_alone(sandbox: RunningSandbox, receiver: Receiver) -> None:
    sandbox.order("/faults", kind="event_lose", times=None)
    assert sandbox.api.get("/v2/banking/accounts").status_code == 200
    assert sandbox.requests()[-1]["fault"] is None
