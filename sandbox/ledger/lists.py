"""Handlers for lists: connections, cash books, invoice folders, document types, payment terms."""

from __future__ import annotations

from typing import Any, get_args

from connector.sandbox.ledger.access import client_of, is_visible, readable_client, working_ledger_connection
from connector.sandbox.ledger.query import named_fiscal_year, to_json
from connector.sandbox.ledger.state import FolderType, LedgerClient, LedgerConnection, Module
from connector.sandbox.traffic.parameters import choice_of
from connector.sandbox.traffic.routes import Request
from connector.sandbox.world import World


def duo_connections(world: World, request: Request) -> dict[str, Any]:
    return _connections(world, request, "duo")


def rewe_connections(world: World, request: Request) -> dict[str, Any]:
    return _connections(world, request, "rewe")


def _connections(world: World, request: Request, module: Module) -> dict[str, Any]:
    rows = world.ledger.connections.values()
    return {"connections": [_connection_item(row) for row in rows if is_visible(row, request, module)]}


def _connection_item(row: LedgerConnection) -> dict[str, Any]:
    return {
        "id": row.id,
        "bezeichnung": row.bezeichnung,
        "status": row.status,
        "verbunden_seit": to_json(row.verbunden_seit),
        "erstellt_am": to_json(row.erstellt_am),
    }


def _duo_client(world: World, request: Request) -> LedgerClient:
    return client_of(world, request, working_ledger_connection(world, request, "duo"))


def cash_books(world: World, request: Request) -> dict[str, Any]:
    return {"data": [{"bezeichnung": name} for name in _duo_client(world, request).cash_books]}


def invoice_folders(world: World, request: Request) -> dict[str, Any]:
    client = _duo_client(world, request)
    wanted = choice_of(request.query, request.wire.name("folders.type"), get_args(FolderType))
    return {"data": [to_json(folder) for folder in client.folders if wanted in (None, folder.ordnertyp)]}


def document_types(world: World, request: Request) -> dict[str, Any]:
    return {"data": to_json(_duo_client(world, request).document_types)}


def payment_terms(world: World, request: Request) -> dict[str, Any]:
    client = readable_client(world, request)
    return {"data": to_json(named_fiscal_year(request, client).payment_terms)}
