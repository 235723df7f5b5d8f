"""A thousand edits of what grants rights, beside a running host: it grants nothing, pays nothing and shows each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from sqlalchemy import event

from connector.store.trust.granting_rows import KINDS
from tests.interfaces.host.rights.staff import LARGE, Staff
from tests.interfaces.host.running_host import PAYMENT, TOKEN
from tests.interfaces.host.two_customers import two_customers
from tests.store.old_databases import plain_engine
from tests.store.postgres import postgres_server, postgres_url
from tests.store.trust.test_thousand_edits import FORGED, Outside
from tests.support.running_sandbox import RunningSandbox

__all__ = ["postgres_server", "postgres_url"]
pytestmark = pytest.mark.long

EDITS = 500
"""On each of two databases."""
WRONG_TOKEN = {401, 429}
"""A right token is never told to wait, so 429 is as good as 401."""
NO_RIGHT = {401, 403, 404, 409, 422, 429}


@pytest.fixture(params=["sqlite", "postgresql"])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(tmp_path) if request.param == "sqlite" else str(request.getfixturevalue("postgres_url"))


@pytest.fixture
def staff(sandbox: RunningSandbox, tmp_path: Path, location: str) -> Iterator[Staff]:
    data = location if "://" in location else ""
    with two_customers(sandbox, tmp_path, data=data) as customers:
        yield Staff(customers, sandbox)


@pytest.fixture
def outside(location: str, staff: Staff) -> Iterator[Outside]:
    engine = plain_engine(location)
    if "://" not in location:
        event.listen(engine, "connect", lambda handle, _: handle.execute("PRAGMA synchronous=OFF"))
    yield Outside(engine)
    engine.dispose()


def prepare(staff: Staff, outside: Outside) -> str:
    """Grant something of every kind, and take back what is then put back; return the token that was revoked."""
    staff.set_policy(approve_above=1000, most_each=6000)
    second = staff.customers.second
    with staff.by("admin", second) as admin:
        assert admin.put("/v1/policy", json={"most_each": 1}).status_code == 200
        gone = admin.post("/v1/tokens", json={"name": "gone", "role": "admin"}).json()["token"]
    for number in range(3):
        assert staff.pay(key=f"waits-{number}").status_code == 202
    rejected = staff.pay(key="rejected").json()["run"]
    assert staff.pay({**PAYMENT, "amount": 10}, key="paid").status_code == 200
    outside.earlier = {kind.table: outside.rows(kind.table) for kind in KINDS}
    assert staff.decide(rejected, "reject").status_code == 200
    assert staff.pay({**PAYMENT, "amount": 11}, key="paid again").status_code == 200
    staff.set_policy(most_each=5000)
    with staff.by("admin", second) as admin:
        assert admin.delete("/v1/tokens/gone").status_code == 200
        path = f"/v1/subscriptions/{second.subscription}/target"
        assert admin.put(path, json={"target_url": "https://kunde-b.example/new"}).status_code == 200
        assert admin.delete("/v1/keys").status_code == 200
    return str(gone)


def test_a_thousand_edits_beside_a_host_give_no_right_pay_nothing_and_are_all_shown(
    staff: Staff, outside: Outside
) -> None:
    gone = prepare(staff, outside)
    paid, small = staff.payments(), {**PAYMENT, "amount": 7777}
    tokens = staff.own.tokens
    ways = (outside.changed, outside.inserted, outside.swapped, outside.replayed, outside.deleted)
    made = number = 0
    with (
        staff.host.caller(TOKEN, None) as admin,
        staff.host.caller(FORGED, None) as forged,
        staff.host.caller(gone, None) as revoked,
        staff.host.caller(tokens["viewer"], None) as viewer,
        staff.host.caller(tokens["payer"], None) as payer,
    ):
        assert admin.get("/v1/rights").json()["rights"] == []
        while made < EDITS:
            table, way = KINDS[number % len(KINDS)].table, ways[number // len(KINDS) % len(ways)]
            number += 1
            before = outside.rows(table)
            if len(before) > 1 and outside.edited(table, way):
                made += 1
                staff.host.state.tokens.forget()
                told = f"{way.__name__} {table.name}"
                assert forged.get("/v1/runs").status_code in WRONG_TOKEN, told
                assert revoked.get("/v1/tokens").status_code in WRONG_TOKEN, told
                assert viewer.get("/v1/policy").status_code in NO_RIGHT, told
                assert pays(viewer, {**PAYMENT, "amount": 1}) in NO_RIGHT, told
                assert pays(payer, small) in NO_RIGHT, told
                shown = {one["kind"] for one in admin.get("/v1/rights").json()["rights"]}
                assert shown == {table.name}, (told, shown)
            outside.put(table, before)
        staff.host.state.tokens.forget()
        assert admin.get("/v1/rights").json()["rights"] == [], "what was put back counts as before"
        assert payer.get("/v1/runs").status_code == 200
    assert staff.payments() == paid
    assert made == EDITS


def pays(caller: httpx.Client, inputs: dict[str, object]) -> int:
    return caller.post("/v1/actions/initiate_payment/run", json={"inputs": inputs}).status_code


def test_an_approval_that_was_written_into_the_database_is_never_used_by_the_host(
    staff: Staff, outside: Outside
) -> None:
    from connector.store.schema import approvals

    staff.set_policy(approve_above=1000)
    asked = [staff.pay({**LARGE, "amount": 2000 + number}, key=str(number)).json()["run"] for number in range(3)]
    paid = staff.payments()
    rows = outside.rows(approvals)
    for row in rows:
        row |= {
            "state": "approved",
            "decided_by": "approver of kunde-a",
            "decided_person": "approver",
            "decided_at": 1.0,
        }
    outside.put(approvals, rows)
    with staff.host.caller(TOKEN, None) as admin:
        for _ in range(20):
            shown = {one["subject"] for one in admin.get("/v1/rights").json()["rights"]}
            assert shown == {f"approvals/{run}" for run in asked}
        assert staff.payments() == paid
        for run in asked:
            cleared = admin.post("/v1/rights/clear", json={"subject": f"approvals/{run}"})
            assert (cleared.status_code, cleared.json()["became"]) == (200, "expired")
            assert staff.run(run)["state"] == "expired"
        assert admin.get("/v1/rights").json()["rights"] == []
    assert staff.payments() == paid
