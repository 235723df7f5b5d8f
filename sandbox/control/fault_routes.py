"""Control routes for faults and forged events."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from msgspec import Struct

from connector.sandbox.access.api_keys import ORGANIZATION
from connector.sandbox.control.control_route import ControlRequest, ControlRoute
from connector.sandbox.traffic.faults import FaultSpec
from connector.sandbox.traffic.http_messages import ServiceError
from connector.sandbox.world import Envelope, Outgoing


class SendEventBody(Struct, forbid_unknown_fields=True):
    event: str
    data: dict[str, Any] = {}
    received_at: datetime | None = None
    mode: Literal["forged", "unknown"] = "forged"


def list_faults(request: ControlRequest) -> Any:
    return {"data": request.service.faults.injected}


def inject_fault(request: ControlRequest) -> Any:
    return {"data": request.service.faults.inject(request.parse(FaultSpec))}


def clear_faults(request: ControlRequest) -> Any:
    request.service.faults.clear()
    return {"data": []}


def clear_fault(request: ControlRequest) -> Any:
    fault_id = request.path["id"]
    if not fault_id.isdigit() or not request.service.faults.remove(int(fault_id)):
        raise ServiceError(404, f"There is no fault {fault_id}.")
    return {"data": request.service.faults.injected}


def send_event(request: ControlRequest) -> Any:
    """Send an event to the webhook URL without changing data."""
    body, service = request.parse(SendEventBody), request.service
    envelope = Envelope(event=body.event, data=body.data, received_at=body.received_at or service.clock.now())
    service.world.outbox.append(Outgoing(organization_id=ORGANIZATION, envelope=envelope, origin=body.mode))
    return {"data": envelope}


ROUTES = (
    ControlRoute("GET", "/sandbox/faults", "the faults ordered and how often each struck", list_faults),
    ControlRoute(
        "POST",
        "/sandbox/faults",
        "order a fault {kind, times?, probability?, seed?, match?: {method?, path?, event?}, seconds?, "
        "of answer_before and answer_after status?, content?, limit_headers?: usual|refused|none}",
        inject_fault,
    ),
    ControlRoute("DELETE", "/sandbox/faults", "clear all faults", clear_faults),
    ControlRoute("DELETE", "/sandbox/faults/{id}", "clear one fault", clear_fault),
    ControlRoute(
        "POST",
        "/sandbox/events",
        "send an event that nothing caused {event, data?, received_at?, mode?: forged|unknown}",
        send_event,
    ),
)
