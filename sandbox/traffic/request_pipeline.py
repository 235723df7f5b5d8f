"""Processes a request to the service: log, faults, rate limit, API key, credits, handler, response."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from connector.sandbox.access.api_keys import PROVIDER, ApiKey, authenticate
from connector.sandbox.access.rate_limits import Group
from connector.sandbox.traffic.faults import Fault
from connector.sandbox.traffic.http_messages import HttpRequest, HttpResponse, ServiceError, decode_body, encode
from connector.sandbox.traffic.logs import LogEntry
from connector.sandbox.traffic.routes import MethodNotAllowed, Request, Route

if TYPE_CHECKING:
    from connector.sandbox.service import Service

PROVIDER_WEBHOOKS = "/v2/banking/webhooks/"
_RATE_LIMITED = "Too many requests."
_INTERNAL_ERROR = "Internal error."
_HTML = b"<!doctype html><title>Gateway</title><p>The service is being updated.</p>"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _RequestContext:
    http_request: HttpRequest
    key: ApiKey | None
    entry: LogEntry
    fault: Fault | None

    def has_fault(self, *kinds: str) -> bool:
        return self.fault is not None and self.fault.kind in kinds


async def handle_request(service: Service, http_request: HttpRequest) -> HttpResponse:
    service.run_due()
    key = service.world.keys.get(http_request.headers.get("x-api-key", ""))
    entry = service.request_log.open(
        service.clock.now(),
        http_request.method,
        http_request.path,
        http_request.query,
        _body_for_log(http_request),
        key.name if key else None,
    )
    fault = service.faults.match_request(http_request.method, http_request.path)
    entry.fault = fault.kind if fault else None
    context = _RequestContext(http_request, key, entry, fault)

    settings = service.world.settings.limits
    group: Group = "provider_webhooks" if http_request.path.startswith(PROVIDER_WEBHOOKS) else "api"
    by_key = key is not None and group == "api" and service.wire.name("rate.scope") == "key"
    caller = f"key {key.text}" if key and by_key else f"ip {http_request.client_ip}"
    limit = service.limiter.count(group, caller, service.clock.now(), settings)

    try:
        if context.has_fault("drop_before"):
            return _drop_connection(entry)
        if not limit.allowed or context.has_fault("rate_limited"):
            raise ServiceError(429, _RATE_LIMITED)
        if context.has_fault("act_late") and fault:
            service.run_later(fault.spec.seconds, partial(_act_late, service, context))
            return _drop_connection(entry)
        if context.has_fault("answer_before") and fault:
            response = _ordered_answer(fault)
        else:
            response = await _run_handler(service, context)
    except ServiceError as error:
        response = HttpResponse(error.status, encode(error.body))
        if isinstance(error, MethodNotAllowed):
            response.headers.append(("Allow", error.allow))
    except Exception:
        _log.exception("%s %s failed", http_request.method, http_request.path)
        response = HttpResponse(500, encode({"error": _INTERNAL_ERROR}))
    if entry.acted or entry.credits_charged:
        service.notify_changed()
    if context.has_fault("slow_after") and fault:
        await asyncio.sleep(fault.spec.seconds)
    if context.has_fault("drop_after"):
        return _drop_connection(entry)
    _apply_response_fault(context, response)
    ordered = fault.spec.limit_headers if fault and context.has_fault("answer_before", "answer_after") else "usual"
    if ordered != "none":
        refused = ordered == "refused" or (
            response.status == 429 and not context.has_fault("answer_before", "answer_after")
        )
        response.headers += limit.headers(settings, refused=refused)
    entry.status = response.status
    return response


async def _act_late(service: Service, context: _RequestContext) -> None:
    """Process a request whose caller has been cut off."""
    with suppress(ServiceError):
        await _run_handler(service, context)
        service.notify_changed()


async def _run_handler(service: Service, context: _RequestContext) -> HttpResponse:
    """Run the handler and return its response, or raise a ServiceError."""
    http_request, entry, world = context.http_request, context.entry, service.world
    if context.has_fault("error_500"):
        raise ServiceError(500, _INTERNAL_ERROR)
    if http_request.path.startswith(PROVIDER_WEBHOOKS):
        key = PROVIDER
    else:
        key = authenticate(world.keys, http_request.headers.get("x-api-key"))
    route, parameters = service.routes.find(http_request.method, http_request.path)
    entry.dropdown = route.free_as_dropdown and service.wire.marker.is_set(http_request.query, http_request.headers)
    cost = 0 if entry.dropdown else route.cost

    reservation = world.credits.reserve(key.organization_id, cost, service.clock.now()) if cost else None
    try:
        delay = _delay(service, route, context)
        if delay:
            await asyncio.sleep(delay)
        request = Request(
            now=service.clock.now(),
            key=key,
            wire=service.wire,
            path=parameters,
            query=http_request.query,
            body=decode_body(http_request.body, http_request.headers.get("content-type", "")),
            reservation=reservation,
            client_ip=http_request.client_ip,
            base_url=http_request.base_url,
        )
        result = route.handler(world, request)
    except BaseException:
        if reservation:
            world.credits.expire(reservation)
        raise
    entry.acted = route.acts
    if route.acts:
        service.executions.add(request.now, key.organization_id, entry, result)
    failed_after_acting = context.has_fault("error_500_after")
    if reservation and route.settles_later:
        entry.credits_reserved = cost
    elif reservation and failed_after_acting:
        world.credits.expire(reservation)
    elif reservation:
        entry.credits_charged = world.credits.confirm(reservation)
    if failed_after_acting:
        raise ServiceError(500, _INTERNAL_ERROR)
    if route.carries_balance:
        result = {**result, "platform": {"neuesGuthaben": world.credits.balance(key.organization_id)}}
    return HttpResponse(route.status, encode(result))


def _delay(service: Service, route: Route, context: _RequestContext) -> float:
    typical = route.slow if service.world.settings.realistic_durations else 0.0
    return typical + (context.fault.spec.seconds if context.fault and context.has_fault("slow") else 0.0)


def _apply_response_fault(context: _RequestContext, response: HttpResponse) -> None:
    """Apply a fault to the response, after processing."""
    if context.has_fault("malformed"):
        response.status, response.body = 200, response.body[: max(1, len(response.body) // 2)]
    elif context.has_fault("wrong_content_type"):
        response.status, response.body, response.content_type = 200, _HTML, "text/html; charset=utf-8"
    elif context.has_fault("truncated"):
        response.ending = "truncated"
    elif context.has_fault("answer_after") and context.fault:
        ordered = _ordered_answer(context.fault)
        response.status, response.body = ordered.status, ordered.body


def _ordered_answer(fault: Fault) -> HttpResponse:
    return HttpResponse(fault.spec.status, fault.spec.content.encode())


def _drop_connection(entry: LogEntry) -> HttpResponse:
    entry.status = "dropped"
    return HttpResponse(0, b"", ending="dropped")


def _body_for_log(http_request: HttpRequest) -> Any:
    """Return the parsed body, or its text if it is no JSON."""
    try:
        return decode_body(http_request.body, http_request.headers.get("content-type", ""))
    except ServiceError:
        return http_request.body.decode("utf-8", "replace")
