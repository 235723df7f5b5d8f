"""One poll of one trigger, by hand: asks the service, commits under the same lease and fence as the engine does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from connector.core.errors import InputError, KontorError
from connector.core.messages import say
from connector.durable.poller.bank_rows import ACCOUNT, BANK_CONNECTION, reads_bank_rows
from connector.durable.poller.holding import holding
from connector.durable.poller.member import Member, Overtaken
from connector.durable.poller.naming import cursor_name
from connector.durable.poller.plain import poll_together
from connector.durable.poller.sharing import poll_alone
from connector.durable.poller.signs import Look, expect, look, reason_to_pay, sign_of
from connector.durable.poller.tending import lease_name, load, note
from connector.durable.poller.work import PollWork
from connector.runtime import checks
from connector.runtime.poll import Polled, check_start
from connector.runtime.result import Credits
from connector.store import cursors
from connector.store.cursors import StoredCursor

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from connector.core.manifest.model import Trigger


class Busy(KontorError):
    """The same trigger is being polled under the same name just now."""

    kind = "busy"
    retryable = True
    default_outcome = "not_sent"


@dataclass(frozen=True, slots=True)
class Named:
    """A trigger with its inputs, checked, and the name under which its cursor is kept."""

    trigger: Trigger
    inputs: dict[str, Any]
    start: str
    name: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a poll found; without `polled`, nothing was asked for lack of a sign."""

    polled: Polled | None
    cost: Decimal = field(default_factory=lambda: Decimal(0))


def named(work: PollWork, trigger_id: str, inputs: Mapping[str, Any], start: str, name: str | None) -> Named:
    """Checks what a person has given; raises an input error when it cannot be polled."""
    trigger = work.connector.trigger(trigger_id)
    if trigger.source != "poll":
        remedy = say("event_trigger_polled_remedy")
        raise InputError(say("event_trigger_polled", id=trigger_id), remedy=remedy, field="trigger")
    clean = work.connector.inputs(trigger).clean(inputs)
    checks.check(trigger, clean)
    fingerprint = work.session.credential.fingerprint
    return Named(trigger, clean, check_start(start), cursor_name(fingerprint, trigger_id, clean, name))


async def poll_once(work: PollWork, what: Named, *, thrifty: bool = False) -> Outcome:
    """Polls once. With `thrifty`, a paid list is asked for only after a free sign, and then to its end."""
    await work.write(lambda connection: _begin(connection, work, what))
    async with holding(work, [lease_name(what.name)]) as held:
        if not held:
            raise Busy(say("poll_under_way"))
        [member] = await load(work, [what.name], held, keep_items=True)
        # The first poll of a trigger that starts now goes on to the end of what is there already: what arrives after
        # it is new, and must not be taken for the rest of the past.
        to_the_end = thrifty or (member.stored.start == "now" and _is_in_history(member.stored))
        looks = to_the_end and reads_bank_rows(what.trigger)
        seen = await _look(work, what) if looks else Look()
        mark = seen.mark(what.inputs.get(ACCOUNT))
        if thrifty and looks and not reason_to_pay(member.stored, mark, work.clock.utcnow(), work.settings):
            return Outcome(None)
        if looks:
            expect(member, seen)
        await _poll(work, member, None if to_the_end else 1, seen if looks else None)
    assert member.cursor is not None  # a poll that did not fail has one
    credits = Credits(member.cost, member.balance)
    return Outcome(Polled(tuple(member.found), member.cursor, credits, more=member.unfinished), member.cost)


def _is_in_history(stored: StoredCursor) -> bool:
    """Whether a cursor is still on its way over what was there before; only then one poll leaves a count behind."""
    return stored.cursor is None or (bool(stored.sign.get("unfinished")) and "rows" in stored.sign)


async def _poll(work: PollWork, member: Member, pages: int | None, seen: Look | None) -> None:
    try:
        if reads_bank_rows(member.trigger):
            await poll_alone(work, member, pages)
        else:
            await poll_together(work, [member], pages)
    except Overtaken:
        raise Busy(say("poll_under_way")) from None
    except Exception as error:
        await note(work, member, error, {})
        raise
    await note(work, member, None, sign_of(member, seen) if seen else {})


async def _look(work: PollWork, what: Named) -> Look:
    try:
        return await look(work.session, what.inputs.get(BANK_CONNECTION))
    except KontorError:
        return Look()  # the paid list itself will say what is wrong, when its time has come


def _begin(connection: Connection, work: PollWork, what: Named) -> None:
    cursors.get_or_create(
        connection,
        what.name,
        credential=work.session.credential.fingerprint,
        trigger=what.trigger.id,
        inputs=what.inputs,
        start=what.start,
        next_at=None,
    )
