"""Query parameters of ledger requests."""

from __future__ import annotations

from datetime import date

from connector.sandbox.errors import ServiceError
from connector.sandbox.ledger.assumptions import DEFAULT_QUELLE
from connector.sandbox.ledger.state import FiscalYear, LedgerClient
from connector.sandbox.parameters import date_of, text_of
from connector.sandbox.request import Request

FISCAL_YEAR = "geschaeftsjahrStartDatum"


def required_text(request: Request, name: str) -> str:
    text = text_of(request.query, name)
    if text is None:
        raise ServiceError(400, f"missing required parameter: {name}")
    return text


def quelle(request: Request) -> str:
    """Return the label of the caller."""
    return text_of(request.query, "quelle") or DEFAULT_QUELLE


def named_fiscal_year(request: Request, client: LedgerClient) -> FiscalYear:
    """Return the fiscal year named in the query by its first day."""
    start = date_of(request.query, FISCAL_YEAR)
    if start is None:
        raise ServiceError(400, f"missing required parameter: {FISCAL_YEAR}")
    return fiscal_year(client, start)


def fiscal_year(client: LedgerClient, start: date) -> FiscalYear:
    for year in client.fiscal_years:
        if year.start == start:
            return year
    raise ServiceError(400, f"{FISCAL_YEAR}: no fiscal year of client {client.id} begins on {start}")
