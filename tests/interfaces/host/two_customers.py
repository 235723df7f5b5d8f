"""Test fixture: a host with two customers, each with a workspace, a key, tokens of every role and stored objects."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from sqlalchemy import Connection

from connector.core.callers import ROLES
from connector.store.triggers import deliveries
from tests.interfaces.host.running_host import TOKEN, RunningHost, running
from tests.support.running_sandbox import RunningSandbox, organisation_with_a_payment
from tests.support.second_person import sign_in

HOST_WIDE = "*"


@dataclass(frozen=True)
class Customer:
    """A workspace with its tokens by role, and the ids of what it keeps."""

    name: str
    key: str
    tokens: dict[str, str]
    subscription: str
    delivery: str
    run: str
    credential: str
    fingerprint: str
    person: str
    """The id of who approves."""

    @property
    def marks(self) -> set[str]:
        """Texts that nobody else may see."""
        return {
            self.name,
            self.key,
            self.subscription,
            self.run,
            self.credential,
            self.fingerprint,
            self.person,
            f"{self.name}.example",
        }


@dataclass(frozen=True)
class TwoCustomers:
    """The host and its customers; `tokens` are of the whole host, by role."""

    host: RunningHost
    first: Customer
    second: Customer
    tokens: dict[str, str]

    def caller(self, token: str, key: str | None = None) -> httpx.Client:
        return self.host.caller(token, key)


@contextmanager
def two_customers(sandbox: RunningSandbox, folder: Path, **settings: Any) -> Iterator[TwoCustomers]:
    given: dict[str, Any] = {"own_credential": None, "trial": False, "separate_keys": True, **settings}
    with running(sandbox, folder, **given) as host:
        keys = {"kunde-a": "sandbox-key", "kunde-b": organisation_with_a_payment(sandbox)}
        tokens = {role: _token(host, role, HOST_WIDE) for role in ROLES}
        first, second = (_customer(host, name, key) for name, key in keys.items())
        yield TwoCustomers(host, first, second, tokens)


def _customer(host: RunningHost, name: str, key: str) -> Customer:
    with host.caller(TOKEN, key) as admin:
        assert admin.post("/v1/workspaces", json={"name": name}).status_code == 201
        kept = admin.post("/v1/keys", params={"workspace": name})
        assert kept.status_code == 201, kept.text
        fingerprint = kept.json()["fingerprint"]
    tokens = {role: _token(host, role, name) for role in ROLES}
    with host.caller(tokens["admin"], None) as admin:
        wish = {"trigger": "new_payment", "inputs": {}, "target_url": f"https://{name}.example/hook", "name": name}
        subscribed = admin.post("/v1/subscriptions", json=wish)
        assert subscribed.status_code == 201, subscribed.text
        url = {"webhook_url": f"https://{name}.example/events"}
        ran = admin.post("/v1/actions/set_webhook_url/run", json={"inputs": url, "key": f"key-of-{name}"})
        assert ran.status_code == 200, ran.text
    id = subscribed.json()["id"]

    def enqueue(connection: Connection) -> str:
        deliveries.enqueue(connection, id, "1", f'{{"purpose": "{name}.example"}}', host.state.context.now())
        return str(deliveries.listed(connection, name, id)[0].id)

    delivery = host.state.database.write(enqueue).result()
    credential = subscribed.json()["credential_id"]
    listed = host.http.get("/v1/people", params={"workspace": name}).json()["people"]
    (person,) = (one["id"] for one in listed if one["name"] == "approver")
    return Customer(name, key, tokens, id, delivery, ran.json()["run"], credential, fingerprint, person)


def _token(host: RunningHost, role: str, workspace: str) -> str:
    person = f"{role} everywhere" if workspace == HOST_WIDE else role
    body = {"name": f"{role} of {workspace}", "role": role, "workspace": workspace, "person": person}
    made = host.http.post("/v1/tokens", json=body)
    assert made.status_code == 201, made.text
    # Only with a sign-in of their own somebody counts as the second person who approves.
    return sign_in(host.url, person, role, workspace) if role == "approver" else str(made.json()["token"])
