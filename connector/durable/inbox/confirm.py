"""Asks the API what is true of the events that wait: with few requests, however many events claim something.

A few payments are asked for one by one, which gives their live status. Many are looked up in the payments list, which
is one request; only where that list is behind a claim are a few of them asked for live. Confirming never uses more
than half of the key's rate window for single questions, so that a flood of forged events starves nobody.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from typing import Any

from connector.core.errors import InputError, NotFound, Refused, RightMissing
from connector.durable.inbox.payment_facts import Absent, Shown, Verdict, judge
from connector.runtime.session import AsyncSession

LIVE_AT_ONCE = 5


async def payments_shown(session: AsyncSession, claims: Mapping[str, Collection[str]]) -> dict[str, Shown]:
    """What the API shows of each payment; `claims` holds the claimed statuses by payment id."""
    shown: dict[str, Shown] = {}
    behind = list(claims)
    if len(behind) > allowance(session):
        shown = await _listed(session, list(claims))
        behind = [
            id for id, statuses in claims.items() if any(judge(one, shown[id]) is not Verdict.TRUE for one in statuses)
        ]
    live = behind[: allowance(session)]
    answers = await asyncio.gather(*(_payment(session, id) for id in live))
    return {**shown, **dict(zip(live, answers, strict=True))}


async def bank_connections_there(session: AsyncSession, ids: Collection[str]) -> dict[str, bool]:
    """Which bank connections exist. Those that there is no room to ask for now are missing from the answer."""
    asked = list(ids)[: allowance(session)]
    answers = await asyncio.gather(*(_bank_connection(session, id) for id in asked))
    return dict(zip(asked, answers, strict=True))


def allowance(session: AsyncSession) -> int:
    """How many single questions may be asked now."""
    window = session.state.governor.snapshot(session.clock.monotonic())
    return max(0, min(LIVE_AT_ONCE, window.remaining - window.limit // 2))


async def _payment(session: AsyncSession, id: str) -> Shown:
    try:
        output: Mapping[str, Any] = (await session.invoke(session.id_for("payment"), {"id": id})).output
    except NotFound:
        return Absent.NOT_THERE
    except (Refused, RightMissing, InputError):
        return Absent.OUT_OF_REACH
    # An answer that does not repeat the id speaks of the payment that was asked for.
    return {"id": id, **output}


async def _bank_connection(session: AsyncSession, id: str) -> bool:
    try:
        await session.invoke(session.id_for("bank_connection"), {"id": id})
    except (NotFound, Refused, InputError):
        return False
    return True


async def _listed(session: AsyncSession, ids: Collection[str]) -> dict[str, Shown]:
    inputs: dict[str, Any] = {"sort": "id"}
    if all(id.isdigit() for id in ids):
        inputs["from_id"] = str(max(0, min(map(int, ids)) - 1))
    output = (await session.invoke(session.id_for("payment_list"), inputs)).output
    found = {str(item.get("id")): item for item in output["items"]}
    return {id: found.get(id, Absent.NOT_LISTED) for id in ids}
