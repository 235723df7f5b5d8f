"""Control routes that read state, request log, deliveries and assumptions."""

from __future__ import annotations

from collections.abc import Sized
from typing import Any

from connector.sandbox import assumptions
from connector.sandbox.banking.accounts import account_json
from connector.sandbox.banking.payments import payment_json
from connector.sandbox.control.control_route import ControlRequest, ControlRoute
from connector.sandbox.ledger.assumptions import ASSUMPTIONS as LEDGER_ASSUMPTIONS
from connector.sandbox.mobility.assumptions import ASSUMPTIONS as MOBILITY_ASSUMPTIONS
from connector.sandbox.traffic.parameters import number_of

_PAGE = 1000


def state(request: ControlRequest) -> Any:
    service, world = request.service, request.service.world
    banking = world.banking
    return {
        "seed": world.seed,
        "now": service.clock.now(),
        "speed": service.clock.speed,
        "settings": world.settings,
        "requests_received": service.request_log.received,
        "keys": [
            {"name": key.name, "organization_id": key.organization_id, "kind": key.kind, "scope": key.scope}
            for key in world.keys.values()
        ],
        "credits": {
            organization_id: {"balance": balance, "available": world.credits.available(organization_id)}
            for organization_id, balance in world.credits.balances.items()
        },
        "banking": {
            "webhook_urls": banking.webhook_urls,
            "connections": list(banking.connections.values()),
            "accounts": [
                {**account_json(account), "connection_id": account.connection_id}
                for account in banking.accounts.values()
            ],
            "payments": [payment_json(payment) for payment in banking.payments.values()],
        },
        "ledger": _sizes(world.ledger),
        "mobility": _sizes(world.mobility),
        "faults": service.faults.injected,
    }


def world(request: ControlRequest) -> Any:
    return request.service.world


def record(request: ControlRequest) -> Any:
    since, limit = number_of(request.query, "since") or 0, number_of(request.query, "limit") or _PAGE
    return {"data": request.service.request_log.since(since, limit), "received": request.service.request_log.received}


def executions(request: ControlRequest) -> Any:
    return {"data": request.service.executions.since(number_of(request.query, "since") or 0)}


async def deliveries(request: ControlRequest) -> Any:
    webhooks = request.service.webhooks
    wait = number_of(request.query, "wait")
    settled = await webhooks.wait_until_idle(wait) if wait else None
    since = number_of(request.query, "since") or 0
    return {"data": webhooks.deliveries[since:], "settled": settled}


def list_assumptions(request: ControlRequest) -> Any:
    rows = (
        *assumptions.PLATFORM,
        *assumptions.as_assumptions(LEDGER_ASSUMPTIONS),
        *assumptions.as_assumptions(MOBILITY_ASSUMPTIONS),
    )
    return {"data": rows}


def _sizes(area: Any) -> dict[str, int]:
    fields = {name: getattr(area, name) for name in area.__struct_fields__}
    return {name: len(value) for name, value in fields.items() if isinstance(value, Sized)}


ROUTES = (
    ControlRoute(
        "GET", "/sandbox/state", "the world in short: clock, credits, banks, accounts, payments, faults", state
    ),
    ControlRoute("GET", "/sandbox/world", "the world whole, as it is written to a file", world),
    ControlRoute("GET", "/sandbox/record", "requests received and what became of them; ?since=N&limit=N", record),
    ControlRoute(
        "GET",
        "/sandbox/executions",
        "writes executed, whatever the caller heard: what was received, when, and what it led to; ?since=N",
        executions,
    ),
    ControlRoute(
        "GET",
        "/sandbox/deliveries",
        "events sent; ?since=N, ?wait=SECONDS waits until all that are due have been tried",
        deliveries,
    ),
    ControlRoute(
        "GET", "/sandbox/assumptions", "what the description leaves open and is assumed here", list_assumptions
    ),
)
