"""Control routes for what goes wrong on the wire: faults, and events that no bank ever sent."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from msgspec import Struct

from sandbox.control.route import ControlRoute, Order
from sandbox.faults import FaultOrder
from sandbox.keys import ORGANIZATION
from sandbox.world import Envelope, Outgoing


class EventOrder(Struct, forbid_unknown_fields=True):
    event: str
    data: dict[str, Any] = {}
    received_at: datetime | None = None
    mode: Literal["forged", "unknown"] = "forged"


def list_faults(order: Order) -> Any:
    return {"data": order.service.faults.ordered}


def order_fault(order: Order) -> Any:
    return {"data": order.service.faults.order(order.read(FaultOrder))}


def clear_faults(order: Order) -> Any:
    order.service.faults.clear()
    return {"data": []}


def send_event(order: Order) -> Any:
    """Send any envelope to the webhook URL. The world stays as it is."""
    wish, service = order.read(EventOrder), order.service
    envelope = Envelope(event=wish.event, data=wish.data, received_at=wish.received_at or service.clock.now())
    service.world.outbox.append(Outgoing(organization_id=ORGANIZATION, envelope=envelope, origin=wish.mode))
    return {"data": envelope}


ROUTES = (
    ControlRoute("GET", "/sandbox/faults", "the faults ordered and how often each struck", list_faults),
    ControlRoute(
        "POST",
        "/sandbox/faults",
        "order a fault {kind, times?, probability?, seed?, match?: {method?, path?, event?}, seconds?}",
        order_fault,
    ),
    ControlRoute("DELETE", "/sandbox/faults", "clear all faults", clear_faults),
    ControlRoute(
        "POST",
        "/sandbox/events",
        "send an event that nothing caused {event, data?, received_at?, mode?: forged|unknown}",
        send_event,
    ),
)
