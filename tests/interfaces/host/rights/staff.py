"""Test fixture: the people of one customer, what they may do, and what the service shows of payments."""

from __future__ import annotations

import time
from typing import Any

import httpx

from tests.interfaces.host.running_host import PAYMENT
from tests.interfaces.host.two_customers import Customer, TwoCustomers
from tests.support.running_sandbox import RunningSandbox

LARGE = {**PAYMENT, "amount": 5000}


class Staff:
    """The first customer's people, and what the service shows of payments."""

    def __init__(self, customers: TwoCustomers, sandbox: RunningSandbox) -> None:
        self.customers, self.sandbox = customers, sandbox
        self.host, self.own = customers.host, customers.first

    def by(self, role: str, customer: Customer | None = None) -> httpx.Client:
        return self.host.caller((customer or self.own).tokens[role], None)

    def set_policy(self, **values: Any) -> None:
        with self.by("admin") as admin:
            answer = admin.put("/v1/policy", json=values)
            assert answer.status_code == 200, answer.text

    def pay(self, inputs: dict[str, Any] = LARGE, role: str = "payer", **more: Any) -> httpx.Response:
        with self.by(role) as payer:
            return payer.post("/v1/actions/initiate_payment/run", json={"inputs": inputs, **more})

    def decide(self, run: str, verb: str = "approve", role: str = "approver", **more: Any) -> httpx.Response:
        with self.by(role, more.pop("customer", None)) as person:
            return person.post(f"/v1/runs/{run}/{verb}", json=more)

    def run(self, id: str) -> dict[str, Any]:
        with self.by("viewer") as viewer:
            answer = viewer.get(f"/v1/runs/{id}")
            assert answer.status_code == 200, answer.text
            run: dict[str, Any] = answer.json()["run"]
            return run

    def ended(self, id: str) -> dict[str, Any]:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            run = self.run(id)
            if run["state"] not in {"awaiting_approval", "claimed", "sending"}:
                return run
            time.sleep(0.05)
        raise AssertionError(f"it did not end: {run}")

    def payments(self) -> int:
        return len(self.sandbox.api.get("/v2/banking/payments").json()["data"])
