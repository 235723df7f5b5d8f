"""Adds a further organisation, with two API keys, a bank account that can pay, and a ledger connection."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from uuid import NAMESPACE_URL, uuid5

from msgspec import Struct

from connector.sandbox.access.api_keys import ApiKey
from connector.sandbox.assumptions import CONSENT_DAYS
from connector.sandbox.banking.sepa import german_iban
from connector.sandbox.banking.state import OWNER_USER, BankAccount, BankConnection
from connector.sandbox.ledger.state import LedgerConnection
from connector.sandbox.traffic.http_messages import ServiceError
from connector.sandbox.world import World

_BANK_CODE, _FIRST_ACCOUNT_NUMBER = 70015000, 4_000_000
_LEDGER_CLIENT = "29098-10002"


class AddedOrganization(Struct):
    organization_id: str
    keys: tuple[str, str]
    account_id: str
    ledger_connection_id: str


def add_organization(world: World, name: str, credits: int, now: datetime) -> AddedOrganization:
    organization_id = str(uuid5(NAMESPACE_URL, f"sandbox/organization/{name}"))
    if organization_id in world.credits.balances:
        raise ServiceError(409, f"There is an organisation {name} already.")
    keys = (f"sandbox-{name}-key", f"sandbox-{name}-key-2")
    for text, label in zip(keys, (name, f"{name} second"), strict=True):
        world.keys[text] = ApiKey(text, label, organization_id)
    world.credits.balances[organization_id] = credits
    return AddedOrganization(
        organization_id,
        keys,
        _add_account(world, organization_id, name, now),
        _add_ledger_connection(world, organization_id, name, now),
    )


def _add_account(world: World, organization_id: str, name: str, now: datetime) -> str:
    banking = world.banking
    bank = BankConnection(
        id=banking.allocate_row_id(),
        organization_id=organization_id,
        provider_name="Stadtsparkasse München",
        provider_code="sskm_de",
        country_code="DE",
        status="active",
        owner_user_id=OWNER_USER,
        automatic_refresh=True,
        next_refresh_possible_at=now + timedelta(hours=2),
        created_at=now,
        updated_at=now,
        display_name=None,
        logo_url="https://logos.example/sskm_de.png",
        consent_expires_at=now + timedelta(days=CONSENT_DAYS),
    )
    banking.connections[bank.id] = bank
    account = BankAccount(
        id=banking.allocate_row_id(),
        connection_id=bank.id,
        name="Geschäftskonto",
        nature="account",
        balance=Decimal("10000.00"),
        currency_code="EUR",
        iban=german_iban(_BANK_CODE, _FIRST_ACCOUNT_NUMBER + len(banking.accounts)),
        holder_name=name,
        created_at=now,
        updated_at=now,
    )
    banking.accounts[account.id] = account
    return account.id


def _add_ledger_connection(world: World, organization_id: str, name: str, now: datetime) -> str:
    connection = LedgerConnection(
        id=str(uuid5(NAMESPACE_URL, f"sandbox/ledger/organization/{name}")),
        organization_id=organization_id,
        bezeichnung=name,
        status="connected",
        verbunden_seit=now,
        erstellt_am=now,
        modules=["duo", "rewe"],
        clients=[_LEDGER_CLIENT],
    )
    world.ledger.connections[connection.id] = connection
    return connection.id
