"""Demo payments in every status."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from random import Random

from connector.sandbox.banking.iban import german_iban
from connector.sandbox.banking.state import BankingState, Payment

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
