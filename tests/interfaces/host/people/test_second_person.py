"""Who counts as a second person: ids and sign-ins of one's own, never spellings, tokens of others or machines."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.interfaces.host.rights.staff import LARGE, Staff
from tests.interfaces.host.running_host import RunningHost
from tests.interfaces.host.two_customers import two_customers
from tests.store.postgres import postgres_server, postgres_url
from tests.support.running_sandbox import RunningSandbox
from tests.support.second_person import PASSPHRASE, sign_in

pytestmark = pytest.mark.long

__all__ = ["postgres_server", "postgres_url"]


@pytest.fixture(params=["sqlite", "postgresql"])
def staff(request: pytest.FixtureRequest, sandbox: RunningSandbox, tmp_path: Path) -> Iterator[Staff]:
    data = "" if request.param == "sqlite" else str(request.getfixturevalue("postgres_url"))
    with two_customers(sandbox, tmp_path, data=data) as both:
        staff = Staff(both, sandbox)
        staff.set_policy(approve_above=500)
        yield staff


def person(staff: Staff, name: str, role: str) -> httpx.Client:
    return staff.host.caller(sign_in(staff.host.url, name, role, "kunde-a"), None)


def made_token(by: httpx.Client, name: str, role: str, **more: Any) -> str:
    answer = by.post("/v1/tokens", json={"name": name, "role": role, **more})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["token"])


def asked(client: httpx.Client, amount: int = 5000) -> str:
    answer = client.post("/v1/actions/initiate_payment/run", json={"inputs": {**LARGE, "amount": amount}})
    assert answer.status_code == 202, answer.text
    return str(answer.json()["run"])


def refusal(client: httpx.Client, run: str) -> tuple[int, str]:
    answer = client.post(f"/v1/runs/{run}/approve")
    return answer.status_code, answer.json().get("message", "")


def test_two_people_with_sign_ins_of_their_own_are_two(staff: Staff) -> None:
    ada, jan = person(staff, "Ada Berg", "payer"), person(staff, "Jan Petersen", "approver")
    run = asked(ada)
    assert jan.get("/v1/me").json()["second_person"] is True
    assert jan.post(f"/v1/runs/{run}/approve").status_code == 200
    done = staff.ended(run)
    assert (done["state"], done["approval"]["asked_person"], done["approval"]["decided_person"]) == (
        *("done", "Ada Berg"),
        "Jan Petersen",
    )


def test_an_admin_who_invents_a_person_gains_nothing(staff: Staff) -> None:
    before = staff.payments()
    ada = person(staff, "Ada Berg", "admin")
    invented = staff.host.caller(made_token(ada, "invented", "approver", person="Erika Muster"), None)
    run = asked(ada)
    status, words = refusal(invented, run)
    assert (status, "asked for it" in words) == (403, True), "whoever has made the token may be who asked"
    asking = staff.host.caller(made_token(ada, "asking", "payer", person="Max Muster"), None)
    other = asked(asking, 5001)
    assert refusal(ada, other)[0] == refusal(invented, other)[0] == 403
    assert staff.run(run)["state"] == staff.run(other)["state"] == "awaiting_approval"
    assert staff.payments() == before


def test_who_owns_the_machine_hands_out_tokens_that_approve(staff: Staff) -> None:
    handed_out = {"person": "Jan Petersen", "workspace": "kunde-a"}
    named = staff.host.caller(made_token(staff.host.http, "jan", "approver", **handed_out), None)
    ada = person(staff, "Ada Berg", "payer")
    for amount, client in ((5001, named), (5002, staff.host.http)):
        assert client.get("/v1/me").json()["second_person"] is True
        assert client.post(f"/v1/runs/{asked(ada, amount)}/approve").status_code == 200
    of_jan = staff.host.caller(made_token(staff.host.http, "jans flow", "payer", **handed_out), None)
    assert refusal(named, asked(of_jan, 5003))[0] == 403


def test_tokens_of_machines_and_those_that_machines_have_made_approve_nothing(staff: Staff) -> None:
    ada = person(staff, "Ada Berg", "payer")
    run = asked(ada)
    machine = staff.host.caller(made_token(staff.host.http, "machine", "admin", workspace="kunde-a"), None)
    invented = staff.host.caller(made_token(machine, "jan", "approver", person="Jan Petersen"), None)
    assert {one["name"]: one["machine"] for one in staff.host.http.get("/v1/tokens").json()["tokens"]}["machine"]
    for client in (machine, invented):
        status, words = refusal(client, run)
        assert (status, "sign-in of their own" in words) == (403, True)
        assert client.get("/v1/me").json()["second_person"] is False
    assert staff.run(run)["state"] == "awaiting_approval"


def test_a_token_of_ones_own_counts_and_one_that_another_admin_made_does_not(staff: Staff) -> None:
    ada, jan = person(staff, "Ada Berg", "admin"), person(staff, "Jan Petersen", "admin")
    own = staff.host.caller(made_token(jan, "jans own", "approver", person="jan  PETERSEN"), None)
    foreign = staff.host.caller(made_token(ada, "jans other", "approver", person="Jan Petersen"), None)
    run = asked(person(staff, "Max Muster", "payer"))
    assert refusal(foreign, run)[0] == 403
    assert own.post(f"/v1/runs/{run}/approve").status_code == 200


@pytest.mark.parametrize("spelling", ["Jose\u0301 Berg", "  JOS\u00c9   berg "])
def test_no_spelling_makes_a_second_person(staff: Staff, spelling: str) -> None:
    admin = person(staff, "Jos\u00e9 Berg", "admin")
    run = asked(staff.host.caller(made_token(admin, "flow", "payer", person=spelling), None))
    status, words = refusal(admin, run)
    assert (status, "asked for it" in words) == (403, True)


@pytest.mark.parametrize("name", ["\u0410da Berg", "\u0410\u0434\u0430 Berg", "Ad\u00e0 Berg", "Ada\u200b Berg"])
def test_nobody_can_be_invited_or_named_who_looks_like_another(staff: Staff, name: str) -> None:
    ada = person(staff, "Ada Berg", "admin")
    for path, more in (("/v1/people", {"name": name}), ("/v1/tokens", {"name": "flow", "person": name})):
        answer = ada.post(path, json={"role": "approver", **more})
        assert (answer.status_code, answer.json()["field"]) == (422, "person"), answer.text


def test_an_invitation_is_accepted_once_in_time_and_by_nobody_who_is_signed_in(staff: Staff) -> None:
    ada = person(staff, "Ada Berg", "admin")
    made = ada.post("/v1/people", json={"name": "Jan Petersen", "role": "approver"}).json()
    given = {"invitation": made["invitation"], "passphrase": PASSPHRASE}
    assert made["link"].endswith(f"/console/invitation?code={made['invitation']}")
    by_inviter = ada.post("/v1/invitations/accept", json=given)
    assert (by_inviter.status_code, by_inviter.json()["kind"]) == (403, "right_missing")
    with staff.host.caller(None, None) as stranger:
        weak = stranger.post("/v1/invitations/accept", json={**given, "passphrase": "kurz"})
        assert (weak.status_code, weak.json()["field"]) == (422, "passphrase")
        assert stranger.post("/v1/invitations/accept", json=given).status_code == 200
        assert stranger.post("/v1/invitations/accept", json=given).status_code == 401
        late = ada.post("/v1/people", json={"name": "Max Muster", "role": "approver", "days": 1}).json()
        _forward(staff.host, days=1)
        ended = stranger.post("/v1/invitations/accept", json={**given, "invitation": late["invitation"]})
        assert (ended.status_code, "ended" in ended.json()["message"]) == (401, True)


def _forward(host: RunningHost, days: int) -> None:
    """Let the invitations of this host be older."""
    from sqlalchemy import select

    from connector.store.schema import people
    from connector.store.trust import rights_register
    from connector.store.trust.granting_rows import PEOPLE

    def age(connection: Any) -> None:
        for row in connection.execute(select(people).where(people.c.invited_until.is_not(None))).all():
            until = {"invited_until": row.invited_until - days * 86400}
            rights_register.change(connection, PEOPLE, (row.id,), until)

    host.state.database.write(age).result()


def test_a_person_signs_in_by_name_and_passphrase_and_out_again(staff: Staff) -> None:
    person(staff, "Ada Berg", "approver")
    with staff.host.caller(None, None) as stranger:
        given = {"name": " ada  BERG", "passphrase": PASSPHRASE}
        assert stranger.post("/v1/sign-in", json={**given, "passphrase": "falsch geraten"}).status_code == 401
        entered = stranger.post("/v1/sign-in", json=given)
        assert entered.headers["cache-control"] == "no-store"
        assert (entered.json()["person"], entered.json()["role"]) == ("Ada Berg", "approver")
    with staff.host.caller(entered.json()["token"], None) as ada:
        assert ada.get("/v1/me").json()["person"] == "Ada Berg"
        assert ada.delete("/v1/sign-in").status_code == 200
        assert ada.get("/v1/me").status_code == 401


def test_people_of_one_name_in_two_workspaces_sign_in_each_to_their_own(staff: Staff) -> None:
    for workspace in ("kunde-a", "kunde-b"):
        sign_in(staff.host.url, "Anna Schmidt", "viewer", workspace)
    given = {"name": "Anna Schmidt", "passphrase": PASSPHRASE}
    with staff.host.caller(None, None) as stranger:
        assert stranger.post("/v1/sign-in", json=given).status_code == 401, "both have chosen the same passphrase"
        entered = stranger.post("/v1/sign-in", json={**given, "workspace": "kunde-b"})
        assert entered.json()["workspace"] == "kunde-b"


def test_guessing_passphrases_is_slowed_down_by_address_and_by_person(staff: Staff) -> None:
    person(staff, "Ada Berg", "approver")
    with staff.host.caller(None, None) as stranger:
        given = {"name": "Ada Berg", "passphrase": PASSPHRASE}
        wrong = [stranger.post("/v1/sign-in", json={**given, "passphrase": "geraten"}) for _ in range(11)]
        assert [one.status_code for one in wrong] == [401] * 10 + [429]
        assert stranger.post("/v1/sign-in", json=given).status_code == 429, "the right one is not tried either"


def test_a_revoked_person_can_do_nothing_at_once(staff: Staff) -> None:
    ada, jan = person(staff, "Ada Berg", "admin"), person(staff, "Jan Petersen", "admin")
    own = staff.host.caller(made_token(jan, "jans own", "payer", person="Jan Petersen"), None)
    machine = staff.host.caller(made_token(jan, "n8n", "viewer"), None)
    (id,) = (one["id"] for one in ada.get("/v1/people").json()["people"] if one["name"] == "Jan Petersen")
    assert own.get("/v1/me").status_code == jan.get("/v1/me").status_code == 200
    revoked = ada.delete(f"/v1/people/{id}").json()
    assert (revoked["tokens"], revoked["seen_tokens"]) == (["jans own"], ["n8n"])
    assert own.get("/v1/me").status_code == jan.get("/v1/me").status_code == 401
    assert machine.get("/v1/me").status_code == 200, "it is named, to be replaced"
    with staff.host.caller(None, None) as stranger:
        given = {"name": "Jan Petersen", "passphrase": PASSPHRASE}
        assert stranger.post("/v1/sign-in", json=given).status_code == 401


def test_what_a_person_approved_who_is_revoked_before_it_is_sent_is_not_paid(staff: Staff) -> None:
    ada = person(staff, "Ada Berg", "admin")
    jan = person(staff, "Jan Petersen", "approver")
    (id,) = (one["id"] for one in ada.get("/v1/people").json()["people"] if one["name"] == "Jan Petersen")
    before, run = staff.payments(), asked(person(staff, "Max Muster", "payer"))
    with _held_up(staff.host):
        assert jan.post(f"/v1/runs/{run}/approve").status_code == 200
        assert ada.delete(f"/v1/people/{id}").status_code == 200
    assert staff.ended(run)["state"] in {"refused", "expired"}
    assert staff.payments() == before


@contextmanager
def _held_up(host: RunningHost) -> Iterator[None]:
    """Let the host send nothing for a while."""
    from connector.durable.waiting_runs import ApprovedWork

    claim = ApprovedWork.claim

    async def nothing(self: ApprovedWork, owner: str, most: int) -> tuple[()]:
        return ()

    ApprovedWork.claim = nothing  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        ApprovedWork.claim = claim  # type: ignore[method-assign]
        host.state.context.wake()


def test_a_changed_role_holds_from_the_next_request_on(staff: Staff) -> None:
    ada, jan = person(staff, "Ada Berg", "admin"), person(staff, "Jan Petersen", "viewer")
    (id,) = (one["id"] for one in ada.get("/v1/people").json()["people"] if one["name"] == "Jan Petersen")
    run = asked(person(staff, "Max Muster", "payer"))
    assert refusal(jan, run)[0] == 403
    assert ada.put(f"/v1/people/{id}", json={"role": "approver"}).json()["role"] == "approver"
    assert jan.post(f"/v1/runs/{run}/approve").status_code == 200


def test_nobody_of_another_workspace_sees_or_manages_people(staff: Staff) -> None:
    ada = person(staff, "Ada Berg", "admin")
    (id,) = (one["id"] for one in ada.get("/v1/people").json()["people"] if one["name"] == "Ada Berg")
    with staff.by("admin", staff.customers.second) as stranger:
        assert "Ada Berg" not in stranger.get("/v1/people").text
        assert stranger.delete(f"/v1/people/{id}").status_code == 404
        assert stranger.put(f"/v1/people/{id}", json={"role": "viewer"}).status_code == 404
        assert stranger.post("/v1/people", json={"name": "X", "role": "admin", "workspace": "*"}).status_code == 403
        for foreign in ("kunde-a", "*"):
            assert stranger.get("/v1/people", params={"workspace": foreign}).status_code == 403
            assert stranger.delete("/v1/tokens", params={"name": "n8n", "workspace": foreign}).status_code == 403
