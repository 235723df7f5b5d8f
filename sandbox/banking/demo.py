"""The demo data of the banking area: bank connections, accounts, transactions, and payments in every status."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random

from connector.sandbox.access.api_keys import ORGANIZATION
from connector.sandbox.banking.demo_transactions import add_demo_transactions
from connector.sandbox.banking.sepa import german_iban
from connector.sandbox.banking.state import (
    CONNECT_MINUTES,
    OWNER_USER,
    Api,
    BankAccount,
    BankConnection,
    BankingState,
    ConnectionStatus,
    Payment,
)
from connector.sandbox.clock import Timers

_STATUSES = (
    ("settled", "ACCC"),
    ("settled", "ACCC"),
    ("rejected", "RJCT"),
    ("settled", "ACSC"),
    ("settled", "ACCC"),
    ("failed", "CANC"),
    ("settled", "ACCC"),
    ("executed", "ACSC"),
    ("processing", "ACSP"),
    ("authorized", "ACTC"),
    ("authorizing", "RCVD"),
    ("initiated_info_required", None),
    ("initiated", None),
)
_CREDITORS = (
    ("Kettenwerk Teile GmbH", 44050199, 1004417),
    ("Velofabrik Münster AG", 40050150, 22110048),
    ("Reifen Deichmann KG", 21450000, 105599),
    ("Nordsattel Manufaktur", 20690500, 7781200),
)


def add_demo_payments(banking: BankingState, now: datetime, rng: Random, account_ids: Sequence[str]) -> None:
    """Add one payment per row of _STATUSES, without credit reservations."""
    for number, (status, code) in enumerate(_STATUSES):
        account = banking.accounts[account_ids[number % len(account_ids)]]
        bank = banking.connections[account.connection_id]
        name, bank_code, account_number = rng.choice(_CREDITORS)
        created_at = now - timedelta(days=2.5 * (len(_STATUSES) - number - 1), minutes=rng.randint(1, 300))
        payment = Payment(
            id=str(banking.next_payment_id),
            organization_id=bank.organization_id,
            status=status,
            raw_provider_status=code,
            connection_id=bank.id,
            account_id=account.id,
            provider_code=bank.provider_code,
            provider_name=bank.provider_name,
            template_identifier="SEPA_INSTANT" if number % 5 == 4 else "SEPA",
            amount=Decimal(rng.randint(4_500, 189_000)).scaleb(-2),
            currency_code="EUR",
            creditor_name=name,
            creditor_iban=german_iban(bank_code, account_number),
            debtor_iban=account.iban,
            end_to_end_id=f"NL-{number + 1:04d}",
            description=f"Rechnung {rng.randint(20000, 99999)}",
            reference=f"K-{rng.randint(100, 999)}",
            created_at=created_at,
            updated_at=created_at + timedelta(minutes=7),
            custom_fields={"vorgang": f"EK-{number + 1}"} if number % 3 == 0 else None,
            customer_ip_address="203.0.113.20",
        )
        banking.next_payment_id += 1
        banking.payments[payment.id] = payment


HOLDER = "Nordlicht Fahrradhandel GmbH"

HOUSE_BANK = "111483902742913201"
ENDING_SOON = "111483902742913202"
EXPIRED = "111483902742913203"
DISABLED = "111483902742913204"
PENDING = "111483902742913205"
UNFINISHED = "111483902742913206"

MAIN_ACCOUNT = "222483902742913301"
SAVINGS = "222483902742913302"
SECOND_ACCOUNT = "222483902742913303"
EXPIRED_ACCOUNT = "222483902742913304"
WALLET = "222483902742913305"
AGENCY_ACCOUNTS = (MAIN_ACCOUNT, SECOND_ACCOUNT)

# Ids exceed 2^53 and gain a digit within the demo data, to catch clients that read them as floats or compare them as
# text.
_FIRST_TRANSACTION = 999_999_999_999_999_750
_FIRST_PAYMENT = 9_999_999_999_999_994
_FIRST_ROW = 333_483_902_742_913_400
_BEFORE_OWNER_WAS_STORED = datetime(2025, 3, 4, 9, 12, tzinfo=UTC)


def demo_banking(seed: int, now: datetime, timers: Timers) -> BankingState:
    banking = BankingState(
        next_transaction_id=_FIRST_TRANSACTION, next_payment_id=_FIRST_PAYMENT, next_row_id=_FIRST_ROW
    )
    _add_banks(banking, now)
    _add_accounts(banking, now)
    rng = add_demo_transactions(
        banking,
        now,
        f"banking/{seed}",
        {MAIN_ACCOUNT: 230, SECOND_ACCOUNT: 90, SAVINGS: 12, EXPIRED_ACCOUNT: 50, WALLET: 30},
    )
    for account in banking.accounts.values():
        account.updated_at = _last_refresh(banking.connections[account.connection_id], now)
    add_demo_payments(banking, now, rng, (MAIN_ACCOUNT, SECOND_ACCOUNT))
    for bank in banking.connections.values():
        if bank.status == "active" and bank.consent_expires_at is not None:
            timers.add(bank.consent_expires_at, "consent_end", bank.id)
        elif bank.status == "pending_connect":
            timers.add(bank.created_at + timedelta(minutes=CONNECT_MINUTES), "connect_cleanup", bank.id)
    return banking


def _add_banks(banking: BankingState, now: datetime) -> None:
    def add(
        row_id: str,
        name: str,
        code: str,
        status: ConnectionStatus,
        consent: timedelta,
        *,
        created_at: datetime = now - timedelta(days=100),
        owner_user_id: str | None = OWNER_USER,
        display_name: str | None = None,
        error: tuple[str, str] = ("", ""),
        api: Api = "partner",
        supports_payments: bool = True,
    ) -> None:
        banking.connections[row_id] = BankConnection(
            id=row_id,
            organization_id=ORGANIZATION,
            provider_name=name,
            provider_code=code,
            country_code="DE",
            status=status,
            owner_user_id=owner_user_id,
            automatic_refresh=status == "active",
            next_refresh_possible_at=now + timedelta(hours=2),
            created_at=created_at,
            updated_at=now - timedelta(hours=4),
            display_name=display_name,
            logo_url=f"https://logos.example/{code}.png",
            consent_expires_at=now + consent,
            error_class=error[0] or None,
            error_message=error[1] or None,
            api=api,
            supports_payments=supports_payments,
        )

    add(HOUSE_BANK, "Hamburger Sparkasse", "haspa_de", "active", timedelta(days=80), display_name="Hausbank")
    add(
        ENDING_SOON,
        "GLS Gemeinschaftsbank",
        "gls_de",
        "active",
        timedelta(days=6),
        created_at=_BEFORE_OWNER_WAS_STORED,
        owner_user_id=None,
    )
    add(
        EXPIRED,
        "Commerzbank",
        "commerzbank_de",
        "inactive",
        -timedelta(days=11),
        error=("InvalidCredentials", "The PSD2 consent has expired."),
    )
    add(
        DISABLED,
        "Zahlwerk Wallet",
        "zahlwerk_de",
        "disabled",
        timedelta(days=30),
        error=("ProviderError", "The provider is not available at the moment."),
        api="openbanking",
        supports_payments=False,
    )
    add(PENDING, "Deutsche Bank", "deutsche_bank_de", "pending", timedelta(days=180), created_at=now)
    banking.connections[UNFINISHED] = BankConnection(
        id=UNFINISHED,
        organization_id=ORGANIZATION,
        provider_code="n26_de",
        country_code="DE",
        status="pending_connect",
        created_at=now,
        updated_at=now,
        pending_token="pending-demo-n26",  # noqa: S106  a demo value, printed in the control interface
    )


def _add_accounts(banking: BankingState, now: datetime) -> None:
    rows = (
        (MAIN_ACCOUNT, HOUSE_BANK, "Geschäftskonto", "account", "38211.07", 20050550, 1280044117),
        (SAVINGS, HOUSE_BANK, "Tagesgeld", "savings", "25000.00", 20050550, 1280044125),
        (SECOND_ACCOUNT, ENDING_SOON, "Werkstatt", "account", "9120.44", 43060967, 2034417800),
        (EXPIRED_ACCOUNT, EXPIRED, "Altes Konto", "account", "2210.90", 20040000, 622144100),
        (WALLET, DISABLED, "Online-Shop", "ewallet", "1450.15", 70012300, 990012),
    )
    for account_id, connection_id, name, nature, balance, bank_code, number in rows:
        banking.accounts[account_id] = BankAccount(
            id=account_id,
            connection_id=connection_id,
            name=name,
            nature=nature,
            balance=Decimal(balance),
            currency_code="EUR",
            iban=german_iban(bank_code, number),
            holder_name=HOLDER,
            created_at=banking.connections[connection_id].created_at,
            updated_at=now - timedelta(hours=4),
            can_hide=nature != "account",
        )


def _last_refresh(bank: BankConnection, now: datetime) -> datetime:
    """When the accounts of a bank connection were last brought up to date: not after its consent had ended."""
    usual = now - timedelta(hours=4)
    return min(usual, bank.consent_expires_at) if bank.consent_expires_at is not None else usual
