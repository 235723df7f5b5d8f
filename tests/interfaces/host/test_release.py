"""Equal writes that wait for one of unknown outcome, at a host: shown, released together, and sent once each."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from office import LARGE, Office
from running_host import PAYMENT
from service_desk import Desk
from two_customers import TwoCustomers, two_customers

from connector.runtime import write
from connector.store import tokens

PATH = "/v2/banking/payments"
WAITING = 5


@pytest.fixture
def customers(desk: Desk, tmp_path: Path) -> Iterator[TwoCustomers]:
    with two_customers(desk, tmp_path) as both:
        yield both


@pytest.fixture
def office(customers: TwoCustomers, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Office:
    monkeypatch.setattr(write, "FIND_DELAYS", ())
    return Office(customers, desk)


def lose(desk: Desk) -> None:
    """Lose the next payment before it arrives, so that no list ever shows it."""
    desk.order("/faults", kind="drop_before", times=1, match={"method": "POST", "path": PATH})


def lost_payment(office: Office, desk: Desk, inputs: dict[str, Any] = PAYMENT) -> str:
    lose(desk)
    answer = office.pay(inputs, key="lauf-0")
    assert answer.json()["kind"] == "outcome_unknown", answer.text
    return str(answer.json()["details"]["run"])


def hold_some(office: Office, unknown: str, inputs: dict[str, Any] = PAYMENT, count: int = WAITING) -> list[str]:
    found = []
    for number in range(1, count + 1):
        answer = office.pay(inputs, key=f"lauf-{number}")
        assert (answer.status_code, answer.json()["details"]["run"]) == (409, unknown), answer.text
        found.append(str(office.run(f"lauf-{number}")["id"]))
    return found


def settle(office: Office, run: str, role: str = "payer", **body: Any) -> httpx.Response:
    with office.by(role) as person:
        return person.post(f"/v1/runs/{run}/settle", json={"happened": False, **body})


def test_all_that_wait_are_sent_once_by_one_word(office: Office, desk: Desk) -> None:
    before = office.payments()
    unknown = lost_payment(office, desk)
    held = hold_some(office, unknown)
    waiting = office.run(unknown)["waiting"]
    assert (waiting["count"], waiting["sum"], waiting["currency"]) == (WAITING, 1487.5, "EUR")
    assert waiting["runs"] == held
    assert waiting["message"]["de"] == "Gleiches, das auf diesen Lauf wartet: 5, zusammen 1.487,50 EUR."
    settled = settle(office, unknown, release=True, waiting=WAITING)
    assert (settled.status_code, settled.json()["run"]["state"]) == (200, "settled")
    assert "waiting" not in settled.json()["run"]
    assert [office.ended(id)["state"] for id in held] == ["done"] * WAITING
    assert office.payments() == before + WAITING
    replayed = office.pay(PAYMENT, key="lauf-3").json()
    assert replayed["replayed"] is True
    time.sleep(0.5)
    assert office.payments() == before + WAITING


def test_a_further_loss_among_the_released_lets_the_rest_wait_for_that_one(office: Office, desk: Desk) -> None:
    before = office.payments()
    unknown = lost_payment(office, desk)
    held = hold_some(office, unknown)
    lose(desk)
    assert settle(office, unknown, release=True).status_code == 200
    states = [office.ended(id)["state"] for id in held]
    (lost,) = [id for id, state in zip(held, states, strict=True) if state == "unknown"]
    done = states.count("done")
    assert office.payments() == before + done
    still = office.run(lost).get("waiting", {"count": 0})["count"]
    assert done + still == WAITING - 1
    assert settle(office, lost, release=True).status_code == 200
    assert sorted({office.ended(id)["state"] for id in held}) == ["done", "settled"]
    assert office.payments() == before + WAITING - 1


def test_what_is_not_released_is_never_sent(office: Office, desk: Desk) -> None:
    before = office.payments()
    unknown = lost_payment(office, desk)
    held = hold_some(office, unknown, count=2)
    assert settle(office, unknown, release=False).status_code == 200
    assert [office.run(id)["state"] for id in held] == ["rejected", "rejected"]
    assert office.pay(PAYMENT, key="lauf-1").status_code == 403
    assert office.payments() == before


@pytest.mark.parametrize(("role", "body"), [("operator", {}), ("viewer", {}), ("payer", {"waiting": 1})])
def test_who_may_not_pay_releases_nothing_nor_who_saw_another_number(
    office: Office, desk: Desk, role: str, body: dict[str, Any]
) -> None:
    before = office.payments()
    unknown = lost_payment(office, desk)
    held = hold_some(office, unknown, count=2)
    assert settle(office, unknown, role, release=True, **body).status_code in {403, 422}
    assert office.run(unknown)["state"] == "unknown"
    assert [office.run(id)["state"] for id in held] == ["refused", "refused"]
    assert office.payments() == before


def test_a_release_by_somebody_who_is_revoked_before_it_is_sent_pays_nothing(office: Office, desk: Desk) -> None:
    before = office.payments()
    unknown = lost_payment(office, desk)
    held = hold_some(office, unknown, count=2)
    state = office.host.state
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
        assert settle(office, unknown, "admin", release=True).status_code == 200
    finally:
        state.database.write = original  # type: ignore[method-assign]
    assert settled
    ended = [office.ended(id) for id in held]
    assert [one["state"] for one in ended] == ["refused", "refused"]
    assert all("may no longer do so" in one["outcome"]["message"] for one in ended)
    assert office.payments() == before


def test_a_release_does_not_stand_in_for_an_approval(office: Office, desk: Desk) -> None:
    before = office.payments()
    unknown = lost_payment(office, desk, LARGE)
    held = hold_some(office, unknown, LARGE, count=1)
    office.set_policy(approve_above=500)
    assert settle(office, unknown, release=True).status_code == 200
    ended = office.ended(held[0])
    assert (ended["state"], "another person must approve" in ended["outcome"]["message"]) == ("refused", True)
    assert office.payments() == before
    assert office.pay(LARGE, key="lauf-1").status_code == 202, "run again, it is asked for"


def test_what_was_approved_and_then_held_back_is_approved_anew(office: Office, desk: Desk) -> None:
    before = office.payments()
    unknown = lost_payment(office, desk, LARGE)
    office.set_policy(approve_above=500)
    asked = office.pay(LARGE, key="lauf-1").json()["run"]
    assert office.decide(asked).status_code == 200
    assert office.ended(asked)["state"] == "refused"
    deadline = time.monotonic() + 10
    while office.run(asked)["approval"]["state"] == "approved" and time.monotonic() < deadline:
        time.sleep(0.05)
    assert office.run(unknown)["waiting"]["runs"] == [asked]
    assert settle(office, unknown, release=True).status_code == 200
    assert (office.run(asked)["state"], office.run(asked)["approval"]["state"]) == ("awaiting_approval", "open")
    assert office.decide(asked).status_code == 200
    assert office.ended(asked)["state"] == "done"
    assert office.payments() == before + 1
