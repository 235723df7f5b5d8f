"""The control interface under /sandbox/: no key, no limits, JSON. It moves the world that the service shows."""

from __future__ import annotations

import inspect

from sandbox import encoding
from sandbox.control import banks, connect_page, looking, mishaps, tuning
from sandbox.control.route import ControlRoute, Order
from sandbox.errors import ServiceError
from sandbox.messages import Answer, Call
from sandbox.routing import RouteTable
from sandbox.service import Service


def _index(order: Order) -> object:
    return {"routes": [{"method": one.method, "path": one.path, "does": one.line} for one in ROUTES]}


ROUTES: tuple[ControlRoute, ...] = (
    ControlRoute("GET", "/sandbox/", "this list", _index),
    *looking.ROUTES,
    *tuning.ROUTES,
    *banks.ROUTES,
    *mishaps.ROUTES,
    *connect_page.ROUTES,
)
_TABLE = RouteTable(ROUTES)


async def answer_control(service: Service, call: Call) -> Answer:
    service.run_due()
    try:
        route, parameters = _TABLE.find(call.method, "/sandbox/" if call.path == "/sandbox" else call.path)
        result = route.handler(Order(service, parameters, call.query, call.body))
        if inspect.isawaitable(result):
            result = await result
    except ServiceError as refusal:
        return Answer(refusal.status, encoding.encode(refusal.body))
    if call.method != "GET":
        service.run_due()
        service.changed()
    return result if isinstance(result, Answer) else Answer(200, encoding.encode(result))
