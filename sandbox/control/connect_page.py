"""The page a connect URL leads to: the bank's side of a connect flow, in one button."""

from __future__ import annotations

from html import escape
from typing import Any
from urllib.parse import urlsplit

from sandbox.banking.connect import pending
from sandbox.banking.lifecycle import complete_connect
from sandbox.control.route import ControlRoute, Order
from sandbox.messages import Answer

_PAGE = """<!doctype html><meta charset="utf-8"><title>Sandbox bank</title>
<h1>{bank}</h1><p>Nordlicht Fahrradhandel GmbH asks to read accounts and to initiate payments.</p>
<form method="post"><button>Confirm</button></form>"""


def show(order: Order) -> Any:
    bank = pending(order.service.world, order.path["token"])
    page = _PAGE.format(bank=escape(bank.provider_code or "Musterbank"))
    return Answer(200, page.encode(), "text/html; charset=utf-8")


def confirm(order: Order) -> Any:
    placeholder = pending(order.service.world, order.path["token"])
    bank = complete_connect(order.service.world, placeholder, order.service.clock.now())
    return_url = placeholder.return_url
    if (
        return_url
        and return_url.isascii()
        and return_url.isprintable()
        and urlsplit(return_url).scheme in ("http", "https")
    ):
        return Answer(303, b"", headers=[("Location", return_url)])
    return {"data": bank}


ROUTES = (
    ControlRoute("GET", "/sandbox/connect/{token}", "the page a connect URL leads to", show),
    ControlRoute("POST", "/sandbox/connect/{token}", "confirm there: the bank connection comes into being", confirm),
)
