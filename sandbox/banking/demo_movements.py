"""Four months of account movements of a bicycle shop, the same for the same seed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from random import Random
from typing import NamedTuple

from sandbox.banking.arrivals import arrive
from sandbox.banking.purpose import write_purpose
from sandbox.banking.state import BankingState

_DAYS = 120
_PENDING_DAYS = 4
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
    words: str
    low: int
    high: int
    category: str


_DIRECT_DEBITS = (
    _DirectDebit("Nordstrom Energie", "DE98ZZZ00000431207", "M-77120", "Abschlag Strom", 18900, 18900, "utilities"),
    _DirectDebit("Telefon Nord AG", "DE55ZZZ00000118844", "TN-00417", "Rechnung Telefon", 5995, 7420, "utilities"),
    _DirectDebit("Versicherung Hansa", "DE12ZZZ00000550001", "VH-2231", "Inhaltsversicherung", 8450, 8450, "insurance"),
    _DirectDebit("Finanzamt Hamburg", "DE44ZZZ00000700300", "FA-48", "Umsatzsteuer", 90000, 260000, "taxes"),
)


class _Movement(NamedTuple):
    amount: Decimal
    description: str
    counterparty: str
    category: str
    mode: str = "normal"
    end_to_end_id: str | None = None


def add_movements(banking: BankingState, now: datetime, dice: Random, counts: Mapping[str, int]) -> None:
    """Add so many movements to each account, all accounts mixed in the order of arrival."""
    wanted = [account_id for account_id, count in counts.items() for _ in range(count)]
    dice.shuffle(wanted)
    first = now - timedelta(days=_DAYS)
    for number, account_id in enumerate(wanted):
        arrived = first + timedelta(seconds=(now - first).total_seconds() * (number + 1) / (len(wanted) + 1))
        # A late arrival keeps its old value date but gets an id after everything that came before it.
        lateness = dice.randint(5, 20) if dice.random() < _LATE_SHARE else dice.choice((0, 0, 1))
        recent = now - arrived < timedelta(days=_PENDING_DAYS)
        movement = _movement(dice)
        arrive(
            banking,
            banking.accounts[account_id],
            arrived,
            made_on=(arrived - timedelta(days=lateness)).date(),
            amount=movement.amount,
            description=movement.description,
            counterparty=movement.counterparty,
            status="pending" if recent and dice.random() < 0.7 else "posted",
            duplicated=dice.random() < _DUPLICATE_SHARE,
            end_to_end_id=movement.end_to_end_id,
            mode=movement.mode,
            category=movement.category,
        )


def _movement(dice: Random) -> _Movement:
    make = dice.choices((_sale, _takings, _purchase, _debit, _wage, _fee), weights=(30, 28, 20, 10, 8, 4))[0]
    return make(dice)


def _cents(dice: Random, low: int, high: int) -> Decimal:
    return Decimal(dice.randint(low, high)).scaleb(-2)


def _sale(dice: Random) -> _Movement:
    number = dice.randint(1000, 9999)
    words = f"Rechnung RE-{number} Kundennr {dice.randint(10000, 69999)}"
    text = write_purpose(eref=f"RE{number}", svwz=words)
    return _Movement(_cents(dice, 4900, 349900), text, dice.choice(_CUSTOMERS), "sales", end_to_end_id=f"RE{number}")


def _takings(dice: Random) -> _Movement:
    text = write_purpose(kref=f"KA{dice.randint(10**7, 10**8)}", svwz=f"Kartenumsatz Terminal 5402{dice.randint(1, 3)}")
    return _Movement(_cents(dice, 2900, 98000), text, "Kartenabrechnung Nord", "sales")


def _purchase(dice: Random) -> _Movement:
    words = f"Lieferung {dice.randint(100000, 999999)} abzgl. 2% Skonto"
    text = write_purpose(svwz=words, purp="SUPP")
    return _Movement(-_cents(dice, 12000, 280000), text, dice.choice(_SUPPLIERS), "supplies", "transfer")


def _debit(dice: Random) -> _Movement:
    debit = dice.choice(_DIRECT_DEBITS)
    text = write_purpose(mref=debit.mandate, cred=debit.creditor_id, svwz=debit.words)
    return _Movement(-_cents(dice, debit.low, debit.high), text, debit.creditor, debit.category)


def _wage(dice: Random) -> _Movement:
    text = write_purpose(svwz="Lohn/Gehalt", purp="SALA")
    payee = dice.choice(("Jonte Carstens", "Mia Brandt", "Deniz Aksoy"))
    return _Movement(-_cents(dice, 165000, 248000), text, payee, "wages", "transfer")


def _fee(dice: Random) -> _Movement:
    return _Movement(-_cents(dice, 290, 1490), "Kontoführung", "Bank", "bank_fees", "fee")
