"""Holds a write against the policy of its workspace, and a payment against whom was paid before.

What is read is the final request, so it holds for every face. Is a known payee's IBAN another one, or a known IBAN's
name? What is not known yet is looked up in the service's list of payments, which is free: one request, at most every
five minutes. Of the list, what has reached its final success makes a payee known; of our own runs, what was made
without such a finding, or with the approval of another person.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from connector.client.steps import Query
from connector.core.errors import InputError, KontorError, RightMissing
from connector.core.messages import Text, say
from connector.core.service_facts import payment_states
from connector.core.writes.payees import Payee, PayeeChange, change_of
from connector.core.writes.policy import (
    CURRENCY,
    NOTHING_BEFORE,
    Money,
    PaidBefore,
    Policy,
    Reason,
    over_limit,
    plain_payee,
)
from connector.runtime.context import before_sending, try_commit
from connector.runtime.requests.declared import undeclared
from connector.runtime.requests.request import wire_name
from connector.runtime.writes.approval import check_again
from connector.runtime.writes.attempt import Attempt, look_failed

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from connector.client import Call
    from connector.client.steps import Steps
    from connector.core.manifest.model import Action, MoneyInputs
    from connector.runtime.context import ActionContext

R = TypeVar("R", bound=Mapping[str, Any])
READ_AGAIN = timedelta(minutes=5)
SETTLES_WITHIN = timedelta(days=30)
"""How far before the last reading the next one begins: what was under way then may have settled since."""
MAX_ROWS = 1000
"""How many of the newest payments are read."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the policy says of a write that it does not refuse."""

    policy: Policy
    reasons: tuple[Reason, ...]
    """Why it needs an approval; empty when it does not."""
    warnings: tuple[Text, ...] = ()


class ApprovalNeeded(Exception):
    """What was paid or changed meanwhile makes an approval necessary."""

    def __init__(self, reasons: tuple[Reason, ...]) -> None:
        super().__init__(*reasons)
        self.reasons = reasons


def check_policy(attempt: Attempt) -> Steps[Verdict]:
    """Raise when the policy refuses the write; return what it says else."""
    run, context = attempt.run, attempt.context
    policy = yield from before_sending(context.policy(run.workspace, context.action.money is not None))
    _check_path(attempt, policy)
    money = money_of(context, attempt.planned)
    known = yield from _is_known(attempt, policy, money)
    keyed = run.key is not None or attempt.repeatable
    refusal = policy.refusal(money, known, keyed)  # before the service is asked who was paid
    change, before = None, NOTHING_BEFORE
    if money is not None and refusal is None:
        change = None if attempt.approved else (yield from compare(attempt, policy, money))
        before = yield from before_sending(
            Query(partial(_before, attempt=attempt, money=money, is_changed=change is not None))
        )
        refusal = policy.refusal(money, known, keyed, before)
    if refusal is not None:
        raise refusal
    reasons = policy.approval_reasons(money, unattended_agent=_agent(attempt), before=before)
    return Verdict(policy, () if attempt.approved else reasons, () if change is None else (change.text,))


def warnings_ahead(context: ActionContext, call: Call) -> Steps[tuple[Text, ...]]:
    """Return what a dry run says of the payee, by what is known here: it asks nobody, and needs no database."""
    money = money_of(context, call)

    def find(connection: Connection) -> PayeeChange | None:
        from connector.store.trust import workspaces

        workspace = workspaces.of_key(connection, context.credential.fingerprint)
        if workspace is None or money is None:
            return None
        return find_change(connection, workspace, workspaces.find_policy(connection, workspace), money)[1]

    change: PayeeChange | None = None
    with suppress(Exception):
        change = yield Query(find)
    return () if change is None else (change.text,)


@dataclass(frozen=True, slots=True)
class Checked:
    """Under which policy a write is sent, and what it counts towards, for the audit log."""

    policy: Policy
    is_changed: bool
    """Whether the payee is another than the one known."""
    counted: Mapping[str, str]
    """The day and what stands for the payee; empty where nothing is counted."""

    @property
    def told(self) -> dict[str, Any]:
        """What the entry holds of it."""
        from connector.store.trust.audit_sendings import policy_digest, policy_told

        told: dict[str, Any] = {"policy": policy_digest(policy_told(self.policy)), **self.counted}
        return told | {"changed_payee": True} if self.is_changed else told


