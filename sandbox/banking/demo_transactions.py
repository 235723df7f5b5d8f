"""Four months of demo transactions of a bicycle shop, the same for the same seed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from random import Random
from typing import Any, NamedTuple

from connector.sandbox.banking.sepa import write_purpose
from connector.sandbox.banking.state import BankingState
from connector.sandbox.banking.transaction_store import add_transaction

_SPAN = timedelta(days=120)
_PENDING_SPAN = timedelta(days=4)
_LATE_SHARE, _DUPLICATE_SHARE = 0.04, 0.02

_CUSTOMERS = (
    "Elbkurier Logistik GmbH",
    "Stadtreinigung Altona",
    "Hansen & Söhne OHG",
    "Kita Farbenfroh e.V.",
    "Marten Petersen",
    "Fahrschule Alsterblick",
    "Ayşe Yıldız",
    "Wohnprojekt Hafenkante eG",
)
_SUPPLIERS = (
    "Kettenwerk Teile GmbH",
    "Velofabrik Münster AG",
    "Reifen Deichmann KG",
    "Nordsattel Manufaktur",
    "Packpapier Lübeck GmbH",
)


class _DirectDebit(NamedTuple):
    creditor: str
    creditor_id: str
    mandate: str
    purpose: str
    low: int
    high: int
    category: str


_DIRECT_DEBITS = (
    _DirectDebit("Nordstrom Energie", "DE98ZZZ00000431207", "M-77120", "Abschlag Strom", 18900, 18900, "utilities"),
    _DirectDebit("Telefon Nord AG", "DE55ZZZ00000118844", "TN-00417", "Rechnung Telefon", 5995, 7420, "utilities"),
    _DirectDebit("Versicherung Hansa", "DE12ZZZ00000550001", "VH-2231", "Inhaltsversicherung", 8450, 8450, "insurance"),
    _DirectDebit("Finanzamt Hamburg", "DE44ZZZ00000700300", "FA-48", "Umsatzsteuer", 90000, 260000, "taxes"),
)


class _TransactionDraft(NamedTuple):
    amount: Decimal
    description: str
    counterparty: str
    category: str
    mode: str = "normal"
    end_to_end_id: str | None = None


class _Arrival(NamedTuple):
    account_id: str
    after: timedelta
    """Since the first day."""
    lateness: timedelta
    pending: bool
    duplicated: bool
    draft: _TransactionDraft


def add_demo_transactions(banking: BankingState, now: datetime, seed: str, counts: Mapping[str, int]) -> Random:
    """Add `counts` transactions per account, all accounts mixed in order of arrival; return what goes on drawing."""
    arrivals, drawn = _arrivals(seed, tuple(counts.items()))
    first = now - _SPAN
    for account_id, after, lateness, pending, duplicated, draft in arrivals:
        arrived_at = first + after
        add_transaction(
            banking,
            banking.accounts[account_id],
            arrived_at,
            made_on=(arrived_at - lateness).date(),
            amount=draft.amount,
            description=draft.description,
            counterparty=draft.counterparty,
            status="pending" if pending else "posted",
            duplicated=duplicated,
            end_to_end_id=draft.end_to_end_id,
            mode=draft.mode,
            category=draft.category,
        )
    rng = Random()
    rng.setstate(drawn)
    return rng


@lru_cache(maxsize=4)
def _arrivals(seed: str, counts: tuple[tuple[str, int], ...]) -> tuple[tuple[_Arrival, ...], tuple[Any, ...]]:
    """Draw all that does not depend on the day, once for all resets; with the state of the generator after it."""
    rng = Random(seed)
    account_ids = [account_id for account_id, count in counts for _ in range(count)]
    rng.shuffle(account_ids)
    arrivals = []
    for number, account_id in enumerate(account_ids):
        after = timedelta(seconds=_SPAN.total_seconds() * (number + 1) / (len(account_ids) + 1))
        # A late arrival has an old value date but a new id.
        lateness = rng.randint(5, 20) if rng.random() < _LATE_SHARE else rng.choice((0, 0, 1))
        recent = _SPAN - after < _PENDING_SPAN
        draft = _random_transaction(rng)
        pending = recent and rng.random() < 0.7
        duplicated = rng.random() < _DUPLICATE_SHARE
        arrivals.append(_Arrival(account_id, after, timedelta(days=lateness), pending, duplicated, draft))
    return tuple(arrivals), rng.getstate()


def _random_transaction(rng: Random) -> _TransactionDraft:
    create = rng.choices((_sale, _takings, _purchase, _debit, _wage, _fee), weights=(30, 28, 20, 10, 8, 4))[0]
    return create(rng)


def _cents(rng: Random, low: int, high: int) -> Decimal:
    return Decimal(rng.randint(low, high)).scaleb(-2)


def _sale(rng: Random) -> _TransactionDraft:
    number = rng.randint(1000, 9999)
    purpose = f"Rechnung RE-{number} Kundennr {rng.randint(10000, 69999)}"
    text = write_purpose(eref=f"RE{number}", svwz=purpose)
    return _TransactionDraft(
        _cents(rng, 4900, 349900), text, rng.choice(_CUSTOMERS), "sales", end_to_end_id=f"RE{number}"
    )


def _takings(rng: Random) -> _TransactionDraft:
    text = write_purpose(kref=f"KA{rng.randint(10**7, 10**8)}", svwz=f"Kartenumsatz Terminal 5402{rng.randint(1, 3)}")
    return _TransactionDraft(_cents(rng, 2900, 98000), text, "Kartenabrechnung Nord", "sales")


def _purchase(rng: Random) -> _TransactionDraft:
    purpose = f"Lieferung {rng.randint(100000, 999999)} abzgl. 2% Skonto"
    text = write_purpose(svwz=purpose, purp="SUPP")
    return _TransactionDraft(-_cents(rng, 12000, 280000), text, rng.choice(_SUPPLIERS), "supplies", "transfer")


def _debit(rng: Random) -> _TransactionDraft:
    debit = rng.choice(_DIRECT_DEBITS)
    text = write_purpose(mref=debit.mandate, cred=debit.creditor_id, svwz=debit.purpose)
    return _TransactionDraft(-_cents(rng, debit.low, debit.high), text, debit.creditor, debit.category)


def _wage(rng: Random) -> _TransactionDraft:
    text = write_purpose(svwz="Lohn/Gehalt", purp="SALA")
    payee = rng.choice(("Jonte Carstens", "Mia Brandt", "Deniz Aksoy"))
    return _TransactionDraft(-_cents(rng, 165000, 248000), text, payee, "wages", "transfer")


def _fee(rng: Random) -> _TransactionDraft:
    return _TransactionDraft(-_cents(rng, 290, 1490), "Kontoführung", "Bank", "bank_fees", "fee")
