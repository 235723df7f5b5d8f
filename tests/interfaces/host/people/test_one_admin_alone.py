"""One admin who would be several people, and one person after what they may do has changed."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import httpx
import pytest

from connector.core import limits
from connector.store.people import passphrases, people
from tests.interfaces.host.people.test_loosening import put
from tests.interfaces.host.people.test_second_person import asked, made_token, person, refusal, staff
from tests.interfaces.host.rights.staff import Staff
from tests.store.postgres import postgres_server, postgres_url
from tests.support.second_person import PASSPHRASE, sign_in

pytestmark = pytest.mark.long

__all__ = ["postgres_server", "postgres_url", "staff"]
MAX_CHAIN = 40


def invited(staff: Staff, by: httpx.Client, name: str, role: str) -> httpx.Client:
    """Somebody whom an admin has invited, and whose link that admin may have opened."""
    token = by.headers["authorization"].removeprefix("Bearer ")
    return staff.host.caller(sign_in(staff.host.url, name, role, "kunde-a", token=token), None)


def id_of(admin: httpx.Client, name: str) -> str:
    (id,) = (one["id"] for one in admin.get("/v1/people").json()["people"] if one["name"] == name)
    return str(id)


def test_no_chain_of_invented_people_is_long_enough_to_forget_who_began_it(staff: Staff) -> None:
    ada = maker = person(staff, "Ada Berg", "admin")
    for number in range(MAX_CHAIN):
        given = {"name": f"chain {number}", "role": "admin", "person": f"Person {chr(65 + number)} Muster"}
        made = maker.post("/v1/tokens", json=given)
        if made.status_code != 201:
            break
        maker = staff.host.caller(made.json()["token"], None)
    assert (made.status_code, number > 5) == (422, True), made.text
    status, words = refusal(ada, asked(maker))
    assert (status, "asked for it" in words) == (403, True), words


def test_where_two_people_loosen_it_whom_an_admin_has_invited_is_no_other_one(staff: Staff) -> None:
    ada, jan, before = person(staff, "Ada Berg", "admin"), person(staff, "Jan Petersen", "approver"), staff.payments()
    put(ada, approve_above=500, loosen="approve")
    erika, max_ = invited(staff, ada, "Erika Muster", "approver"), invited(staff, ada, "Max Muster", "payer")
    second = invited(staff, ada, "Zweite Admin", "admin")
    later = invited(staff, second, "Noch Jemand", "approver")
    for run in (asked(ada, 5001), asked(max_, 5002)):
        for client in (erika, second, later):
            status, words = refusal(client, run)
            assert (status, "has invited the other" in words) == (403, True), words
    waiting = put(ada, approve_above=9000)["waiting"]["id"]
    assert {one.post(f"/v1/policy/changes/{waiting}/approve").status_code for one in (erika, second, later)} == {403}
    of_max = asked(max_, 5003)
    assert refusal(ada, of_max)[0] == 403
    assert staff.payments() == before
    assert jan.post(f"/v1/runs/{of_max}/approve").status_code == 200, "whoever owns the host has invited this one"
    assert jan.post(f"/v1/policy/changes/{waiting}/approve").status_code == 200


def test_who_is_invited_anew_by_an_admin_is_no_other_one_until_the_owner_of_the_host_invites(staff: Staff) -> None:
    ada, jan = person(staff, "Ada Berg", "admin"), person(staff, "Jan Petersen", "approver")
    put(ada, approve_above=500, loosen="approve")
    run = asked(ada)
    taken_over = invited(staff, ada, "Jan Petersen", "approver")
    assert jan.get("/v1/me").status_code == 401, "the earlier sign-in ends"
    assert refusal(taken_over, run)[0] == 403
    assert person(staff, "Jan Petersen", "approver").post(f"/v1/runs/{run}/approve").status_code == 200


def test_where_an_admin_loosens_it_alone_whom_that_admin_has_invited_counts(staff: Staff) -> None:
    ada = person(staff, "Ada Berg", "admin")
    erika, max_ = invited(staff, ada, "Erika Muster", "approver"), invited(staff, ada, "Max Muster", "payer")
    assert erika.post(f"/v1/runs/{asked(max_)}/approve").status_code == 200


def test_what_somebody_asked_to_loosen_who_may_no_longer_is_over(staff: Staff) -> None:
    ada, jan = person(staff, "Ada Berg", "admin"), person(staff, "Jan Petersen", "approver")
    put(ada, approve_above=500, loosen="approve")
    waiting = put(ada, approve_above=9000)["waiting"]["id"]
    assert staff.host.http.delete(f"/v1/people/{id_of(ada, 'Ada Berg')}").status_code == 200
    assert jan.post(f"/v1/policy/changes/{waiting}/approve").status_code == 409
    with staff.by("admin") as other:
        assert other.get("/v1/policy").json()["policy"]["approve_above"] == 500


@pytest.mark.parametrize("how", ["changed", "invited anew"])
def test_a_lower_role_also_ends_the_tokens_that_could_do_more(staff: Staff, how: str) -> None:
    ada, jan = person(staff, "Ada Berg", "admin"), person(staff, "Jan Petersen", "admin")
    for name, role in (("jan approves", "approver"), ("jan reads", "viewer")):
        made_token(jan, name, role, person="Jan Petersen")
    approving = staff.host.caller(made_token(jan, "jan manages", "admin", person="Jan Petersen"), None)
    if how == "changed":
        answer = ada.put(f"/v1/people/{id_of(ada, 'Jan Petersen')}", json={"role": "viewer"})
    else:
        answer = ada.post("/v1/people", json={"name": "Jan Petersen", "role": "viewer"})
    assert answer.json()["tokens"] == ["jan approves", "jan manages"]
    assert approving.get("/v1/me").status_code == 401
    valid = [one["name"] for one in ada.get("/v1/tokens").json()["tokens"] if one["revoked_at"] is None]
    assert "jan reads" in valid


def test_many_guesses_at_once_are_no_more_than_one_after_the_other(staff: Staff) -> None:
    person(staff, "Ada Berg", "approver")

    def guess(number: int) -> int:
        with staff.host.caller(None, None) as stranger:
            given = {"name": "Ada Berg", "passphrase": f"geraten {number}"}
            return stranger.post("/v1/sign-in", json=given).status_code

    with ThreadPoolExecutor(2 * limits.MAX_WRONG_LOGINS) as pool:
        answers = sorted(pool.map(guess, range(2 * limits.MAX_WRONG_LOGINS)))
    assert answers == [401] * limits.MAX_WRONG_LOGINS + [429] * limits.MAX_WRONG_LOGINS


def test_right_passphrases_are_not_counted_as_guesses(staff: Staff) -> None:
    person(staff, "Ada Berg", "approver")
    with staff.host.caller(None, None) as stranger:
        given = {"name": "Ada Berg", "passphrase": PASSPHRASE}
        entered = [stranger.post("/v1/sign-in", json=given) for _ in range(limits.MAX_WRONG_LOGINS + 2)]
        assert {one.status_code for one in entered} == {200}


def test_a_passphrase_that_is_replaced_while_it_is_checked_opens_nothing(
    staff: Staff, monkeypatch: pytest.MonkeyPatch
) -> None:
    person(staff, "Ada Berg", "approver")
    database, now = staff.host.state.database, staff.host.state.context.now()
    checked = passphrases.matches

    def replaced_meanwhile(text: str, stored: str) -> bool:
        fits = checked(text, stored)
        until = now + timedelta(days=1)

        def replace(connection: Any) -> None:
            people.invite(connection, "kunde-a", "Ada Berg", "approver", "code", until, "", now)
            people.accept(connection, "code", passphrases.hashed("ganz andere Wörter hier"), now)

        database.write(replace).result()
        return fits

    monkeypatch.setattr(passphrases, "matches", replaced_meanwhile)
    with staff.host.caller(None, None) as stranger:
        given = {"name": "Ada Berg", "passphrase": PASSPHRASE}
        assert stranger.post("/v1/sign-in", json=given).status_code == 401
