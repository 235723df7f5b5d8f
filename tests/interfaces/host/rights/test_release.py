"""Equal writes that wait for one of unknown outcome, at a host: shown, released together, and sent once each."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from connector.runtime.writes import write
from connector.store.trust import tokens
from tests.interfaces.host.rights.staff import LARGE, Staff
from tests.interfaces.host.running_host import PAYMENT
from tests.interfaces.host.two_customers import TwoCustomers, two_customers
from tests.support.running_sandbox import RunningSandbox
from tests.support.waiting import until

pytestmark = pytest.mark.long

PATH = "/v2/banking/payments"
WAITING = 5


@pytest.fixture
def customers(sandbox: RunningSandbox, tmp_path: Path) -> Iterator[TwoCustomers]:
    with two_customers(sandbox, tmp_path) as both:
        yield both


@pytest.fixture
def staff(customers: TwoCustomers, sandbox: RunningSandbox, monkeypatch: pytest.MonkeyPatch) -> Staff:
    monkeypatch.setattr(write, "FIND_DELAYS", ())
    return Staff(customers, sandbox)


def lose(sandbox: RunningSandbox) -> None:
    """Lose the next payment before it arrives, so that no list ever shows it."""
    sandbox.order("/faults", kind="drop_before", times=1, match={"method": "POST", "path": PATH})


def lost_payment(staff: Staff, sandbox: RunningSandbox, inputs: dict[str, Any] = PAYMENT) -> str:
    lose(sandbox)
    answer = staff.pay(inputs, key="lauf-0")
    assert answer.json()["kind"] == "outcome_unknown", answer.text
    return str(answer.json()["details"]["run"])


def hold_some(staff: Staff, unknown: str, inputs: dict[str, Any] = PAYMENT, count: int = WAITING) -> list[str]:
    found = []
    for number in range(1, count + 1):
        answer = staff.pay(inputs, key=f"lauf-{number}")
        assert (answer.status_code, answer.json()["details"]["run"]) == (409, unknown), answer.text
        found.append(str(staff.run(f"lauf-{number}")["id"]))
    return found


def settle(staff: Staff, run: str, role: str = "payer", **body: Any) -> httpx.Response:
    with staff.by(role) as person:
        return person.post(f"/v1/runs/{run}/settle", json={"happened": False, **body})


def test_all_that_wait_are_sent_once_by_one_word(staff: Staff, sandbox: RunningSandbox) -> None:
    before = staff.payments()
    unknown = lost_payment(staff, sandbox)
    held = hold_some(staff, unknown)
    waiting = staff.run(unknown)["waiting"]
    assert (waiting["count"], waiting["sum"], waiting["currency"]) == (WAITING, 1487.5, "EUR")
    assert waiting["runs"] == held
    assert waiting["message"]["de"] == "Gleiches, das auf diesen Vorgang wartet: 5, zusammen 1.487,50 EUR."
    settled = settle(staff, unknown, release=True, waiting=WAITING)
    assert (settled.status_code, settled.json()["run"]["state"]) == (200, "settled")
    assert "waiting" not in settled.json()["run"]
    assert [staff.ended(id)["state"] for id in held] == ["done"] * WAITING
    assert staff.payments() == before + WAITING
    replayed = staff.pay(PAYMENT, key="lauf-3").json()
    assert replayed["replayed"] is True
    time.sleep(0.5)
    assert staff.payments() == before + WAITING


def test_a_further_loss_among_the_released_lets_the_rest_wait_for_that_one(
    staff: Staff, sandbox: RunningSandbox
) -> None:
    before = staff.payments()
    unknown = lost_payment(staff, sandbox)
    held = hold_some(staff, unknown)
    lose(sandbox)
    assert settle(staff, unknown, release=True).status_code == 200
    states = [staff.ended(id)["state"] for id in held]
    (lost,) = [id for id, state in zip(held, states, strict=True) if state == "unknown"]
    done = states.count("done")
    assert staff.payments() == before + done
    until(lambda: done + staff.run(lost).get("waiting", {"count": 0})["count"] == WAITING - 1)
    assert settle(staff, lost, release=True).status_code == 200
    assert sorted({staff.ended(id)["state"] for id in held}) == ["done", "settled"]
    assert staff.payments() == before + WAITING - 1


def test_what_is_not_released_is_never_sent(staff: Staff, sandbox: RunningSandbox) -> None:
    before = staff.payments()
    unknown = lost_payment(staff, sandbox)
    held = hold_some(staff, unknown, count=2)
    assert settle(staff, unknown, release=False).status_code == 200
    assert [staff.run(id)["state"] for id in held] == ["rejected", "rejected"]
    assert staff.pay(PAYMENT, key="lauf-1").status_code == 403
    assert staff.payments() == before


@pytest.mark.parametrize(("role", "body"), [("operator", {}), ("viewer", {}), ("payer", {"waiting": 1})])
def test_who_may_not_pay_releases_nothing_nor_who_saw_another_number(
    staff: Staff, sandbox: RunningSandbox, role: str, body: dict[str, Any]
) -> None:
    before = staff.payments()
    unknown = lost_payment(staff, sandbox)
    held = hold_some(staff, unknown, count=2)
    assert settle(staff, unknown, role, release=True, **body).status_code in {403, 422}
    assert staff.run(unknown)["state"] == "unknown"
    assert [staff.run(id)["state"] for id in held] == ["refused", "refused"]
    assert staff.payments() == before


def test_a_release_by_somebody_who_is_revoked_before_it_is_sent_pays_nothing(
    staff: Staff, sandbox: RunningSandbox
) -> None:
    before = staff.payments()
    unknown = lost_payment(staff, sandbox)
    held = hold_some(staff, unknown, count=2)
    state = staff.host.state
    settled: dict[str, Any] = {}

    def revoke(connection: Any) -> None:
        tokens.revoke(connection, "admin of kunde-a", "kunde-a", state.context.now())

    original = state.database.write
    try:  # in the very transaction of the release, before any host can send it

        def write(change: Any, **more: Any) -> Any:
            def both(connection: Any) -> Any:
                result = change(connection)
                if "settle" in getattr(change, "__qualname__", ""):
                    revoke(connection)
                    settled["yes"] = True
                return result

            return original(both, **more)

        state.database.write = write  # type: ignore[method-assign]
        assert settle(staff, unknown, "admin", release=True).status_code == 200
    finally:
        state.database.write = original  # type: ignore[method-assign]
    assert settled
    ended = [staff.ended(id) for id in held]
    assert [one["state"] for one in ended] == ["refused", "refused"]
    assert all("may no longer do so" in one["outcome"]["message"] for one in ended)
    assert staff.payments() == before


def test_a_release_does_not_stand_in_for_an_approval(staff: Staff, sandbox: RunningSandbox) -> None:
    before = staff.payments()
    unknown = lost_payment(staff, sandbox, LARGE)
    held = hold_some(staff, unknown, LARGE, count=1)
    staff.set_policy(approve_above=500)
    assert settle(staff, unknown, release=True).status_code == 200
    ended = staff.ended(held[0])
    assert (ended["state"], "another person must approve" in ended["outcome"]["message"]) == ("refused", True)
    assert staff.payments() == before
    assert staff.pay(LARGE, key="lauf-1").status_code == 202, "run again, it is asked for"


def test_what_was_approved_and_then_held_back_is_approved_anew(staff: Staff, sandbox: RunningSandbox) -> None:
    before = staff.payments()
    unknown = lost_payment(staff, sandbox, LARGE)
    staff.set_policy(approve_above=500)
    asked = staff.pay(LARGE, key="lauf-1").json()["run"]
    assert staff.decide(asked).status_code == 200
    assert staff.ended(asked)["state"] == "refused"
    deadline = time.monotonic() + 10
    while staff.run(asked)["approval"]["state"] == "approved" and time.monotonic() < deadline:
        time.sleep(0.05)
    assert staff.run(unknown)["waiting"]["runs"] == [asked]
    assert settle(staff, unknown, release=True).status_code == 200
    assert (staff.run(asked)["state"], staff.run(asked)["approval"]["state"]) == ("awaiting_approval", "open")
    assert staff.decide(asked).status_code == 200
    assert staff.ended(asked)["state"] == "done"
    assert staff.payments() == before + 1
