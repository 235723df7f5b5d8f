"""Handler for the permissions check: one entry per area."""

from __future__ import annotations

from typing import Any

from connector.sandbox.ledger.access import find_ledger_connection
from connector.sandbox.ledger.state import LedgerConnection
from connector.sandbox.traffic.routes import Request
from connector.sandbox.world import World

MASTER_DATA = "stammdaten"
PLAIN_AREAS = ("belege", "kassenbuch")
FISCAL_YEAR_AREAS = ("personenkonten", "zahlungsbedingungen", "susa", "buchungen")
"""Areas that need a fiscal year's start date from the master data."""

_EXPORT_AREAS = ("zahlungsbedingungen", "susa", "buchungen")


def permissions(world: World, request: Request) -> dict[str, Any]:
    connection = find_ledger_connection(world, request, "rewe")
    master_data = provider_status(connection, MASTER_DATA)
    entries = {MASTER_DATA: probe_entry(master_data)}
    entries |= {area: probe_entry(provider_status(connection, area)) for area in PLAIN_AREAS}
    for area in FISCAL_YEAR_AREAS:
        entries[area] = probe_entry(provider_status(connection, area) if master_data == 200 else None)
    return {"data": entries}


def provider_status(connection: LedgerConnection, area: str) -> int:
    """Return the provider's HTTP status for an area of this ledger connection."""
    match connection.broken:
        case "ledger_connection_invalid":
            return 401
        case "ledger_endpoint_not_authorized":
            return 200 if area == MASTER_DATA else 403
        case "ledger_export_service_missing" | "export_403":
            return 403 if area in _EXPORT_AREAS else 200
    return connection.master_data_status if area == MASTER_DATA else 200


def probe_entry(status: int | None) -> dict[str, Any]:
    """Classify a provider status; None means not checked."""
    match status:
        case None:
            return _entry("unknown", None, None, "not checked: the start of the fiscal year is not known")
        case 200:
            return _entry("ok", 200, None, None)
        case 401:
            return _entry("expired", 401, "UNAUTHORIZED", "account key expired or revoked")
        case 403:
            return _entry("permission", 403, "FORBIDDEN", "the right for this area is missing")
    return _entry("error", status, "PROVIDER_ERROR", "the provider failed")


def _entry(status: str, http_status: int | None, kind: str | None, message: str | None) -> dict[str, Any]:
    return {"status": status, "httpStatus": http_status, "maesnType": kind, "message": message}
