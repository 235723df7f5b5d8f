"""One request to the service, from arrival to answer: record, fault, rate limit, key, credits, handler, reply."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sandbox import encoding
from sandbox.errors import ServiceError
from sandbox.faults import Fault
from sandbox.keys import PROVIDER, ApiKey, authenticate
from sandbox.limits import Group
from sandbox.messages import Answer, Call
from sandbox.record import Entry
from sandbox.request import Request
from sandbox.route import Route
from sandbox.routing import MethodNotAllowed

if TYPE_CHECKING:
    from sandbox.service import Service

PROVIDER_WEBHOOKS = "/v2/banking/webhooks/"
_TOO_MANY = "Too many requests."
_BROKEN = "Internal error."
_HTML = b"<!doctype html><title>Gateway</title><p>The service is being updated.</p>"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Arrival:
    call: Call
    key: ApiKey | None
    entry: Entry
    fault: Fault | None

    def struck_by(self, *kinds: str) -> bool:
        return self.fault is not None and self.fault.kind in kinds


async def exchange(service: Service, call: Call) -> Answer:
    service.run_due()
    key = service.world.keys.get(call.headers.get("x-api-key", ""))
    entry = service.record.open(
        service.clock.now(), call.method, call.path, call.query, _readable(call), key.name if key else None
    )
    fault = service.faults.strike_request(call.method, call.path)
    entry.fault = fault.kind if fault else None
    arrival = _Arrival(call, key, entry, fault)

    settings = service.world.settings.limits
    group: Group = "provider_webhooks" if call.path.startswith(PROVIDER_WEBHOOKS) else "api"
    caller = f"key {key.text}" if key and group == "api" else f"ip {call.client_ip}"
    verdict = service.limiter.count(group, caller, service.clock.now(), settings)

    try:
        if arrival.struck_by("drop_before"):
            return _dropped(entry)
        if not verdict.allowed or arrival.struck_by("rate_limited"):
            raise ServiceError(429, _TOO_MANY)
        answer = await _work(service, arrival)
    except ServiceError as refusal:
        answer = Answer(refusal.status, encoding.encode(refusal.body))
        if isinstance(refusal, MethodNotAllowed):
            answer.headers.append(("Allow", refusal.allow))
    except Exception:
        _log.exception("%s %s failed", call.method, call.path)
        answer = Answer(500, encoding.encode({"error": _BROKEN}))
    if entry.acted or entry.credits_charged:
        service.changed()
    if arrival.struck_by("slow_after") and fault:
        await asyncio.sleep(fault.order.seconds)
    if arrival.struck_by("drop_after"):
        return _dropped(entry)
    _spoil(arrival, answer)
    answer.headers += verdict.headers(settings, refused=answer.status == 429)
    entry.status = answer.status
    return answer


async def _work(service: Service, arrival: _Arrival) -> Answer:
    """Do what was asked and answer with success, or raise the refusal."""
    call, entry, world = arrival.call, arrival.entry, service.world
    if arrival.struck_by("error_500"):
        raise ServiceError(500, _BROKEN)
    if call.path.startswith(PROVIDER_WEBHOOKS):
        key = PROVIDER
    else:
        key = authenticate(world.keys, call.headers.get("x-api-key"))
    route, parameters = service.table.find(call.method, call.path)
    entry.dropdown = route.free_as_dropdown and service.wire.marker.is_set(call.query, call.headers)
    cost = 0 if entry.dropdown else route.cost

    reservation = world.credits.reserve(key.organization_id, cost, service.clock.now()) if cost else None
    try:
        delay = _delay(service, route, arrival)
        if delay:
            await asyncio.sleep(delay)
        request = Request(
            now=service.clock.now(),
            key=key,
            wire=service.wire,
            path=parameters,
            query=call.query,
            body=encoding.decode_body(call.body, call.headers.get("content-type", "")),
            reservation=reservation,
            client_ip=call.client_ip,
            base_url=call.base_url,
        )
        result = route.handler(world, request)
    except BaseException:
        if reservation:
            world.credits.expire(reservation)
        raise
    entry.acted = route.acts
    failed_after_acting = arrival.struck_by("error_500_after")
    if reservation and route.settles_later:
        entry.credits_reserved = cost
    elif reservation and failed_after_acting:
        world.credits.expire(reservation)
    elif reservation:
        entry.credits_charged = world.credits.confirm(reservation)
    if failed_after_acting:
        raise ServiceError(500, _BROKEN)
    if route.carries_balance:
        result = {**result, "platform": {"neuesGuthaben": world.credits.balance(key.organization_id)}}
    return Answer(route.status, encoding.encode(result))


def _delay(service: Service, route: Route, arrival: _Arrival) -> float:
    usual = route.slow if service.world.settings.realistic_durations else 0.0
    return usual + (arrival.fault.order.seconds if arrival.fault and arrival.struck_by("slow") else 0.0)


def _spoil(arrival: _Arrival, answer: Answer) -> None:
    """Damage an answer on its way back, after all was done."""
    if arrival.struck_by("malformed"):
        answer.status, answer.body = 200, answer.body[: max(1, len(answer.body) // 2)]
    elif arrival.struck_by("wrong_content_type"):
        answer.status, answer.body, answer.content_type = 200, _HTML, "text/html; charset=utf-8"
    elif arrival.struck_by("truncated"):
        answer.ending = "truncated"


def _dropped(entry: Entry) -> Answer:
    entry.status = "dropped"
    return Answer(0, b"", ending="dropped")


def _readable(call: Call) -> Any:
    """Return the body for the record: parsed where it can be, else its text."""
    try:
        return encoding.decode_body(call.body, call.headers.get("content-type", ""))
    except ServiceError:
        return call.body.decode("utf-8", "replace")
