"""Holds a write against the policy of its workspace. What is read is the final request, so it holds for every face."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING

from connector.core.errors import InputError, KontorError, RightMissing
from connector.core.messages import say
from connector.core.service_facts import payment_states
from connector.core.writes.policy import CURRENCY, Money, Policy, Reason, over_limit, plain_payee
from connector.runtime.requests.request import wire_name
from connector.runtime.writes.approval import check_again
from connector.runtime.writes.attempt import Attempt, look_failed
from connector.runtime.writes.store_steps import before_sending

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from connector.client import Call
    from connector.client.steps import Steps
    from connector.runtime.context import ActionContext


def check_policy(attempt: Attempt) -> Steps[tuple[Policy, tuple[Reason, ...]]]:
    """Raise when the policy refuses the write; return it, and why it needs an approval, empty when it does not."""
    run, context = attempt.run, attempt.context
    policy = yield from before_sending(context.policy(run.workspace, context.action.money is not None))
    _check_path(attempt, policy)
    money = money_of(context, attempt.planned)
    known = yield from _is_known(attempt, policy, money)
    refusal = policy.refusal(money, known, run.key is not None or attempt.repeatable)
    if refusal is not None:
        raise refusal
    return policy, () if attempt.approved else policy.approval_reasons(money, unattended_agent=_agent(attempt))


def reserve(connection: Connection, attempt: Attempt) -> None:
    """Check the policy once more, right before the first byte, and count the payment towards the day's limit."""
    from connector.store.runs import approvals
    from connector.store.trust import workspaces

    money = money_of(attempt.context, attempt.planned)
    if money is None and not attempt.approved:
        return
    run = attempt.run
    policy = workspaces.find_policy(connection, run.workspace, lock=True)
    # Whether the payee is known was decided by the service's own list a moment ago.
    refusal = policy.refusal(money, True, run.key is not None or attempt.approved)
    if refusal is not None:
        raise refusal
    if attempt.approved:
        found = approvals.find(connection, run.id)
        if found is not None:
            reasons = policy.approval_reasons(money, unattended_agent=None)
            check_again(connection, found, attempt.context.action, reasons)
        if not approvals.use(connection, run.id, run.digest):
            raise RightMissing(say("approval_changed", id=run.id), outcome="not_sent", reason="approval_changed")
    elif policy.approval_reasons(money, unattended_agent=_agent(attempt)):
        raise RightMissing(say("policy_changed"), outcome="not_sent", reason="policy_changed", retryable=True)
    if money is not None and money.currency == CURRENCY:
        _count(connection, attempt, policy, money.amount)


def _count(connection: Connection, attempt: Attempt, policy: Policy, amount: Decimal) -> None:
    from connector.store.runs import payment_records

    run, day = attempt.run, attempt.context.clock.berlin_today().isoformat()
    if policy.most_per_day is not None:
        total = payment_records.total_paid(connection, run.workspace, day, run.id) + amount
        if total > policy.most_per_day:
            raise over_limit("policy_most_per_day", total, policy.most_per_day)
    payment_records.record_paid(connection, run.id, run.workspace, day, amount)


def money_of(context: ActionContext, call: Call) -> Money | None:
    """Return what the request itself says it would pay; None when it moves no money."""
    declared = context.action.money
    if declared is None:
        return None
    body = call.body if isinstance(call.body, Mapping) else {}
    names = {field.name: wire_name(field, context.credential.wire) for field in context.action.inputs}
    amount, currency, payee = (body.get(names[name]) for name in (declared.amount, declared.currency, declared.payee))
    if not isinstance(amount, Decimal | int) or isinstance(amount, bool):
        raise InputError(say("missing", field=declared.amount), field=declared.amount)
    return Money(Decimal(amount), str(currency or CURRENCY), plain_payee(str(payee or "")))


def _agent(attempt: Attempt) -> str | None:
    return attempt.run.action if attempt.context.invoker.is_unattended_agent else None


def _is_known(attempt: Attempt, policy: Policy, money: Money | None) -> Steps[bool]:
    """Whether an admin has entered the payee, or the service shows a settled payment to it, which is free to ask."""
    if money is None or policy.payees == "any" or money.payee in policy.known_payees:
        return True
    finder, declared = attempt.finder, attempt.context.action.money
    if finder is None or declared is None:
        return False
    try:
        rows = yield from finder.all_rows()
    except KontorError as error:
        raise look_failed(error) from error
    paid = [row for row in rows if row.get("status") in payment_states().succeeded]
    return any(plain_payee(str(row.get(declared.payee) or "")) == money.payee for row in paid)


def _check_path(attempt: Attempt, policy: Policy) -> None:
    """Refuse a write to a path that no action declares, unless the workspace allows it."""
    action, call = attempt.context.action, attempt.planned
    if action.declared is None or policy.undeclared_paths or action.declared(call.method, call.path) is not None:
        return
    message, remedy = say("path_undeclared", path=call.path[:200]), say("path_undeclared_remedy")
    raise RightMissing(message, remedy=remedy, field="path", outcome="not_sent", reason="path_undeclared")
