"""What went wrong when customers shared a host, each as a test of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from connector.store.runs import runs
from connector.store.trust import credentials, workspaces
from tests.interfaces.host.running_host import PAYMENT, TOKEN, RunningHost, running
from tests.interfaces.host.two_customers import TwoCustomers, two_customers
from tests.support.running_sandbox import RunningSandbox, organisation_with_a_payment

HOOK = {"trigger": "new_payment", "inputs": {}, "target_url": "https://flow.example/hook"}


@pytest.fixture
def shared_host(sandbox: RunningSandbox, tmp_path: Path) -> Iterator[RunningHost]:
    """As `kontor serve` without a key of its own, for callers who bring theirs."""
    with running(sandbox, tmp_path, trial=False, own_credential=None, separate_keys=True) as host:
        yield host


@pytest.fixture
def customers(sandbox: RunningSandbox, tmp_path: Path) -> Iterator[TwoCustomers]:
    with two_customers(sandbox, tmp_path) as both:
        yield both


def test_finding_2_a_credential_does_not_take_another_organisations_key(
    shared_host: RunningHost, sandbox: RunningSandbox
) -> None:
    host, other = shared_host, organisation_with_a_payment(sandbox)
    paid = host.run("initiate_payment", PAYMENT, key="run-1-step-2")
    assert paid.status_code == 200, paid.text
    subscribed = host.http.post("/v1/subscriptions", json=HOOK)
    id = subscribed.json()["credential_id"]
    with host.caller(TOKEN, other) as stranger:
        rotated = stranger.put(f"/v1/credentials/{id}")
        assert (rotated.status_code, rotated.json()["kind"]) == (403, "right_missing")
        assert stranger.get("/v1/runs").json()["runs"] == []
        replayed = stranger.post("/v1/actions/initiate_payment/run", json={"inputs": PAYMENT, "key": "run-1-step-2"})
    assert replayed.status_code != 200, "the first organisation's payment is not the second's to read"
    again = host.run("initiate_payment", PAYMENT, key="run-1-step-2")
    assert again.json()["replayed"] is True
    with host.caller(TOKEN, "sandbox-key-2") as same:
        assert same.put(f"/v1/credentials/{id}").status_code == 200
        kept = same.post("/v1/actions/initiate_payment/run", json={"inputs": PAYMENT, "key": "run-1-step-2"})
        assert kept.json()["replayed"] is True, "a new key of the same organisation goes on where the old one was"


def test_finding_2_a_key_new_here_of_a_known_organisation_does_not_write_until_it_is_attached(
    shared_host: RunningHost, sandbox: RunningSandbox
) -> None:
    assert shared_host.run("initiate_payment", PAYMENT, key="a").status_code == 200
    before = len(sandbox.api.get("/v2/banking/payments").json()["data"])
    with shared_host.caller(TOKEN, "sandbox-key-2") as second:
        refused = second.post("/v1/actions/initiate_payment/run", json={"inputs": PAYMENT, "key": "a"})
        assert (refused.status_code, refused.json()["outcome"]) == (403, "not_sent")
        assert "workspace 'default' attach it first (`POST /v1/keys`)" in refused.json()["remedy"]["en"]
        assert second.post("/v1/actions/list_bank_accounts/run", json={}).status_code == 200, "reading is allowed"
        assert second.post("/v1/keys", params={"workspace": "default"}).status_code == 201
        replayed = second.post("/v1/actions/initiate_payment/run", json={"inputs": PAYMENT, "key": "a"})
        assert replayed.json()["replayed"] is True
    assert len(sandbox.api.get("/v2/banking/payments").json()["data"]) == before


def test_finding_3_without_a_key_nothing_of_a_customer_is_shown(shared_host: RunningHost) -> None:
    id = shared_host.http.post("/v1/subscriptions", json=HOOK).json()["id"]
    with shared_host.caller(TOKEN, None) as keyless:
        for path in ("/v1/subscriptions", f"/v1/subscriptions/{id}", f"/v1/subscriptions/{id}/deliveries", "/v1/runs"):
            answer = keyless.get(path)
            assert (answer.status_code, answer.json()["kind"]) == (401, "key_refused"), path
        assert keyless.delete(f"/v1/subscriptions/{id}").status_code == 401


def test_finding_3_one_key_neither_lists_nor_ends_the_subscriptions_of_another(
    shared_host: RunningHost, sandbox: RunningSandbox
) -> None:
    id = shared_host.http.post("/v1/subscriptions", json=HOOK).json()["id"]
    with shared_host.caller(TOKEN, organisation_with_a_payment(sandbox)) as other:
        assert other.get("/v1/subscriptions").json()["subscriptions"] == []
        assert other.get(f"/v1/subscriptions/{id}").status_code == 404
        assert other.get(f"/v1/subscriptions/{id}/deliveries").status_code == 404
        assert other.delete(f"/v1/subscriptions/{id}").status_code == 404
        assert other.get("/v1/credentials").json()["credentials"] == []
        own = other.post("/v1/subscriptions", json=HOOK).json()["id"]
        assert [one["id"] for one in other.get("/v1/subscriptions").json()["subscriptions"]] == [own]
    assert shared_host.http.get(f"/v1/subscriptions/{id}").json()["subscription"]["state"] == "active"


def test_a_token_of_a_workspace_works_with_the_workspaces_key_and_no_other(customers: TwoCustomers) -> None:
    first, second = customers.first, customers.second
    with customers.caller(first.tokens["payer"]) as payer:
        paid = payer.post("/v1/actions/initiate_payment/run", json={"inputs": PAYMENT, "key": "k"})
        assert paid.status_code == 200, paid.text
        assert first.key not in paid.text
    stored = customers.host.state.database.read(lambda c: runs.find_by_key(c, "kunde-a", "k"))
    assert stored is not None
    for key in (second.key, "sandbox-key-2"):
        with customers.caller(first.tokens["payer"], key) as wrong:
            refused = wrong.post("/v1/actions/list_payments/run", json={})
            assert (refused.status_code, refused.json()["kind"]) == (403, "right_missing")
    with customers.caller(first.tokens["payer"], first.key) as right:
        assert right.post("/v1/actions/list_payments/run", json={}).status_code == 200


def test_a_revoked_key_is_erased_and_used_no_more(customers: TwoCustomers) -> None:
    first = customers.first
    with customers.caller(first.tokens["admin"]) as admin:
        assert admin.post("/v1/credential/test").status_code == 200
        assert admin.delete("/v1/keys").json()["revoked"] is True
        gone = admin.post("/v1/credential/test")
        assert (gone.status_code, gone.json()["kind"]) == (401, "key_refused")
        ended = admin.get(f"/v1/subscriptions/{first.subscription}").json()["subscription"]
        assert ended["state"] == "ended"
    database = customers.host.state.database
    assert database.read(lambda c: credentials.chosen(c, "kunde-a")) is None
    assert database.read(lambda c: workspaces.of_key(c, first.fingerprint)) == "kunde-a"


def test_an_operator_takes_over_no_foreign_webhook_url(customers: TwoCustomers) -> None:
    wish = {"trigger": "payment_settled", "target_url": "https://flow.example/h", "takeover": True}
    with customers.caller(customers.first.tokens["operator"]) as operator:
        refused = operator.post("/v1/subscriptions", json=wish)
        assert (refused.status_code, refused.json()["details"]["needed"]) == (403, "admin")
