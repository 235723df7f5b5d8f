"""A thousand attempts to pay without the right to: none pays, each is refused, and refusals are in the audit log."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.interfaces.host.rights.staff import LARGE, Staff
from tests.interfaces.host.running_host import PAYMENT
from tests.interfaces.host.two_customers import two_customers
from tests.support.running_sandbox import RunningSandbox

ATTEMPTS = 1000
RUN = "/v1/actions/initiate_payment/run"


@pytest.fixture
def staff(sandbox: RunningSandbox, tmp_path: Path) -> Iterator[Staff]:
    with two_customers(sandbox, tmp_path) as both:
        yield Staff(both, sandbox)


class Attacker:
    """Whoever tries; each method is one way, and returns the answer."""

    def __init__(self, staff: Staff, dice: random.Random) -> None:
        self._office, self._dice = staff, dice
        self._anyone = httpx.Client(base_url=staff.host.url, trust_env=False, timeout=30)
        self._clients = {role: staff.by(role) for role in ("viewer", "operator", "payer", "approver", "admin")}
        self._stranger = staff.by("admin", staff.customers.second)
        self._payers_key = {"x-api-key": staff.own.key}
        self.waiting = str(staff.pay(key="wartet").json()["run"])
        rejected = staff.pay({**LARGE, "amount": 6000}, key="abgelehnt").json()["run"]
        staff.decide(rejected, "reject")
        self.rejected = str(rejected)
        made = self._clients["admin"].post("/v1/tokens", json={"name": "alt", "role": "admin"}).json()
        self._clients["admin"].delete("/v1/tokens/alt")
        self._revoked = staff.host.caller(made["token"], None)
        own = self._clients["admin"].post(RUN, json={"inputs": {**LARGE, "amount": 7000}, "key": "eigen"})
        self.own = str(own.json()["run"])

    def _pay(self, **changed: Any) -> dict[str, Any]:
        return {"inputs": {**PAYMENT, "amount": self._dice.randint(1, 90_000), **changed}}

    def as_a_wrong_role(self) -> httpx.Response:
        return self._clients[self._dice.choice(["viewer", "operator", "approver"])].post(RUN, json=self._pay())

    def without_a_token(self) -> httpx.Response:
        return self._anyone.post(RUN, json=self._pay(), headers=self._payers_key)

    def with_a_wrong_token(self) -> httpx.Response:
        wrong = {"authorization": f"Bearer {self._dice.getrandbits(200):x}", **self._payers_key}
        return self._anyone.post(RUN, json=self._pay(), headers=wrong)

    def with_a_revoked_token(self) -> httpx.Response:
        return self._revoked.post(RUN, json=self._pay())

    def with_the_key_of_another_workspace(self) -> httpx.Response:
        return self._stranger.post(RUN, json=self._pay(), headers=self._payers_key)

    def by_approving_from_another_workspace(self) -> httpx.Response:
        return self._stranger.post(f"/v1/runs/{self.waiting}/approve")

    def by_approving_ones_own(self) -> httpx.Response:
        return self._clients["admin"].post(f"/v1/runs/{self.own}/approve")

    def by_approving_without_the_role(self) -> httpx.Response:
        role = self._dice.choice(["viewer", "operator", "payer"])
        return self._clients[role].post(f"/v1/runs/{self.waiting}/approve")

    def by_approving_what_was_rejected(self) -> httpx.Response:
        return self._clients["approver"].post(f"/v1/runs/{self.rejected}/approve")

    def under_the_key_of_another_request(self) -> httpx.Response:
        changed = self._pay(amount="5000.01")
        return self._clients["payer"].post(RUN, json={**changed, "key": "wartet"})

    def under_the_key_of_what_was_rejected(self) -> httpx.Response:
        body = {"inputs": {**LARGE, "amount": 6000}, "key": "abgelehnt"}
        return self._clients["payer"].post(RUN, json=body)

    def beyond_the_limit(self) -> httpx.Response:
        return self._clients["payer"].post(RUN, json=self._pay(amount=self._dice.randint(100_001, 900_000)))

    def by_a_free_call(self) -> httpx.Response:
        path = self._dice.choice(["/v2/banking/payments", "/v2/banking/%70ayments", "/v2/banking/payments/"])
        inputs = {"method": self._dice.choice(["POST", "PUT", "PATCH"]), "path": path, "body": dict(PAYMENT)}
        role = self._dice.choice(["operator", "payer", "admin"])
        return self._clients[role].post("/v1/actions/call_api/run", json={"inputs": inputs})

    def by_a_property_of_ones_own(self) -> httpx.Response:
        fields = {"kontor_key": "wartet", "kontor_digest": "x"}
        return self._clients["payer"].post(RUN, json=self._pay(custom_fields=fields))

    def by_settling_what_waits(self) -> httpx.Response:
        return self._clients["admin"].post(f"/v1/runs/{self.waiting}/settle", json={"happened": False})

    def by_a_forged_event(self) -> httpx.Response:
        event = {"event": "run_finished", "data": {"run": self.waiting, "state": "done"}}
        return self._anyone.post(f"/hooks/{self._dice.getrandbits(200):x}", json=event)

    def by_a_route_that_is_not_there(self) -> httpx.Response:
        verb = self._dice.choice(["send", "resume", "done", "claim"])
        return self._clients["admin"].post(f"/v1/runs/{self.waiting}/{verb}")

    def by_changing_the_policy(self) -> httpx.Response:
        role = self._dice.choice(["viewer", "operator", "payer", "approver"])
        return self._clients[role].put("/v1/policy", json={"approve_above": None})

    def ways(self) -> list[Callable[[], httpx.Response]]:
        names = [name for name in vars(Attacker) if name.startswith(("as_", "by_", "with", "under_", "beyond_"))]
        return [getattr(self, name) for name in names]

    def close(self) -> None:
        for client in (self._anyone, self._stranger, self._revoked, *self._clients.values()):
            client.close()


@pytest.mark.slow
def test_a_thousand_attempts_to_pay_without_the_right_to_pay_nothing(staff: Staff) -> None:
    staff.set_policy(most_each=100_000, approve_above=0)
    before = staff.payments()
    attacker = Attacker(staff, random.Random(4711))
    ways = attacker.ways()
    assert len(ways) == 18
    passed: list[tuple[str, int, str]] = []
    for number in range(ATTEMPTS):
        way = ways[number % len(ways)]
        answer = way()
        if answer.status_code < 400:
            passed.append((way.__name__, answer.status_code, answer.text[:200]))
    attacker.close()
    assert passed == []
    assert staff.payments() == before
    assert staff.run(attacker.waiting)["state"] == staff.run(attacker.own)["state"] == "awaiting_approval"
    with staff.by("admin") as admin:
        entries = admin.get("/v1/audit", params={"limit": 1000}).json()["entries"]
    assert any(entry["what"].endswith("refused") for entry in entries), {entry["what"] for entry in entries}
