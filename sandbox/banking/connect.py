"""Handlers of the connect flow: start it, and complete it on the provider's webhook."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from connector.sandbox import assumptions
from connector.sandbox.banking.lifecycle import complete_connect, start_connect
from connector.sandbox.banking.state import CONNECT_MINUTES, BankConnection
from connector.sandbox.traffic.http_messages import ServiceError
from connector.sandbox.traffic.parameters import object_of, string_in
from connector.sandbox.traffic.routes import Request
from connector.sandbox.world import World


def post_connect(world: World, request: Request) -> Any:
    body, names = object_of({} if request.body is None else request.body), request.wire.connect_body
    bank = start_connect(
        world,
        request.key.organization_id,
        request.now,
        provider_code=string_in(body, names["provider_code"], default="") or None,
        country_code=string_in(body, names["country_code"], default="") or None,
        return_url=string_in(body, names["return_url"], default="") or None,
    )
    return {
        "data": {
            "connection_id": bank.id,
            "connect_url": f"{request.base_url}/sandbox/connect/{bank.pending_token}",
            "pending_token": bank.pending_token,
            "status": bank.status,
            "expires_at": bank.created_at + timedelta(minutes=CONNECT_MINUTES),
        }
    }


def receive_provider_webhook(world: World, request: Request) -> Any:
    """Complete the connect flow whose pending token the webhook names."""
    token = string_in(object_of(request.body), "pending_token")
    bank = complete_connect(world, find_pending(world, token), request.now)
    return {"data": {"received": True, "connection_id": bank.id}}


def find_pending(world: World, token: str) -> BankConnection:
    for bank in world.banking.connections.values():
        if bank.pending_token == token:
            return bank
    raise ServiceError(
        assumptions.UNKNOWN_STATUS,
        f"No connect flow with this pending token. Unfinished ones are removed after {CONNECT_MINUTES} minutes.",
    )
