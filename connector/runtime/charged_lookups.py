"""Notices that a dropdown was charged though it should be free, by the balances that answers tell."""

from __future__ import annotations

from contextlib import suppress
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING

from connector.core.client.credits import Charge, CreditLedger
from connector.core.manifest.model import Lookup
from connector.runtime.steps import AwaitStep, ReadStep, Steps
from connector.runtime.tally import Tally

if TYPE_CHECKING:
    from datetime import datetime


def lookup_cost(lookup: Lookup, charge: Charge, credential: str, ledger: CreditLedger, tally: Tally) -> Steps[Decimal]:
    """Return what a dropdown's list has cost.

    A process that knew no balance before compares with the one kept last. In between, others may have spent too, so
    only a difference of just what the list costs elsewhere counts.
    """
    price = lookup.cost.credits
    if charge.cost or charge.compared or not charge.told or charge.balance is None or not price:
        return charge.cost
    from connector.store import usage

    kept: tuple[Decimal, datetime] | None = None
    with suppress(Exception):  # a list is shown though the database is away
        writing = tally.flush(urgent=True)
        if writing is not None:
            yield AwaitStep(writing)
        kept = yield ReadStep(partial(usage.last_balance, credential=credential))
    if kept is None or kept[0] - charge.balance != price:
        return Decimal(0)
    ledger.record_charged_lookup(lookup.id, Decimal(price))
    return Decimal(price)
