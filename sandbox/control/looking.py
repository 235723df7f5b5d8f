"""Control routes that only look: state, record, deliveries, assumptions."""

from __future__ import annotations

from collections.abc import Sized
from typing import Any

from sandbox import assumptions
from sandbox.banking.payments import shown_payment
from sandbox.banking.reads import shown_account
from sandbox.control.route import ControlRoute, Order
from sandbox.ledger.assumed import ASSUMPTIONS as LEDGER_ASSUMPTIONS
from sandbox.mobility.assumptions import ASSUMPTIONS as MOBILITY_ASSUMPTIONS
from sandbox.parameters import number_of

_PAGE = 1000


def state(order: Order) -> Any:
    service, world = order.service, order.service.world
    banking = world.banking
    return {
        "seed": world.seed,
        "now": service.clock.now(),
        "speed": service.clock.speed,
        "settings": world.settings,
        "requests_received": service.record.received,
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
                {**shown_account(account), "connection_id": account.connection_id}
                for account in banking.accounts.values()
            ],
            "payments": [shown_payment(payment) for payment in banking.payments.values()],
        },
        "ledger": _sizes(world.ledger),
        "mobility": _sizes(world.mobility),
        "faults": service.faults.ordered,
    }


def world(order: Order) -> Any:
    return order.service.world


def record(order: Order) -> Any:
    since, limit = number_of(order.query, "since") or 0, number_of(order.query, "limit") or _PAGE
    return {"data": order.service.record.since(since, limit), "received": order.service.record.received}


async def deliveries(order: Order) -> Any:
    dispatcher = order.service.dispatcher
    wait = number_of(order.query, "wait")
    settled = await dispatcher.settle(wait) if wait else None
    since = number_of(order.query, "since") or 0
    return {"data": dispatcher.deliveries[since:], "settled": settled}


def assumed(order: Order) -> Any:
    rows = (
        *assumptions.KERNEL,
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
        "/sandbox/deliveries",
        "events sent; ?since=N, ?wait=SECONDS waits until all that are due have been tried",
        deliveries,
    ),
    ControlRoute("GET", "/sandbox/assumptions", "what the description leaves open and is assumed here", assumed),
)
