"""State changes of a bank connection: connect, refresh, fail, end of consent, reconnect, destroy."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from random import Random

from connector.sandbox import assumptions
from connector.sandbox.banking import events
from connector.sandbox.banking.payment_states import FINAL, next_status, set_status
from connector.sandbox.banking.sepa import german_iban
from connector.sandbox.banking.state import CONNECT_MINUTES, OWNER_USER, BankAccount, BankConnection, RefreshType
from connector.sandbox.banking.transaction_store import add_random_transactions
from connector.sandbox.clock import Timer
from connector.sandbox.traffic.http_messages import ServiceError
from connector.sandbox.world import World

_REFRESH_HOURS = 6


def start_connect(
    world: World,
    organization_id: str,
    now: datetime,
    *,
    provider_code: str | None,
    country_code: str | None,
    return_url: str | None,
) -> BankConnection:
    row_id = world.banking.allocate_row_id()
    bank = BankConnection(
        id=row_id,
        organization_id=organization_id,
        provider_code=provider_code,
        country_code=country_code,
        status="pending_connect",
        created_at=now,
        updated_at=now,
        pending_token=f"pending-{Random(f'{world.seed}/{row_id}').getrandbits(96):024x}",
        return_url=return_url,
    )
    world.banking.connections[bank.id] = bank
    world.timers.add(now + timedelta(minutes=CONNECT_MINUTES), "connect_cleanup", bank.id)
    return bank


def complete_connect(world: World, placeholder: BankConnection, now: datetime) -> BankConnection:
    """Replace the placeholder by a real bank connection with an account and transactions."""
    if placeholder.status != "pending_connect":
        raise ServiceError(409, f"Bank connection {placeholder.id} is {placeholder.status}, not pending_connect.")
    banking = world.banking
    del banking.connections[placeholder.id]
    provider_code = placeholder.provider_code or "musterbank_de"
    bank = BankConnection(
        id=banking.allocate_row_id(),
        organization_id=placeholder.organization_id,
        provider_name=provider_code.rsplit("_", 1)[0].replace("_", " ").title(),
        provider_code=provider_code,
        country_code=placeholder.country_code or "DE",
        status=assumptions.STATUS_AFTER_CONNECT,
        owner_user_id=OWNER_USER,
        automatic_refresh=True,
        next_refresh_possible_at=now + timedelta(hours=_REFRESH_HOURS),
        created_at=now,
        updated_at=now,
        logo_url=f"https://logos.example/{provider_code}.png",
        consent_expires_at=now + timedelta(days=assumptions.CONSENT_DAYS),
    )
    banking.connections[bank.id] = bank
    account_id = banking.allocate_row_id()
    account = BankAccount(
        id=account_id,
        connection_id=bank.id,
        name="Geschäftskonto",
        nature="account",
        balance=Decimal("2500.00"),
        currency_code="EUR",
        iban=german_iban(20050000, int(account_id) % 10**10),
        holder_name="Nordlicht Fahrradhandel GmbH",
        created_at=now,
        updated_at=now,
    )
    banking.accounts[account.id] = account
    add_random_transactions(banking, account, now, 5)
    schedule_consent_end(world, bank)
    events.refresh_complete(world, bank, "manual", now)
    return bank


def refresh(
    world: World, bank: BankConnection, now: datetime, transactions: int, refresh_type: RefreshType
) -> list[str]:
    """Add transactions to all accounts in turn, send `refresh_complete`, and return the new ids."""
    accounts = world.banking.accounts_of(bank.id)
    if not accounts:
        raise ServiceError(409, f"Bank connection {bank.id} has no accounts to refresh.")
    arrived = [
        transaction.id
        for number in range(transactions)
        for transaction in add_random_transactions(world.banking, accounts[number % len(accounts)], now, 1)
    ]
    bank.updated_at = now
    bank.next_refresh_possible_at = now + timedelta(hours=_REFRESH_HOURS)
    for account in accounts:
        account.updated_at = now
    events.refresh_complete(world, bank, refresh_type, now)
    return arrived


def fail(world: World, bank: BankConnection, now: datetime, error_class: str, error_message: str) -> None:
    bank.status = "inactive"
    bank.error_class, bank.error_message, bank.updated_at = error_class, error_message, now
    events.connection_error(world, bank, "automatic", now)


def end_consent(world: World, bank: BankConnection, now: datetime) -> None:
    bank.consent_expires_at = min(bank.consent_expires_at or now, now)
    fail(world, bank, now, assumptions.CONSENT_ERROR_CLASS, "The PSD2 consent has expired.")


def reconnect(world: World, bank: BankConnection, now: datetime) -> None:
    """Renew the consent, and set the owner if it is missing."""
    bank.status = "active"
    bank.error_class = bank.error_message = None
    bank.owner_user_id = bank.owner_user_id or OWNER_USER
    bank.consent_expires_at = now + timedelta(days=assumptions.CONSENT_DAYS)
    bank.updated_at = now
    schedule_consent_end(world, bank)
    events.refresh_complete(world, bank, "manual", now)


def destroy(world: World, bank: BankConnection, now: datetime) -> None:
    del world.banking.connections[bank.id]
    for account in world.banking.accounts_of(bank.id):
        del world.banking.accounts[account.id]
    events.connection_destroyed(world, bank, "manual", now)


def schedule_consent_end(world: World, bank: BankConnection) -> None:
    if bank.consent_expires_at is not None:
        world.timers.add(bank.consent_expires_at, "consent_end", bank.id)


def run_timer(world: World, timer: Timer) -> None:
    """Run the action of a timer, unless it no longer applies."""
    if timer.kind == "payment_step":
        payment = world.banking.payments.get(timer.subject)
        if payment is not None and payment.status not in FINAL:
            set_status(world, payment, next_status(payment), timer.at)
        return
    bank = world.banking.connections.get(timer.subject)
    if bank is None:
        return
    if timer.kind == "connect_cleanup" and bank.status == "pending_connect":
        del world.banking.connections[bank.id]
    elif timer.kind == "consent_end" and bank.status == "active" and bank.consent_expires_at == timer.at:
        end_consent(world, bank, timer.at)
