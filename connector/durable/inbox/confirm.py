"""Fetches from the API what is needed to confirm events, with few requests however many events there are.

A few payments are fetched one by one, which gives their live status. Many are taken from the payments list, which is
one request; only where that list does not confirm a claim, a few are fetched singly as well. Single requests never use
more than half of the key's rate window, so that a flood of forged events cannot starve other calls.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from typing import Any

from connector.core.errors import InputError, NotFound, Refused, RightMissing
from connector.durable.inbox.payment_facts import Absent, PaymentOrAbsence, Verdict, check_claim
from connector.runtime.session import AsyncSession

MAX_SINGLE_REQUESTS = 5


async def fetch_payments(session: AsyncSession, claims: Mapping[str, Collection[str]]) -> dict[str, PaymentOrAbsence]:
    """Return each payment as the API shows it; `claims` holds the claimed statuses by payment id."""
    shown: dict[str, PaymentOrAbsence] = {}
    unconfirmed = list(claims)
    if len(unconfirmed) > single_request_budget(session):
        shown = await _fetch_from_list(session, list(claims))
        unconfirmed = [
            id
            for id, statuses in claims.items()
            if any(check_claim(one, shown[id]) is not Verdict.TRUE for one in statuses)
        ]
    live = unconfirmed[: single_request_budget(session)]
    answers = await asyncio.gather(*(_fetch_payment(session, id) for id in live))
    return {**shown, **dict(zip(live, answers, strict=True))}


async def fetch_existing_bank_connections(session: AsyncSession, ids: Collection[str]) -> dict[str, bool]:
    """Return whether each bank connection exists, without those for which no request is left now."""
    asked = list(ids)[: single_request_budget(session)]
    answers = await asyncio.gather(*(_bank_connection_exists(session, id) for id in asked))
    return dict(zip(asked, answers, strict=True))


def single_request_budget(session: AsyncSession) -> int:
    """Return how many single requests may be sent now."""
    window = session.state.governor.snapshot(session.clock.monotonic())
    return max(0, min(MAX_SINGLE_REQUESTS, window.remaining - window.limit // 2))


async def _fetch_payment(session: AsyncSession, id: str) -> PaymentOrAbsence:
    try:
        output: Mapping[str, Any] = (await session.invoke(session.id_for("payment"), {"id": id})).output
    except NotFound:
        return Absent.NOT_THERE
    except (Refused, RightMissing, InputError):
        return Absent.OUT_OF_REACH
    # The answer may lack the id.
    return {"id": id, **output}


async def _bank_connection_exists(session: AsyncSession, id: str) -> bool:
    try:
        await session.invoke(session.id_for("bank_connection"), {"id": id})
    except (NotFound, Refused, InputError):
        return False
    return True


async def _fetch_from_list(session: AsyncSession, ids: Collection[str]) -> dict[str, PaymentOrAbsence]:
    inputs: dict[str, Any] = {"sort": "id"}
    if all(id.isdigit() for id in ids):
        inputs["from_id"] = str(max(0, min(map(int, ids)) - 1))
    output = (await session.invoke(session.id_for("payment_list"), inputs)).output
    found = {str(item.get("id")): item for item in output["items"]}
    return {id: found.get(id, Absent.NOT_LISTED) for id in ids}
