"""The audit log of a host: every change of state with who, from where, what and when; refusals too, but bounded."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import text

from connector.runtime.records.refusals import RATE
from tests.interfaces.host.rights.staff import Staff
from tests.interfaces.host.running_host import PAYMENT, TOKEN, RunningHost, running
from tests.interfaces.host.two_customers import TwoCustomers, two_customers
from tests.support.running_sandbox import RunningSandbox


@pytest.fixture(scope="module")
def customers(_server: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TwoCustomers]:
    sandbox = RunningSandbox(_server)
    sandbox.order("/reset", seed=1)
    with two_customers(sandbox, tmp_path_factory.mktemp("audit")) as both:
        yield both
    sandbox.close()


def entries(caller: httpx.Client, **query: Any) -> list[dict[str, Any]]:
    answer = caller.get("/v1/audit", params=query)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["entries"]
    return found


def whats(found: list[dict[str, Any]]) -> list[str]:
    return [one["what"] for one in found]


def test_what_an_admin_changes_is_recorded_with_name_face_and_address(customers: TwoCustomers) -> None:
    first, host = customers.first, customers.host
    with customers.caller(first.tokens["admin"]) as admin:
        made = admin.post("/v1/tokens", json={"name": "n8n", "role": "payer", "person": "Ada"}).json()
        assert admin.delete("/v1/tokens/n8n").status_code == 200
        found = entries(admin)
        created, revoked = [one for one in found if one["subject"] == "n8n"]
        assert (created["what"], revoked["what"]) == ("token.created", "token.revoked")
        assert (created["actor"], created["face"], created["origin"]) == ("admin of kunde-a", "http", "127.0.0.1")
        assert created["details"]["role"] == "payer"
        assert made["token"] not in json.dumps(found)
        assert {"workspace.created", "key.added", "subscription.created"} <= set(whats(found))
        assert first.key not in json.dumps(found)
        assert admin.get("/v1/audit/verify").json()["ok"] is True
    assert {"token.created"} <= set(whats(entries(host.http, workspace="*")))


def test_an_admin_sees_only_the_entries_of_its_workspace(customers: TwoCustomers) -> None:
    first, second = customers.first, customers.second
    with customers.caller(first.tokens["admin"]) as admin:
        found = entries(admin)
        assert {one["workspace"] for one in found} == {first.name}
        assert not {mark for mark in second.marks if mark in json.dumps(found)}
        chains = admin.get("/v1/audit/verify").json()["chains"]
        assert [one["workspace"] for one in chains] == [first.name]
        theirs = entries(customers.host.http, workspace=second.name)
        assert admin.get("/v1/audit", params={"after": theirs[0]["id"]}).status_code == 422
    everywhere = {one["workspace"] for one in entries(customers.host.http)}
    assert everywhere == {None, first.name, second.name}


def test_replays_and_ends_of_subscriptions_are_recorded(customers: TwoCustomers) -> None:
    second = customers.second
    path = f"/v1/subscriptions/{second.subscription}"
    with customers.caller(second.tokens["operator"]) as operator, customers.caller(second.tokens["admin"]) as admin:
        assert operator.post(f"{path}/deliveries/{second.delivery}/replay").status_code in {202, 409}
        assert operator.delete(path).status_code == 200
        ended = [one for one in entries(admin) if one["what"] == "subscription.ended"]
        assert [(one["subject"], one["actor"]) for one in ended] == [(second.subscription, "operator of kunde-b")]


def test_a_missing_right_is_recorded_with_the_route(customers: TwoCustomers) -> None:
    first = customers.first
    with customers.caller(first.tokens["viewer"]) as viewer, customers.caller(first.tokens["admin"]) as admin:
        assert viewer.post("/v1/tokens", json={"name": "x", "role": "admin"}).status_code == 403
        assert viewer.post("/v1/actions/initiate_payment/run", json={"inputs": {}}).status_code == 403
        refused = [one for one in entries(admin) if one["what"] == "right.refused"]
        assert [(one["actor"], one["details"]["route"]) for one in refused[-2:]] == [
            ("viewer of kunde-a", "POST /v1/tokens"),
            ("viewer of kunde-a", "POST /v1/actions/{id}/run"),
        ]


def test_a_flood_of_wrong_tokens_leaves_few_entries(customers: TwoCustomers) -> None:
    host = customers.host
    with host.caller("kontor_wrong", None) as stranger:
        for _ in range(3 * int(RATE.burst)):
            assert stranger.get("/v1/runs").status_code in {401, 429}
    refused = [one for one in entries(host.http, workspace="*") if one["what"] == "token.refused"]
    assert 1 <= len(refused) <= RATE.burst + 5
    assert "kontor_wrong" not in json.dumps(refused)


def test_pages_follow_one_another(customers: TwoCustomers) -> None:
    whole = entries(customers.host.http)
    paged: list[dict[str, Any]] = []
    after = None
    while True:
        page = customers.host.http.get("/v1/audit", params={"limit": 7, **({"after": after} if after else {})}).json()
        paged += page["entries"]
        after = page["next"]
        if after is None:
            break
    assert [one["id"] for one in paged][: len(whole)] == [one["id"] for one in whole]
    for wrong in ("0", "1001", "many"):
        assert customers.host.http.get("/v1/audit", params={"limit": wrong}).status_code == 422


def test_the_host_chains_new_entries_by_itself(sandbox: RunningSandbox, tmp_path: Path) -> None:
    with running(sandbox, tmp_path / "state", trial=False, own_credential=None) as host:
        host.http.post("/v1/workspaces", json={"name": "kunde-c"})
        for _ in range(200):
            if not _unsealed(host):
                break
            time.sleep(0.05)
        assert not _unsealed(host)
        with sqlite3.connect(host.folder / "kontor.db") as direct:
            direct.execute("UPDATE audit SET actor = 'somebody else' WHERE what = 'workspace.created'")
        verdict = host.http.get("/v1/audit/verify").json()
        assert verdict["ok"] is False
        [chain] = [one for one in verdict["chains"] if one["finding"]]
        assert (chain["workspace"], chain["finding"]["reason"], chain["finding"]["number"]) == ("kunde-c", "altered", 1)


def _unsealed(host: RunningHost) -> int:
    with sqlite3.connect(host.folder / "kontor.db") as direct:
        return int(direct.execute("SELECT count(*) FROM audit WHERE number IS NULL").fetchone()[0])


def test_console_sign_ins_and_sign_outs_are_recorded(sandbox: RunningSandbox, tmp_path: Path) -> None:
    pytest.importorskip("nicegui")
    with running(sandbox, tmp_path / "state", trial=False, own_credential=None, console=True) as host:
        with httpx.Client(base_url=host.url, trust_env=False, timeout=30) as browser:
            assert browser.post("/console/login", data={"token": "wrong"}).status_code == 403
            inside = browser.post("/console/login", data={"token": TOKEN})
            assert inside.status_code == 200
            cookie = inside.headers["set-cookie"].partition(";")[0]  # kept for TLS, which the proxy would speak
            assert browser.get("/console/leave", headers={"cookie": cookie}).status_code == 303
        found = [one for one in entries(host.http) if one["face"] == "console"]
        assert [(one["what"], one["actor"], one["origin"]) for one in found] == [
            ("console.sign_in_refused", "", "127.0.0.1"),
            ("console.signed_in", "host", "127.0.0.1"),
            ("console.signed_out", "host", "127.0.0.1"),
        ]


def test_a_label_is_not_where_a_caller_comes_from(customers: TwoCustomers) -> None:
    with customers.caller(customers.first.tokens["admin"]) as admin:
        url = {"webhook_url": "https://kunde-a.example/elsewhere"}
        ran = admin.post(
            "/v1/actions/set_webhook_url/run", json={"inputs": url}, headers={"x-kontor-quelle": "10.9.8.7"}
        ).json()["run"]
        assert admin.get(f"/v1/runs/{ran}").json()["run"]["origin"] == "127.0.0.1"
        assert {one["origin"] for one in entries(admin) if one["subject"] == ran} == {"127.0.0.1"}


def test_an_address_that_a_proxy_names_stands_beside_its_own(customers: TwoCustomers) -> None:
    forwarded = {"x-forwarded-for": "192.0.2.7"}
    with customers.caller(customers.first.tokens["admin"]) as admin:
        made = admin.post("/v1/tokens", json={"name": "make", "role": "viewer"}, headers=forwarded)
        assert made.status_code == 201
        [created] = [one for one in entries(admin) if one["subject"] == "make"]
        assert created["origin"] == "192.0.2.7 via 127.0.0.1"


def test_what_a_host_sends_is_matched_to_policy_and_approval_and_what_was_not_is_named(
    sandbox: RunningSandbox, tmp_path: Path
) -> None:
    with two_customers(sandbox, tmp_path) as customers:
        staff = Staff(customers, sandbox)
        assert staff.pay({**PAYMENT, "amount": 12}, key="before").status_code == 200
        staff.set_policy(approve_above=1000, most_per_day="9000.50", known_payees=[PAYMENT["creditor_iban"]])
        assert staff.pay({**PAYMENT, "amount": 900}, key="small").status_code == 200
        asked = staff.pay(key="large").json()["run"]
        assert staff.decide(asked).status_code == 200
        assert staff.ended(asked)["state"] == "done"
        with staff.by("admin") as admin:
            [chain] = admin.get("/v1/audit/verify").json()["chains"]
            assert chain["sendings"]["findings"] == []
            assert chain["sendings"]["not_known"] == 0
            assert chain["sendings"]["checked"] >= 3
            row = {"made": f"{int(time.time() * 1000):012x}{'f' * 20}", "old": asked}
            names = "workspace, credential, action, digest, inputs, owner, beat, made_at, changed_at, sendings"
            copy = f"INSERT INTO runs (id, state, {names}) SELECT :made, 'done', {names} FROM runs WHERE id = :old"
            staff.host.state.database.write(lambda c: c.execute(text(copy), row)).result()
            verdict = admin.get("/v1/audit/verify").json()
        [found] = verdict["chains"][0]["sendings"]["findings"]
        assert (verdict["ok"], found["run"], found["missing"]) == (False, row["made"], "sent")
        assert row["made"] in found["message"]["de"]
