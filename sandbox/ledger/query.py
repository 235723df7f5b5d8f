"""Reads ledger requests: query parameters, and bodies as structs with exact amounts."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any, TypeVar

import msgspec

from connector.sandbox.ledger.assumptions import DEFAULT_QUELLE
from connector.sandbox.ledger.state import FiscalYear, LedgerClient
from connector.sandbox.traffic.http_messages import ServiceError
from connector.sandbox.traffic.parameters import date_of, text_of
from connector.sandbox.traffic.routes import Request

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


T = TypeVar("T", bound=msgspec.Struct)


def parse_body(body: Any, kind: type[T]) -> T:
    """Convert a body to a struct, or raise an error that names the field."""
    if not isinstance(body, dict):
        raise ServiceError(400, "a JSON object is required as body")
    try:
        # Decimal as a builtin type: an amount must be a JSON number, not text.
        return msgspec.convert(body, kind, builtin_types=(Decimal,))
    except msgspec.ValidationError as problem:
        raise ServiceError(400, str(problem).replace("`$.", "`")) from None


def to_json(value: Any) -> Any:
    """Convert to JSON values; dates become ISO text, amounts stay Decimal."""
    return msgspec.to_builtins(value, builtin_types=(Decimal,))


def without_nulls(value: Any, nullable: frozenset[str] = frozenset()) -> Any:
    """Remove nulls from fields that are not described as nullable."""
    if isinstance(value, dict):
        return {
            name: without_nulls(item, nullable) for name, item in value.items() if item is not None or name in nullable
        }
    return [without_nulls(item, nullable) for item in value] if isinstance(value, list) else value
