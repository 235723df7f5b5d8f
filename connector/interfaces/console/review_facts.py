"""Finds out, before anything is sent, what a write would do and what the workspace's rules say to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from connector.core import digest
from connector.core.errors import KontorError
from connector.core.manifest.model import Action
from connector.core.messages import Text
from connector.core.policy import CURRENCY, Money, Policy, Reason, over_limit, plain_payee
from connector.interfaces.console.console_context import ConsoleContext, NoCredential
from connector.interfaces.console.page_calls import PageCalls
from connector.interfaces.console.payee_history import PastPayment, listed_payments, payments_to
from connector.runtime import checks, rights
from connector.store import payments_made, policies, run_search
from connector.store.runs import Run

if TYPE_CHECKING:
    from sqlalchemy import Connection


@dataclass(frozen=True, slots=True)
class Review:
    """What a person should know before the press."""

    raw: Mapping[str, Any]
    """What was filled in, which is what is sent."""
    inputs: dict[str, Any]
    warnings: tuple[Text, ...]
    money: Money | None
    refusal: KontorError | None
    """Why the rules do not allow it at all."""
    reasons: tuple[Reason, ...]
    """Why another person must approve it; empty when nobody needs to."""
    repeat: Run | None
    """An equal write of the last minutes."""
    unknown: Run | None
    """An equal write of which nobody knows whether it happened."""
    approval_hours: int
    past: tuple[PastPayment, ...] | None
    """Earlier payments to the payee, the newest first; None: they could not be looked up, or it pays nobody."""


async def review(console: ConsoleContext, action: Action, raw: Mapping[str, Any]) -> Review:
    """Read the stored rules and equal runs, and for a payment the free list of payments. Nothing is sent."""
    rights.check(console.actor, action)
    warnings: list[Text] = []
    inputs = console.connector.inputs(action).clean(raw, warnings)
    warnings += checks.check(action, inputs)
    money, workspace = money_in(action, inputs), await console.workspace()
    now, day = console.state.context.now(), console.state.context.clock.berlin_today().isoformat()
    contents = digest.digest(action.id, inputs)
    duplicates = action.repeat == "duplicates"

    def read(connection: Connection) -> tuple[Policy, Decimal, Run | None, Run | None]:
        policy = policies.find(connection, workspace)
        paid = payments_made.total(connection, workspace, day, "") if money else Decimal(0)
        since = now - timedelta(minutes=policy.repeat_minutes)
        repeat = run_search.recent_equal(connection, workspace, contents, since) if duplicates else None
        unknown = run_search.unresolved_equal(connection, workspace, contents) if duplicates else None
        return policy, paid, repeat, unknown

    policy, paid, repeat, unknown = await console.read(read)
    past = await _past(console, money)
    known = money is None or money.payee in policy.known_payees or any(one.succeeded for one in past or ())
    refusal = policy.refusal(money, known or past is None, keyed=True) or _over_day(policy, money, paid)
    reasons = policy.approval_reasons(money, unattended_agent=None)
    return Review(raw, inputs, tuple(warnings), money, refusal, reasons, repeat, unknown, policy.approval_hours, past)


def money_in(action: Action, inputs: Mapping[str, Any]) -> Money | None:
    """Return what an action with these inputs would pay, and to whom."""
    declared = action.money
    if declared is None or inputs.get(declared.amount) is None:
        return None
    currency = str(inputs.get(declared.currency) or CURRENCY)
    return Money(Decimal(inputs[declared.amount]), currency, plain_payee(str(inputs.get(declared.payee) or "")))


def _over_day(policy: Policy, money: Money | None, paid: Decimal) -> KontorError | None:
    if money is None or policy.most_per_day is None or money.currency != CURRENCY:
        return None
    total = paid + money.amount
    return over_limit("policy_most_per_day", total, policy.most_per_day) if total > policy.most_per_day else None


async def _past(console: ConsoleContext, money: Money | None) -> tuple[PastPayment, ...] | None:
    if money is None:
        return None
    try:
        listed = await listed_payments(console.connector, PageCalls(console))
    except (KontorError, NoCredential):
        return None
    return payments_to(console.connector, listed, money.payee)
