"""A policy that says so is loosened by two people only: nobody switches it off, pays, and switches it on again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from connector.core.writes.policy import Policy
from connector.core.writes.policy_change import loosened
from tests.interfaces.host.people.test_second_person import person
from tests.interfaces.host.rights.staff import Staff
from tests.interfaces.host.two_customers import two_customers
from tests.store.postgres import postgres_server, postgres_url
from tests.support.running_sandbox import RunningSandbox

__all__ = ["postgres_server", "postgres_url"]
STRICT = {"approve_above": 500, "payees": "known", "agents": [], "most_each": 10000, "loosen": "approve"}


@pytest.fixture(params=["sqlite", "postgresql"])
def staff(request: pytest.FixtureRequest, sandbox: RunningSandbox, tmp_path: Path) -> Iterator[Staff]:
    data = "" if request.param == "sqlite" else str(request.getfixturevalue("postgres_url"))
    with two_customers(sandbox, tmp_path, data=data) as both:
        yield Staff(both, sandbox)


def put(admin: httpx.Client, **values: Any) -> dict[str, Any]:
    answer = admin.put("/v1/policy", json=values)
    assert answer.status_code == 200, answer.text
    document: dict[str, Any] = answer.json()
    return document


def test_an_admin_alone_cannot_switch_it_off_pay_and_switch_it_on(staff: Staff) -> None:
    ada, before = person(staff, "Ada Berg", "admin"), staff.payments()
    put(ada, approve_above=500, loosen="approve")
    for loose in ({"approve_above": None}, {"approve_above": 9999}, {"loosen": "alone"}):
        answer = put(ada, **loose)
        assert answer["waiting"]["settings"] == list(loose)
        assert (answer["policy"]["approve_above"], answer["policy"]["loosen"]) == (500, "approve")
        assert ada.post(f"/v1/policy/changes/{answer['waiting']['id']}/approve").status_code == 403
        assert staff.host.http.post(f"/v1/policy/changes/{answer['waiting']['id']}/approve").status_code == 403
    assert staff.pay().status_code == 202
    assert staff.payments() == before


def test_a_second_person_lets_it_hold_and_a_rejected_one_never_does(staff: Staff) -> None:
    ada, jan = person(staff, "Ada Berg", "admin"), person(staff, "Jan Petersen", "approver")
    put(ada, approve_above=500, loosen="approve")
    first = put(ada, approve_above=1000)["waiting"]["id"]
    (shown,) = jan.get("/v1/policy/changes").json()["changes"]
    assert (shown["id"], shown["before"], shown["after"]) == (first, {"approve_above": 500}, {"approve_above": 1000})
    assert jan.post(f"/v1/policy/changes/{first}/approve").json()["state"] == "approved"
    assert ada.get("/v1/policy").json()["policy"]["approve_above"] == 1000
    second = put(ada, approve_above=2000)["waiting"]["id"]
    assert jan.post(f"/v1/policy/changes/{second}/reject").json()["state"] == "rejected"
    assert jan.post(f"/v1/policy/changes/{second}/approve").status_code == 409
    assert ada.get("/v1/policy").json()["policy"]["approve_above"] == 1000
    audited = [one["what"] for one in ada.get("/v1/audit").json()["entries"]]
    assert {"policy.loosening_asked", "policy.loosening_approved", "policy.loosening_rejected"} <= set(audited)


def test_tightening_holds_at_once_also_beside_what_waits(staff: Staff) -> None:
    ada = person(staff, "Ada Berg", "admin")
    put(ada, **STRICT)
    answer = put(ada, approve_above=100, most_each=20000)
    assert (answer["policy"]["approve_above"], answer["policy"]["most_each"]) == (100, 10000)
    assert answer["waiting"]["settings"] == ["most_each"]
    assert "waiting" not in put(ada, most_each=5000)


def test_what_was_asked_for_of_another_policy_is_over(staff: Staff) -> None:
    ada, jan = person(staff, "Ada Berg", "admin"), person(staff, "Jan Petersen", "approver")
    put(ada, approve_above=500, loosen="approve")
    waiting = put(ada, approve_above=1000)["waiting"]["id"]
    put(ada, approve_above=50)
    over = jan.post(f"/v1/policy/changes/{waiting}/approve")
    assert (over.status_code, ada.get("/v1/policy").json()["policy"]["approve_above"]) == (409, 50)


def test_nobody_of_another_workspace_sees_or_decides_it(staff: Staff) -> None:
    ada = person(staff, "Ada Berg", "admin")
    put(ada, approve_above=500, loosen="approve")
    waiting = put(ada, approve_above=1000)["waiting"]["id"]
    with staff.by("approver", staff.customers.second) as stranger:
        assert stranger.get("/v1/policy/changes").json()["changes"] == []
        assert stranger.post(f"/v1/policy/changes/{waiting}/approve").status_code == 404


LOOSER: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "a higher limit": ({"most_each": 5}, {"most_each": 6}),
    "no limit": ({"most_per_day": 5}, {"most_per_day": None}),
    "a limit of a payee": ({"most_per_payee": 5}, {"most_per_payee": 9}),
    "fewer approvals": ({"approve_above": 5}, {"approve_above": 6}),
    "any payee": ({"payees": "known"}, {"payees": "any"}),
    "another payee": ({}, {"known_payees": ["DE75512108001245126199"]}),
    "only a warning": ({"changed_payees": "approve"}, {"changed_payees": "warn"}),
    "an action of agents": ({}, {"agents": ["initiate_payment"]}),
    "no key": ({"key_required": True}, {"key_required": False}),
    "any path": ({}, {"undeclared_paths": True}),
    "a shorter guard": ({"repeat_minutes": 10}, {"repeat_minutes": 0}),
    "a shorter memory": ({"keep_writes_days": 100}, {"keep_writes_days": 30}),
    "a longer wait": ({"approval_hours": 1}, {"approval_hours": 2}),
    "the switch": ({"loosen": "approve"}, {"loosen": "alone"}),
}


@pytest.mark.parametrize(("before", "after"), LOOSER.values(), ids=LOOSER)
def test_each_setting_knows_what_loosens_it(before: dict[str, Any], after: dict[str, Any]) -> None:
    former = Policy().changed(before, ["initiate_payment"])
    later = former.changed(after, ["initiate_payment"])
    assert loosened(former, later) == tuple(after)
    assert loosened(later, former) == ()