def reserve(connection: Connection, attempt: Attempt) -> Checked | None:
    """Check the policy once more, right before the first byte, and count the payment towards the day's limit.

    Return what was checked; None where the policy says nothing of such a write.
    """
    from connector.store.runs import approvals
    from connector.store.trust import workspaces

    money = money_of(attempt.context, attempt.planned)
    if money is None and not attempt.approved:
        return None
    run = attempt.run
    policy = workspaces.find_policy(connection, run.workspace, lock=True)
    before = NOTHING_BEFORE
    if money is not None:
        _, change = find_change(connection, run.workspace, policy, money)
        before = _before(connection, attempt, money, is_changed=change is not None)
    # Whether the payee is known was decided by the service's own list a moment ago.
    refusal = policy.refusal(money, True, run.key is not None or attempt.approved, before)
    if refusal is not None:
        raise refusal
    if attempt.approved:
        found = approvals.find(connection, run.id)
        if found is not None:
            reasons = policy.approval_reasons(money, unattended_agent=None, before=before)
            check_again(connection, found, attempt.context.action, reasons)
        if not approvals.use(connection, run.id, run.digest):
            raise RightMissing(say("approval_changed", id=run.id), outcome="not_sent", reason="approval_changed")
    elif reasons := policy.approval_reasons(money, unattended_agent=_agent(attempt), before=before):
        raise ApprovalNeeded(reasons)
    is_counted = money is not None and money.currency == CURRENCY
    counted = _count(connection, attempt, policy, money) if is_counted and money is not None else {}
    return Checked(policy, before.is_changed, counted)


def _before(connection: Connection, attempt: Attempt, money: Money, *, is_changed: bool) -> PaidBefore:
    run, day = attempt.run, attempt.context.clock.berlin_today().isoformat()
    return paid_before(connection, run.workspace, day, run.id, money, is_changed=is_changed)


def _count(connection: Connection, attempt: Attempt, policy: Policy, money: Money) -> dict[str, str]:
    from connector.store.runs import payees, payment_records

    run, day = attempt.run, attempt.context.clock.berlin_today().isoformat()
    if policy.most_per_day is not None:
        total = payment_records.total_paid(connection, run.workspace, day, run.id) + money.amount
        if total > policy.most_per_day:
            raise over_limit("policy_most_per_day", total, policy.most_per_day)
    payee = payees.digests_of(connection, run.workspace, Payee(money.payee_name, money.payee))
    payment_records.record_paid(connection, run.id, run.workspace, day, money.amount, payee, approved=attempt.approved)
    return {"day": day, "payee": payee.iban, "payee_name": payee.name}


def paid(connection: Connection, attempt: Attempt) -> None:
    """Keep whom a run has paid."""
    from connector.store.trust import workspaces

    money = money_of(attempt.context, attempt.planned)
    if money is not None:
        remember_paid(connection, attempt, workspaces.find_policy(connection, attempt.run.workspace), money)


def money_in(action: Action, inputs: Mapping[str, Any]) -> Money | None:
    """Return what an action with these inputs would pay, and to whom."""
    declared = action.money
    if declared is None or inputs.get(declared.amount) is None:
        return None
    currency, payee = str(inputs.get(declared.currency) or CURRENCY), str(inputs.get(declared.payee) or "")
    name = str(inputs.get(declared.payee_name) or "") if declared.payee_name else ""
    return Money(Decimal(inputs[declared.amount]), currency, plain_payee(payee), name)


def money_of(context: ActionContext, call: Call) -> Money | None:
    """Return what the request itself says it would pay; None when it moves no money."""
    declared = context.action.money
    if declared is None:
        return None
    body = call.body if isinstance(call.body, Mapping) else {}
    names = {field.name: wire_name(field, context.credential.wire) for field in context.action.inputs}
    amount, currency, payee = (body.get(names[name]) for name in (declared.amount, declared.currency, declared.payee))
    name = body.get(names[declared.payee_name]) if declared.payee_name else None
    if not isinstance(amount, Decimal | int) or isinstance(amount, bool):
        raise InputError(say("missing", field=declared.amount), field=declared.amount)
    return Money(Decimal(amount), str(currency or CURRENCY), plain_payee(str(payee or "")), str(name or ""))


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
    raise undeclared(call.path, say("path_undeclared_remedy", name="undeclared_paths"))


