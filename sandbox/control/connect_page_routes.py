"""The page of a connect URL, with a button that completes the connect flow."""

from __future__ import annotations

from html import escape
from typing import Any
from urllib.parse import urlsplit

from connector.sandbox.banking.connect import find_pending
from connector.sandbox.banking.lifecycle import complete_connect
from connector.sandbox.control.control_route import ControlRequest, ControlRoute
from connector.sandbox.traffic.http_messages import HttpResponse

_PAGE = """<!doctype html><meta charset="utf-8"><title>Sandbox bank</title>
<h1>{bank}</h1><p>Nordlicht Fahrradhandel GmbH asks to read accounts and to initiate payments.</p>
<form method="post"><button>Confirm</button></form>"""


def show(request: ControlRequest) -> Any:
    bank = find_pending(request.service.world, request.path["token"])
    page = _PAGE.format(bank=escape(bank.provider_code or "Musterbank"))
    return HttpResponse(200, page.encode(), "text/html; charset=utf-8")


def confirm(request: ControlRequest) -> Any:
    placeholder = find_pending(request.service.world, request.path["token"])
    bank = complete_connect(request.service.world, placeholder, request.service.clock.now())
    return_url = placeholder.return_url
    if (
        return_url
        and return_url.isascii()
        and return_url.isprintable()
        and urlsplit(return_url).scheme in ("http", "https")
    ):
        return HttpResponse(303, b"", headers=[("Location", return_url)])
    return {"data": bank}


ROUTES = (
    ControlRoute("GET", "/sandbox/connect/{token}", "the page a connect URL leads to", show),
    ControlRoute("POST", "/sandbox/connect/{token}", "confirm there: the bank connection comes into being", confirm),
)
