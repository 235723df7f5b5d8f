"""Handler for the open items (OPOS) list."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any, cast, get_args

from connector.sandbox.ledger.access import readable_client
from connector.sandbox.ledger.account_numbers import is_debtor
from connector.sandbox.ledger.open_items import AccountSide, OpenAccount, OpeningBalanceMode, open_items, person_entries
from connector.sandbox.parameters import choice_of, date_of
from connector.sandbox.request import Request
from connector.sandbox.world import World


def opos(world: World, request: Request) -> dict[str, Any]:
    client = readable_client(world, request)
    wire = request.wire
    cutoff = date_of(request.query, wire.name("opos.cutoff")) or request.now.date()
    side = choice_of(request.query, wire.name("opos.side"), get_args(AccountSide)) or "all"
    treatment = choice_of(request.query, wire.name("opos.opening_balance"), get_args(OpeningBalanceMode)) or "reconcile"
    accounts = open_items(
        person_entries(client.bookings), cutoff, cast(AccountSide, side), cast(OpeningBalanceMode, treatment)
    )
    return {
        "data": {
            "stichtag": cutoff.isoformat(),
            "konten": [_account(found, client.account_labels) for found in accounts],
            "sumDebitoren": _total(found for found in accounts if is_debtor(found.account)),
            "sumKreditoren": _total(found for found in accounts if not is_debtor(found.account)),
        }
    }


def _total(accounts: Iterable[OpenAccount]) -> Decimal:
    return sum((found.total for found in accounts), Decimal())


def _account(found: OpenAccount, labels: dict[str, str]) -> dict[str, Any]:
    return {
        "kontonummer": found.account,
        "bezeichnung": labels.get(found.account, ""),
        "isDebitor": is_debtor(found.account),
        "totalSaldo": found.total,
        "posten": [
            {
                "beleg": item.document,
                "belegdatum": item.on.isoformat(),
                "buchungstext": item.text,
                "saldo": item.balance,
            }
            for item in found.items
        ],
    }