# Whom was paid before


def compare(attempt: Attempt, policy: Policy, money: Money) -> Steps[PayeeChange | None]:
    """Return what is different from earlier payments; the service's list is read where that may help."""
    query = partial(find_change, workspace=attempt.run.workspace, policy=policy, money=money)
    change: PayeeChange | None
    is_known, change = yield from before_sending(Query(query))
    if is_known or not money.payee:
        return None
    try:
        has_read = yield from _read_list(attempt)
    except KontorError as error:
        if policy.changed_payees == "approve" or attempt.is_recorded:  # a key would wait for the same list once more
            raise look_failed(error) from error
        return change  # nobody is held back because of it, only warned
    if has_read:
        _, change = yield from before_sending(Query(query))
    return change


def find_change(
    connection: Connection, workspace: str, policy: Policy, money: Money, also: Iterable[Payee] = ()
) -> tuple[bool, PayeeChange | None]:
    """Return whether exactly this payee is known, here or among `also`, and else what is different from who is."""
    from connector.store.runs import payees

    if money.payee in policy.known_payees:
        return True, None
    payee = Payee(money.payee_name, money.payee)
    known = [*also, *payees.known(connection, workspace, payee)]
    return any(one.plain == payee.plain for one in known), change_of(payee, known)


def paid_before(
    connection: Connection, workspace: str, day: str, except_run: str, money: Money, *, is_changed: bool
) -> PaidBefore:
    """Return what is known of the payee at this moment, by the store alone."""
    from connector.store.runs import payment_records

    try:
        paid = payment_records.paid_to(connection, workspace, day, except_run, Payee(money.payee_name, money.payee))
    except payment_records.DayUnverified:
        return PaidBefore(is_changed=is_changed, is_altered=True)
    return PaidBefore(paid.total, paid.unapproved, is_changed)


def remember_paid(connection: Connection, attempt: Attempt, policy: Policy, money: Money) -> None:
    """Keep whom a run has paid, unless only this payment itself says so."""
    from connector.store.runs import payees

    _, change = find_change(connection, attempt.run.workspace, policy, money)
    if money.payee and (change is None or attempt.approved):
        paid_at = attempt.context.clock.utcnow().timestamp()
        payees.remember(connection, attempt.run.workspace, [(Payee(money.payee_name, money.payee), paid_at)])


def _read_list(attempt: Attempt) -> Steps[bool]:
    """Read what is new in the service's list; return whether there was a reason to."""
    from connector.store.runs import payees

    finder, declared, run = attempt.finder, attempt.context.action.money, attempt.run
    if finder is None or declared is None:
        return False
    now, credential = attempt.context.clock.utcnow(), attempt.context.credential.fingerprint
    read_at = yield from before_sending(
        Query(partial(payees.last_read, workspace=run.workspace, credential=credential))
    )
    if read_at is not None and 0 <= now.timestamp() - read_at < READ_AGAIN.total_seconds():
        return False
    since = None if read_at is None else read_at - SETTLES_WITHIN.total_seconds()
    rows = yield from finder.newest(since, MAX_ROWS)
    newest: dict[Payee, tuple[Payee, float]] = {}
    for row, payee in paid_in(rows, declared):
        newest.setdefault(payee.plain, (payee, finder.made(row) or 0.0))
    keep = partial(
        payees.keep_read, workspace=run.workspace, credential=credential, paid=list(newest.values()), now=now
    )
    yield from try_commit(keep, durable=False)
    return True


def paid_in(rows: Iterable[R], declared: MoneyInputs) -> Iterable[tuple[R, Payee]]:
    """Return the payments that have reached their final success, with who was paid."""
    for row in rows:
        name, iban = row.get(str(declared.payee_name)), row.get(declared.payee)
        if row.get("status") in payment_states().succeeded and isinstance(name, str) and isinstance(iban, str):
            yield row, Payee(name, iban)
