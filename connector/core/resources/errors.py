"""What the service sends instead of an answer, and the entries of its permission probe."""

# ruff: noqa: N815 - the wire's names are in camel case
from __future__ import annotations

from typing import Annotated, Any

from connector.core.resources.model import Given, Known, Resource, UriText

LedgerErrorCode = Annotated[
    str, Known(("ledger_connection_invalid", "ledger_export_service_missing", "ledger_endpoint_not_authorized"))
]
PermissionStatus = Annotated[str, Known(("ok", "permission", "expired", "error", "unknown"))]


class ErrorBody(Resource):
    """The body of every refusal."""

    error: Given[str] = None


class LedgerErrorBody(ErrorBody):
    """What ledger endpoints may add: `code` is set only when the cause is clearly recognised."""

    required_by_the_service = ("error",)

    message: Given[str] = None
    code: Given[LedgerErrorCode] = None
    reconnectUrl: Given[UriText] = None
    activeSubscriptions: Given[list[str]] = None
    details: Given[dict[str, Any]] = None


class RvoCheck(Resource):
    """One area's entry in the permission probe."""

    required_by_the_service = ("status",)

    status: Given[PermissionStatus] = None
    httpStatus: int | None = None
    maesnType: str | None = None
    message: str | None = None
