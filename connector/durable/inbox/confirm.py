"""Fetches from the API what is needed to confirm events, with few requests however many events there are.

A few payments are fetched one by one, which gives their live status. Many are taken from the payments list, which is
one request; only where that list does not confirm a claim, a few are fetched singly as well. Single requests never use
more than half of the key's rate window, and what confirms nothing has a budget of its own (`confirm_budget.py`), so
that a flood of forged events cannot starve other calls.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Collection, Mapping
from typing import Any, NamedTuple, TypeVar

from connector.core.errors import InputError, KontorError, NotFound, Refused, RightMissing
from connector.durable.inbox.facts import Absent, BankConnectionFacts, PaymentOrAbsence, Verdict, check_claim
from connector.runtime.session import AsyncSession

T = TypeVar("T")
MAX_SINGLE_REQUESTS = 5


class Fetched(NamedTuple):
    """Payments by id, and how many requests confirmed nothing."""

    payments: dict[str, PaymentOrAbsence]
    wasted: int


async def fetch_payments(session: AsyncSession, claims: Mapping[str, Collection[str]], most: int) -> Fetched:
    """Return payments as the API shows them, with at most so many requests; `claims` holds statuses by payment id."""
    shown: dict[str, PaymentOrAbsence] = {}
    unconfirmed, wasted = list(claims), 0
    if most > 0 and len(unconfirmed) > single_request_budget(session, most):
        shown = await _fetch_from_list(session, list(claims))
        unconfirmed = [id for id, statuses in claims.items() if not _all_true(statuses, shown[id])]
        wasted = int(len(unconfirmed) == len(claims))
    live = unconfirmed[: single_request_budget(session, most - wasted)]
    answers = await _answers({id: _fetch_payment(session, id) for id in live}, all_may_fail=bool(shown))
    wasted += sum(not _all_true(claims[id], answer) for id, answer in answers.items())
    listed = {id: payment for id, payment in shown.items() if id not in live}
    return Fetched({**listed, **answers}, wasted)


def _all_true(statuses: Collection[str], shown: PaymentOrAbsence) -> bool:
    return all(check_claim(status, shown) is Verdict.TRUE for status in statuses)


async def fetch_bank_connections(
    session: AsyncSession, ids: Collection[str], with_accounts: Collection[str], most: int
) -> dict[str, BankConnectionFacts]:
    """Return what the API shows of bank connections, without those for which no request is left now.

    `with_accounts` are those whose accounts are asked for too.
    """
    asked = list(ids)[: single_request_budget(session, most)]
    return await _answers({id: _bank_connection(session, id, id in with_accounts) for id in asked})


async def _answers(requests: Mapping[str, Awaitable[T]], *, all_may_fail: bool = False) -> dict[str, T]:
    """Return the answers by id, without those of failed requests: one that always fails holds up no other.

    When all fail, the API cannot be asked now, and the first error is raised, unless something else was answered.
    """
    answers = await asyncio.gather(*requests.values(), return_exceptions=True)
    errors = [answer for answer in answers if isinstance(answer, BaseException)]
    for error in errors:
        if not isinstance(error, KontorError) or (len(errors) == len(answers) and not all_may_fail):
            raise error
    return {id: answer for id, answer in zip(requests, answers, strict=True) if not isinstance(answer, BaseException)}


async def fetch_payment_list(session: AsyncSession) -> list[dict[str, Any]]:
    """Return the payments list, which is free."""
    output = (await session.invoke(session.id_for("payment_list"), {"sort": "id"})).output
    return [payment for payment in output["items"] if isinstance(payment, dict)]


def single_request_budget(session: AsyncSession, most: int) -> int:
    """Return how many single requests may be sent now."""
    window = session.state.governor.snapshot(session.clock.monotonic())
    return max(0, min(MAX_SINGLE_REQUESTS, most, window.remaining - window.limit // 2))


async def _fetch_payment(session: AsyncSession, id: str) -> PaymentOrAbsence:
    try:
        output: Mapping[str, Any] = (await session.invoke(session.id_for("payment"), {"id": id})).output
    except NotFound:
        return Absent.NOT_THERE
    except (Refused, RightMissing, InputError):
        return Absent.OUT_OF_REACH
    # The answer may lack the id.
    return {"id": id, **output}


async def _bank_connection(session: AsyncSession, id: str, with_accounts: bool) -> BankConnectionFacts:
    try:
        shown = (await session.invoke(session.id_for("bank_connection"), {"id": id})).output
    except (NotFound, Refused, InputError):
        return BankConnectionFacts(None)
    accounts = None
    if with_accounts:
        with contextlib.suppress(NotFound, Refused, RightMissing, InputError):
            accounts = (await session.invoke(session.id_for("account_list"), {"connection_id": id})).output["items"]
    return BankConnectionFacts(
        shown, [account for account in accounts if isinstance(account, Mapping)] if accounts else accounts
    )


async def _fetch_from_list(session: AsyncSession, ids: Collection[str]) -> dict[str, PaymentOrAbsence]:
    inputs: dict[str, Any] = {"sort": "id"}
    if all(id.isdigit() for id in ids):
        inputs["from_id"] = str(max(0, min(map(int, ids)) - 1))
    output = (await session.invoke(session.id_for("payment_list"), inputs)).output
    listed = {str(item.get("id")): item for item in output["items"]}
    return {id: listed.get(id, Absent.NOT_LISTED) for id in ids}
