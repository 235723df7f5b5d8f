"""A key says whose it is before it is kept, and a foreign organisation's never takes the place of another."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.interfaces.host.two_customers import TwoCustomers, two_customers
from tests.support.running_sandbox import RunningSandbox


@pytest.fixture
def customers(sandbox: RunningSandbox, tmp_path: Path) -> Iterator[TwoCustomers]:
    with two_customers(sandbox, tmp_path) as both:
        yield both


def test_a_key_shows_its_organisation_before_it_is_kept(customers: TwoCustomers) -> None:
    own, other = customers.first, customers.second
    with customers.caller(own.tokens["admin"], own.key) as admin:
        shown = admin.post("/v1/keys/check").json()
    assert (shown["workspace"], shown["organizations"]) == ("kunde-a", shown["expected"])
    assert shown["organizations"]
    with customers.caller(own.tokens["admin"], None) as admin:
        kept = [one["fingerprint"] for one in admin.get("/v1/credentials").json()["credentials"]]
    assert kept == [own.fingerprint], "nothing was kept by looking"
    assert other.fingerprint not in kept


def test_a_foreign_key_that_shows_no_payments_does_not_replace_one(
    customers: TwoCustomers, sandbox: RunningSandbox
) -> None:
    foreign = organisation_without_payments(sandbox)
    with customers.host.caller(customers.tokens["admin"], foreign) as admin:
        where = {"workspace": "kunde-a"}
        shown = admin.post("/v1/keys/check", params=where).json()
        assert (shown["organizations"], bool(shown["expected"])) == ([], True)
        for answer in (admin.put("/v1/keys", params=where), admin.post("/v1/keys", params=where)):
            assert (answer.status_code, "shows no payments" in answer.json()["message"]) == (403, True), answer.text
    with customers.caller(customers.first.tokens["admin"], None) as admin:
        assert [one["fingerprint"] for one in admin.get("/v1/credentials").json()["credentials"]] == [
            customers.first.fingerprint
        ]


def organisation_without_payments(sandbox: RunningSandbox) -> str:
    return str(sandbox.order("/organizations", name="leer")["data"]["keys"][0])
