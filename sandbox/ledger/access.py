"""Finds the ledger connection and client of a request, or raises the provider's errors."""

from __future__ import annotations

import re
from typing import Any, cast, get_args
from uuid import UUID

from connector.sandbox.ledger import assumptions
from connector.sandbox.ledger.query import required_text
from connector.sandbox.ledger.state import (
    EXPORT_SERVICE,
    ErrorMode,
    LedgerClient,
    LedgerConnection,
    LedgerState,
    Module,
)
from connector.sandbox.traffic.http_messages import ServiceError
from connector.sandbox.traffic.parameters import text_of
from connector.sandbox.traffic.routes import Request
from connector.sandbox.world import World

_CLIENT_ID = re.compile(r"[0-9]+-[0-9]+", re.ASCII)
_DASHBOARD = "https://dashboard.example.com/ledger/connections"


def break_connection(state: LedgerState, ledger_connection_id: str, code: str | None) -> None:
    """Make a ledger connection fail with a ledger error code or `export_403`; None repairs it."""
    state.connections[ledger_connection_id].broken = None if code is None else _parse_error_mode(code)


def _parse_error_mode(code: str) -> ErrorMode:
    for known in get_args(ErrorMode):
        if code == known:
            return cast(ErrorMode, known)
    raise ValueError(f"unknown code {code!r}, expected one of {', '.join(get_args(ErrorMode))}")


def is_visible(connection: LedgerConnection, request: Request, module: Module) -> bool:
    """Whether the ledger connection belongs to the organisation and the module."""
    return module in connection.modules and connection.organization_id == request.key.organization_id


def find_ledger_connection(world: World, request: Request, module: Module) -> LedgerConnection:
    """Return the ledger connection named in the query, broken or not."""
    name = request.wire.name("ledger.connection")
    if name is None:
        # Without such a parameter only one connection can be meant.
        return next(row for row in world.ledger.connections.values() if is_visible(row, request, module))
    text = required_text(request, name)
    try:
        identity = str(UUID(text))
    except ValueError:
        raise ServiceError(400, f"{name} must be a UUID, got {text!r}") from None
    connection: LedgerConnection | None = world.ledger.connections.get(identity)
    if connection is None or not is_visible(connection, request, module):
        raise ServiceError(assumptions.STATUS_UNKNOWN, f"ledger connection {identity} not found for this module")
    if connection.status == "pending":
        raise ServiceError(
            assumptions.STATUS_PENDING, "the ledger connection is still pending: finish connecting it first"
        )
    return connection


def working_ledger_connection(world: World, request: Request, module: Module) -> LedgerConnection:
    """Return the ledger connection named in the query, or raise its error."""
    connection = find_ledger_connection(world, request, module)
    match connection.broken:
        case "ledger_connection_invalid":
            raise ServiceError(
                assumptions.STATUS_CONNECTION_INVALID,
                "the ledger connection is no longer valid",
                message="the account key has expired or was revoked",
                code=connection.broken,
                reconnectUrl=f"{_DASHBOARD}/{connection.id}/reconnect",
            )
        case "ledger_export_service_missing":
            default = world.ledger.clients[connection.clients[0]]
            raise ServiceError(
                assumptions.STATUS_EXPORT_SERVICE_MISSING,
                "the client has not booked the provider service this call needs",
                code=connection.broken,
                activeSubscriptions=[booked for booked in default.active_subscriptions if booked != EXPORT_SERVICE],
            )
        case "ledger_endpoint_not_authorized":
            raise ServiceError(
                assumptions.STATUS_ENDPOINT_NOT_AUTHORIZED,
                "the authenticated user lacks the provider's right for this endpoint",
                code=connection.broken,
            )
    return connection


def client_of(world: World, request: Request, connection: LedgerConnection) -> LedgerClient:
    """Return the client named in the query, or the default client."""
    name = request.wire.name("ledger.client")
    text = text_of(request.query, name)
    if text is None:
        text = connection.clients[0]
    elif not _CLIENT_ID.fullmatch(text):
        raise ServiceError(400, f"{name} must look like <advisor_number>-<client_number>, got {text!r}")
    client: LedgerClient | None = world.ledger.clients.get(text) if text in connection.clients else None
    if client is None:
        raise ServiceError(assumptions.STATUS_UNKNOWN, f"client {text} not found in this ledger connection")
    return client


def readable_client(world: World, request: Request) -> LedgerClient:
    """Return the client, or raise if its export subscription is missing."""
    connection = working_ledger_connection(world, request, "rewe")
    client = client_of(world, request, connection)
    if connection.broken == "export_403" and client.id == connection.clients[0]:
        raise ServiceError(
            assumptions.STATUS_DEFAULT_CLIENT_WITHOUT_EXPORT,
            f"the provider refused: no export subscription for {client.id}",
        )
    return client


def provider_answer(world: World, usual: dict[str, Any]) -> dict[str, Any]:
    """Return the usual answer, or one that reports something unusual or an error."""
    wanted = world.settings.provider_answer
    if wanted == "success":
        return usual
    status, kind, text = assumptions.RESULTS[wanted]
    first = {**usual["meldungen"][0], "nachricht": text, "typ": kind}
    return {**usual, "status": status, "meldungen": [first, *usual["meldungen"][1:]]}
