"""A payment above the limit waits for another person, is sent once by the host, and nothing gets round that."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from connector.core.callers import Actor, CallSource
from connector.durable.waiting_runs import use_up_unless_waiting
from connector.runtime.writes.approval import decide
from connector.store.people import people as stored_people
from connector.store.runs import approvals, runs
from connector.store.triggers import due_work
from connector.store.trust import rights_register, tokens
from connector.store.trust.granting_rows import APPROVALS, TOKENS
from tests.interfaces.host.rights.staff import LARGE, Staff
from tests.interfaces.host.running_host import PAYMENT
from tests.interfaces.host.two_customers import TwoCustomers, two_customers
from tests.support.running_sandbox import RunningSandbox


@pytest.fixture
def customers(sandbox: RunningSandbox, tmp_path: Path) -> Iterator[TwoCustomers]:
    with two_customers(sandbox, tmp_path) as both:
        yield both


@pytest.fixture
def staff(customers: TwoCustomers, sandbox: RunningSandbox) -> Staff:
    return Staff(customers, sandbox)


def test_a_payment_above_the_limit_waits_and_is_sent_once_when_another_person_approves(staff: Staff) -> None:
    staff.set_policy(approve_above=500)
    before = staff.payments()
    asked = staff.pay(key="lauf-1")
    assert asked.status_code == 202
    document = asked.json()
    assert (document["ok"], document["state"]) == (True, "awaiting_approval")
    assert document["expires_at"]
    id = document["run"]
    assert staff.pay(key="lauf-1").json()["run"] == id, "the same key is the same run"
    assert staff.payments() == before
    with staff.by("viewer") as viewer:
        (waiting,) = viewer.get("/v1/approvals").json()["runs"]
    assert (waiting["id"], waiting["approval"]["reasons"]) == (id, ["amount"])
    approved = staff.decide(id)
    assert approved.status_code == 200, approved.text
    done = staff.ended(id)
    assert (done["state"], done["approval"]["decided_person"]) == ("done", "approver")
    assert staff.payments() == before + 1
    assert staff.decide(id).status_code == 422, "it cannot be approved twice"
    replayed = staff.pay(key="lauf-1").json()
    assert (replayed["replayed"], replayed["output"]["id"]) == (True, done["outcome"]["output"]["id"])
    assert staff.payments() == before + 1


def test_a_known_payee_with_another_iban_waits_for_another_person_who_is_told_why(staff: Staff) -> None:
    staff.set_policy(changed_payees="approve")
    changed = {**PAYMENT, "creditor_name": "Velofabrik Münster AG", "creditor_iban": "DE75512108001245126199"}
    before = staff.payments()
    asked = staff.pay(changed)
    assert asked.status_code == 202
    (said,) = asked.json()["warnings"]
    assert "was paid at the IBAN DE16…0048 before" in said
    with staff.by("approver") as approver:
        (waiting,) = approver.get("/v1/approvals").json()["runs"]
    assert waiting["approval"]["reasons"] == ["payee"]
    assert [one["en"] for one in waiting["approval"]["warnings"]] == [said]
    assert staff.payments() == before
    assert staff.decide(waiting["id"]).status_code == 200
    assert staff.ended(waiting["id"])["state"] == "done"
    again = staff.pay({**changed, "amount": 7})
    assert (again.status_code, again.json()["warnings"]) == (200, []), "whom another person has approved is known"


def test_a_changed_payee_is_only_told_unless_the_policy_asks_for_more(staff: Staff) -> None:
    sent = staff.pay({**PAYMENT, "creditor_name": "Jemand anders", "creditor_iban": "DE16400501500022110048"})
    assert sent.status_code == 200
    assert "was paid under the name 'Velofabrik Münster AG' before" in sent.json()["warnings"][0]


def test_a_payment_up_to_the_limit_is_sent_at_once(staff: Staff) -> None:
    staff.set_policy(approve_above=5000)
    assert staff.pay().status_code == 200


def test_who_asked_cannot_approve_whatever_token_that_person_uses(staff: Staff) -> None:
    staff.set_policy(approve_above=500)
    with staff.by("admin") as admin:
        made = [
            admin.post("/v1/tokens", json={"name": name, "role": role, "person": person}).json()["token"]
            for name, role, person in (
                ("ask", "payer", "Anna Berg"),
                ("approve", "approver", " anna  BERG "),
                ("both", "admin", "Chef"),
            )
        ]
    asking, approving, both = (staff.host.caller(token, None) for token in made)
    id = asking.post("/v1/actions/initiate_payment/run", json={"inputs": LARGE}).json()["run"]
    refused = approving.post(f"/v1/runs/{id}/approve")
    assert (refused.status_code, refused.json()["kind"]) == (403, "right_missing")
    own = both.post("/v1/actions/initiate_payment/run", json={"inputs": {**LARGE, "amount": 5001}}).json()["run"]
    assert both.post(f"/v1/runs/{own}/approve").status_code == 403
    assert staff.run(id)["state"] == staff.run(own)["state"] == "awaiting_approval"
    for one in (asking, approving, both):
        one.close()


@pytest.mark.long
@pytest.mark.parametrize("role", ["viewer", "operator", "payer"])
def test_other_roles_cannot_approve(staff: Staff, role: str) -> None:
    staff.set_policy(approve_above=500)
    id = staff.pay().json()["run"]
    assert staff.decide(id, role=role).status_code == 403
    assert staff.run(id)["state"] == "awaiting_approval"


def test_nobody_of_another_workspace_sees_or_approves_it(staff: Staff) -> None:
    staff.set_policy(approve_above=500)
    id = staff.pay().json()["run"]
    for verb in ("approve", "reject"):
        answer = staff.decide(id, verb, "admin", customer=staff.customers.second)
        assert answer.status_code == 404
    with staff.by("viewer", staff.customers.second) as stranger:
        assert stranger.get("/v1/approvals").json()["runs"] == []
    assert staff.run(id)["state"] == "awaiting_approval"


def test_a_rejected_payment_is_never_sent_and_its_key_says_so(staff: Staff) -> None:
    staff.set_policy(approve_above=500)
    before = staff.payments()
    id = staff.pay(key="lauf-2").json()["run"]
    assert staff.decide(id, "reject", why="Rechnung ist schon bezahlt.").status_code == 200
    assert staff.run(id)["state"] == "rejected"
    assert staff.decide(id).status_code == 422
    again = staff.pay(key="lauf-2")
    assert (again.status_code, again.json()["outcome"]) == (403, "not_sent")
    assert "Rechnung ist schon bezahlt." in again.json()["message"]
    assert staff.payments() == before


def test_an_approval_that_nobody_gave_in_time_expires(staff: Staff) -> None:
    staff.set_policy(approve_above=500, approval_hours=1)
    id = staff.pay(key="lauf-3").json()["run"]
    state = staff.host.state

    def age(connection: Any) -> None:
        values = {"expires_at": state.context.now().timestamp() - 1}
        rights_register.change(connection, APPROVALS, (id,), values)

    state.database.write(age).result()
    late = staff.decide(id)
    assert late.status_code == 422
    assert staff.ended(id)["state"] == "expired"
    assert staff.pay(key="lauf-3").status_code == 403


def test_one_changed_cent_needs_a_new_approval(staff: Staff) -> None:
    staff.set_policy(approve_above=500)
    before = staff.payments()
    id = staff.pay(key="lauf-4").json()["run"]
    conflict = staff.pay({**LARGE, "amount": "5000.01"}, key="lauf-4")
    assert conflict.json()["field"] == "key"
    state = staff.host.state

    def change_a_cent(connection: Any) -> None:
        found = runs.find(connection, None, id)
        assert found is not None
        text = runs.json.encode_clean({**found.inputs, "amount": 5000.01}).decode()
        connection.execute(runs.runs.update().where(runs.runs.c.id == id).values(inputs=text))

    state.database.write(change_a_cent).result()
    assert staff.decide(id).status_code == 200
    assert staff.ended(id)["state"] == "expired"
    assert staff.payments() == before


def test_an_approval_is_checked_against_the_policy_again_when_it_is_sent(staff: Staff) -> None:
    staff.set_policy(approve_above=500)
    id = staff.pay(key="lauf-5").json()["run"]
    before = staff.payments()
    staff.set_policy(most_each=1000)
    assert staff.decide(id).status_code == 200
    assert staff.ended(id)["state"] == "refused"
    assert staff.payments() == before


def audited(staff: Staff, id: str) -> list[str]:
    with staff.by("admin") as admin:
        entries = admin.get("/v1/audit").json()["entries"]
    return [one["what"] for one in entries if one["subject"] == id]


def people(staff: Staff, *named: tuple[str, str, str]) -> dict[str, httpx.Client]:
    """Create a token for each name, role and person; return a client for each name."""
    with staff.by("admin") as admin:
        made = [admin.post("/v1/tokens", json=dict(zip(("name", "role", "person"), one, strict=True))) for one in named]
    return {one[0]: staff.host.caller(answer.json()["token"], None) for one, answer in zip(named, made, strict=True)}


def approver_of(staff: Staff) -> Actor:
    """The person who approves, as the holder of a token that nobody else has seen."""
    listed = staff.host.state.database.read(lambda c: stored_people.listed(c, "kunde-a"))
    (id,) = (one.id for one in listed if one.name == "approver")
    return Actor("approver of kunde-a", "approver", "kunde-a", "approver", person_id=id, made_by=id)


def approve_and_at_once(staff: Staff, id: str, by: Actor, change: Callable[[Any, datetime], Any]) -> None:
    """Approve a run, and change something else in the same transaction, before any host can send it."""
    now = staff.host.state.context.now()

    def both(connection: Any) -> None:
        _, problem = decide(connection, None, id, True, "", CallSource("http", actor=by), now)
        assert problem is None
        change(connection, now)

    staff.host.state.database.write(both).result()
    staff.host.state.context.wake()


def test_what_somebody_asked_for_who_was_revoked_meanwhile_is_not_paid(staff: Staff) -> None:
    staff.set_policy(approve_above=500)
    before = staff.payments()
    asking = people(staff, ("ask", "payer", "Anna Berg"))["ask"]
    id = asking.post("/v1/actions/initiate_payment/run", json={"inputs": LARGE, "key": "lauf-6"}).json()["run"]
    with staff.by("admin") as admin:
        assert admin.delete("/v1/tokens/ask").status_code == 200
    assert staff.decide(id).status_code == 200
    ended = staff.ended(id)
    assert (ended["state"], ended["outcome"]["outcome"]) == ("refused", "not_sent")
    assert "Anna Berg, who asked" in ended["outcome"]["message"]
    assert staff.payments() == before
    asked_anew = staff.pay(key="lauf-6")
    assert asked_anew.status_code == 202, "the same key asks anew, as somebody who may"
    assert staff.run(id)["approval"]["asked_person"] == "payer"
    assert staff.decide(id).status_code == 200
    assert staff.ended(id)["state"] == "done"
    assert staff.payments() == before + 1
    asking.close()


def test_what_somebody_approved_who_was_revoked_before_it_was_sent_is_not_paid(staff: Staff) -> None:
    staff.set_policy(approve_above=500)
    before = staff.payments()
    id = staff.pay(key="lauf-7").json()["run"]
    approver = approver_of(staff)
    approve_and_at_once(staff, id, approver, lambda c, now: tokens.revoke(c, approver.name, "kunde-a", now))
    ended = staff.ended(id)
    assert (ended["state"], "approver, who approved" in ended["outcome"]["message"]) == ("refused", True)
    assert staff.payments() == before
    deadline = time.monotonic() + 10
    while "run.void" not in audited(staff, id) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert {"run.approved", "run.refused", "run.void"} <= set(audited(staff, id))
    assert "run.sent" not in audited(staff, id)
    assert staff.run(id)["approval"]["state"] == "expired"


def test_an_approval_is_not_used_up_by_a_host_that_saw_its_run_before_it_waited_again(staff: Staff) -> None:
    staff.set_policy(approve_above=500)
    id = staff.pay(key="lauf-12").json()["run"]
    approver = approver_of(staff)
    approve_and_at_once(staff, id, approver, lambda c, _: use_up_unless_waiting(c, approvals.find(c, id)))
    assert staff.ended(id)["state"] == "done"


def test_a_token_that_lost_its_role_no_longer_pays_or_approves(staff: Staff) -> None:
    staff.set_policy(approve_above=500)
    before = staff.payments()
    approver = approver_of(staff)
    for name, key in (("payer of kunde-a", "lauf-8"), (approver.name, "lauf-9")):
        id = staff.pay({**LARGE, "description": key}, key=key).json()["run"]
        mine = ("kunde-a", name)
        approve_and_at_once(
            staff,
            id,
            approver,
            lambda c, _, mine=mine: rights_register.change(c, TOKENS, mine, {"role": "viewer"}),
        )
        assert staff.ended(id)["state"] == "refused", name
        staff.host.state.database.write(
            lambda c, mine=mine, name=name: rights_register.change(c, TOKENS, mine, {"role": name.partition(" ")[0]})
        ).result()
    assert staff.payments() == before


def test_a_policy_that_now_asks_for_another_person_holds_for_what_was_confirmed(staff: Staff) -> None:
    staff.set_policy(approve_above=500)
    before = staff.payments()
    clients = people(staff, ("flow", "payer", "Anna Berg"), ("anna", "approver", "Anna Berg"))
    ask = {"inputs": LARGE, "key": "lauf-10"}
    id = clients["flow"].post("/v1/actions/initiate_payment/run", json=ask).json()["run"]

    def as_an_agents(connection: Any) -> None:  # which its own person may confirm
        rights_register.change(connection, APPROVALS, (id,), {"reasons": "agent"})

    staff.host.state.database.write(as_an_agents).result()
    assert clients["anna"].post(f"/v1/runs/{id}/approve", json={}).status_code == 200
    ended = staff.ended(id)
    assert (ended["state"], "another person must approve" in ended["outcome"]["message"]) == ("refused", True)
    assert staff.payments() == before
    for client in clients.values():
        client.close()


def test_a_second_press_without_a_key_does_not_ask_twice(staff: Staff) -> None:
    staff.set_policy(approve_above=500)
    assert staff.pay().status_code == 202
    assert staff.pay().json()["kind"] == "likely_repeat"


def test_the_limits_of_one_payment_of_a_day_and_of_payees_hold(staff: Staff) -> None:
    staff.set_policy(most_each="1.000,00", most_per_day="1500")
    assert staff.pay({**PAYMENT, "amount": 1000.01}).json()["outcome"] == "not_sent"
    assert staff.pay({**PAYMENT, "amount": 900}).status_code == 200
    over = staff.pay({**PAYMENT, "amount": 600.01})
    assert (over.status_code, over.json()["kind"]) == (403, "right_missing")
    assert "1,500.01" in over.json()["message"]
    assert staff.pay({**PAYMENT, "amount": 600}).status_code == 200
    staff.set_policy(most_per_day=None, payees="known")
    assert staff.pay({**PAYMENT, "amount": 1, "creditor_iban": "DE75512108001245126199"}).status_code == 403
    staff.set_policy(known_payees=["DE75 5121 0800 1245 1261 99"])
    assert staff.pay({**PAYMENT, "amount": 1, "creditor_iban": "DE75512108001245126199"}).status_code == 200


def test_with_key_required_a_write_without_one_is_refused(staff: Staff) -> None:
    staff.set_policy(key_required=True)
    refused = staff.pay(PAYMENT)
    assert (refused.status_code, refused.json()["field"]) == (422, "key")
    assert staff.pay(PAYMENT, key="k").status_code == 200


@pytest.mark.long
@pytest.mark.parametrize("path", ["/v2/banking/payments", "/v2/banking/%70ayments/", "/v2/banking/webhook-url"])
def test_call_api_does_not_write_where_money_or_the_webhook_url_moves(staff: Staff, path: str) -> None:
    before = staff.payments()
    for role in ("operator", "payer", "admin"):
        with staff.by(role) as caller:
            inputs = {"method": "POST", "path": path, "body": dict(PAYMENT)}
            answer = caller.post("/v1/actions/call_api/run", json={"inputs": inputs})
        assert (answer.status_code, answer.json()["field"], answer.json()["outcome"]) == (422, "path", "not_sent"), role
    assert staff.payments() == before


def test_call_api_writes_to_an_undeclared_path_only_where_an_admin_allows_it(staff: Staff) -> None:
    inputs = {"method": "POST", "path": "/v2/tickets/renew", "body": {}}
    with staff.by("operator") as caller:
        refused = caller.post("/v1/actions/call_api/run", json={"inputs": inputs})
        assert (refused.status_code, refused.json()["field"]) == (403, "path")
        staff.set_policy(undeclared_paths=True)
        asked = caller.post("/v1/actions/call_api/run", json={"inputs": inputs})
    assert asked.status_code == 404, "now it is the service that says no"


@pytest.mark.long
@pytest.mark.parametrize(
    "path",
    [
        "/v2/banking/refresh-everything",
        "/v2/banking/payments;a=b",
        "/v2/banking/payments%20",
        "/v2/banking/payments%C2%A0",
        "/v2/banking/payments.json",
        "/v2/banking/bulk-payments",
        "/v2/banking;a=b/payments",
        "/v2/Banking/bulk",
        "/v2/bank-ing/bulk",
        "/v2/bulk-payments",
        "/v2/PAYMENT_batch/new",
        "/v2/mobility/customers/7/invoice.pdf",
        "/v2/ledger-duo/kassenbuch-advanced/",
        "/v2/tickets/renew;a=b",
        "/v2/tickets/",
    ],
)
def test_no_policy_lets_call_api_write_to_another_path_of_a_known_area(staff: Staff, path: str) -> None:
    staff.set_policy(undeclared_paths=True)
    posts = _posts(staff)
    with staff.by("admin") as caller:
        inputs = {"method": "POST", "path": path, "body": dict(PAYMENT)}
        answer = caller.post("/v1/actions/call_api/run", json={"inputs": inputs})
    assert (answer.status_code, answer.json()["field"], answer.json()["outcome"]) == (403, "path", "not_sent")
    assert _posts(staff) == posts


def _posts(staff: Staff) -> int:
    return sum(one["method"] == "POST" for one in staff.sandbox.look("/record")["data"])


def test_only_an_admin_changes_the_policy_and_nonsense_is_refused(staff: Staff) -> None:
    with staff.by("payer") as payer:
        assert payer.put("/v1/policy", json={"most_each": 1}).status_code == 403
    with staff.by("admin") as admin:
        for wrong in ({"most": 1}, {"most_each": "viel"}, {"most_each": -1}, {"agents": ["pay_all"]}, {"payees": "x"}):
            answer = admin.put("/v1/policy", json=wrong)
            assert answer.status_code == 422, wrong
            assert answer.json()["field"] in wrong
        assert admin.get("/v1/policy").json()["policy"]["most_each"] is None


def test_an_approval_that_was_given_long_before_the_start_lapses(
    staff: Staff, sandbox: RunningSandbox, tmp_path: Path
) -> None:
    staff.set_policy(approve_above=500)
    before = staff.payments()
    id = staff.pay(key="lauf-9").json()["run"]
    context = staff.host.state.context
    old = context.now().timestamp() - 16 * 60

    def approve_long_ago(connection: Any) -> None:
        values = {"state": "approved", "decided_at": old, "decided_by": "x", "decided_person": "x"}
        rights_register.change(connection, APPROVALS, (id,), values)
        context.approvals_checked = False  # as after a start

    async def approve_between_two_claims() -> None:
        while due_work.RUNS in engine._rounds:  # noqa: ASYNC110
            await asyncio.sleep(0.001)
        context.database.write(approve_long_ago).result()

    engine, task = staff.host.state.engine, staff.host.state.engine_task
    assert task is not None
    asyncio.run_coroutine_threadsafe(approve_between_two_claims(), task.get_loop()).result()
    context.wake()
    assert staff.ended(id)["state"] == "expired"
    assert staff.payments() == before


def test_a_workspace_says_for_how_long_an_equal_write_without_a_key_is_held_back(staff: Staff) -> None:
    assert staff.pay(PAYMENT).status_code == 200
    assert staff.pay(PAYMENT).json()["kind"] == "likely_repeat"
    staff.set_policy(repeat_minutes=0)
    assert staff.pay(PAYMENT).status_code == 200
