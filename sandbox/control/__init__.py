"""The control interface under /sandbox/: changes the simulated data, without key or rate limit."""

from __future__ import annotations

import inspect

from connector.sandbox.control import bank_routes, connect_page_routes, fault_routes, settings_routes, state_routes
from connector.sandbox.control.control_route import ControlRequest, ControlRoute
from connector.sandbox.service import Service
from connector.sandbox.traffic.http_messages import HttpRequest, HttpResponse, ServiceError, encode
from connector.sandbox.traffic.routes import RouteTable


def _list_routes(request: ControlRequest) -> object:
    return {"routes": [{"method": route.method, "path": route.path, "does": route.help} for route in ROUTES]}


ROUTES: tuple[ControlRoute, ...] = (
    ControlRoute("GET", "/sandbox/", "this list", _list_routes),
    *state_routes.ROUTES,
    *settings_routes.ROUTES,
    *bank_routes.ROUTES,
    *fault_routes.ROUTES,
    *connect_page_routes.ROUTES,
)
_ROUTE_TABLE = RouteTable(ROUTES)


async def handle_control_request(service: Service, http_request: HttpRequest) -> HttpResponse:
    service.run_due()
    try:
        route, parameters = _ROUTE_TABLE.find(
            http_request.method, "/sandbox/" if http_request.path == "/sandbox" else http_request.path
        )
        result = route.handler(ControlRequest(service, parameters, http_request.query, http_request.body))
        if inspect.isawaitable(result):
            result = await result
    except ServiceError as error:
        return HttpResponse(error.status, encode(error.body))
    if http_request.method != "GET":
        service.run_due()
        service.notify_changed()
    return result if isinstance(result, HttpResponse) else HttpResponse(200, encode(result))
