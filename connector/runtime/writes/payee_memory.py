"""Holds a payment against whom was paid before: is a known payee's IBAN another one, or a known IBAN's name?

What is not known yet is looked up in the service's list of payments, which is free: one request, at most every five
minutes. Of the list, what has reached its final success makes a payee known; of our own runs, what was
made without such a finding, or with the approval of another person.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from connector.client.steps import Query, Steps
from connector.core.errors import KontorError
from connector.core.service_facts import payment_states
from connector.core.writes.payees import Payee, PayeeChange, change_of
from connector.core.writes.policy import Money, PaidBefore, Policy
from connector.runtime.writes.attempt import Attempt, look_failed
from connector.runtime.writes.store_steps import before_sending, try_commit

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from connector.core.manifest.model import MoneyInputs

R = TypeVar("R", bound=Mapping[str, Any])
READ_AGAIN = timedelta(minutes=5)
SETTLES_WITHIN = timedelta(days=30)
"""How far before the last reading the next one begins: what was under way then may have settled since."""
MAX_ROWS = 1000
"""How many of the newest payments are read."""


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
        if policy.changed_payees == "approve":
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
