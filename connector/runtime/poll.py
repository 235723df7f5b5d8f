"""One poll of a trigger: asks the service once, and lets the trigger's handler say what is new."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from functools import partial
from itertools import islice
from typing import Any

from connector.core.client import Reply
from connector.core.errors import BadReply, InputError
from connector.core.manifest.model import Trigger
from connector.core.messages import say
from connector.core.resources.envelopes import items_in, object_in
from connector.core.values.ids import SINCE, number_of
from connector.core.wire import Wire
from connector.runtime import handlers
from connector.runtime.bank_rows import FROM_DATE, made_to_look, reads_bank_rows
from connector.runtime.request import build_call
from connector.runtime.result import Credits, Readable
from connector.runtime.steps import Ask, Steps

START = "now"
NUMBERS_AMONG = 100
"""If a list has ids that are numbers, one of so many first rows has."""
MOST_BASELINE_PAGES = 100


@dataclass(frozen=True, slots=True)
class Polled(Readable):
    """What a poll found, and where the next one begins."""

    items: tuple[dict[str, Any], ...]
    cursor: str
    credits: Credits
    more: bool = False
    """The answer looks cut off: asking again at once may bring more."""

    def as_dict(self) -> dict[str, Any]:
        """As the public surface shows it."""
        return {"ok": True, "items": list(self.items), "cursor": self.cursor, "credits": self.credits.as_dict()}


def check_start(start: str) -> str:
    """`now`, `all` or `since:ID`; anything else is an input error."""
    since = start.startswith(SINCE) and number_of(start.removeprefix(SINCE)) is not None
    if start in {"now", "all"} or since:
        return start
    raise InputError(say("start_invalid"), field="start")


def poll(
    trigger: Trigger,
    inputs: dict[str, Any],
    cursor: str | None,
    start: str,
    now: datetime,
    wire: Wire,
    balance: Any,
    rows_shown: Steps[int | None],
) -> Steps[Polled]:
    """Polls once. `inputs` are cleaned.

    `balance` is what the credit ledger knows, for triggers that only watch it. `rows_shown` are the steps that tell for
    free how many bank rows there are, for those that pass over them.
    """
    if trigger.request is None:
        return turn(trigger, [balance], inputs, cursor, start, now, Credits(Decimal(0), None))
    if cursor is None and start == "now":
        return (yield from _to_the_end(trigger, inputs, now, wire, rows_shown))
    found, credits = yield from _page(trigger, inputs, cursor, now, wire, start)
    return turn(trigger, found, inputs, cursor, start, now, credits)


def _to_the_end(
    trigger: Trigger, inputs: dict[str, Any], now: datetime, wire: Wire, rows_shown: Steps[int | None]
) -> Steps[Polled]:
    """The very first poll of a trigger that starts now goes on to the end of what is there already.

    What arrives after it is new, and must not be taken for the rest of the past.
    """
    cursor, items, cost, read, shown = None, list[dict[str, Any]](), Decimal(0), 0, None
    counts = reads_bank_rows(trigger) and FROM_DATE not in extra(trigger, inputs, None, now, "now")
    for page in range(MOST_BASELINE_PAGES):
        found, credits = yield from _page(trigger, inputs, cursor, now, wire, "now")
        read, cost = read + len(found), cost + credits.cost
        if page == 0 and found and counts:
            shown = yield from rows_shown
        if found and counts and (shown is None or read < shown):  # without a count, only an empty page is the end
            found = made_to_look(found, partial(looks_cut, trigger, inputs), cut=True)
        polled = turn(trigger, found, inputs, cursor, "now", now, credits)
        items += polled.items
        if not polled.more or polled.cursor == cursor:
            break
        cursor = polled.cursor
    return replace(polled, items=tuple(items), credits=Credits(cost, credits.balance))


def _page(
    trigger: Trigger, inputs: dict[str, Any], cursor: str | None, now: datetime, wire: Wire, start: str
) -> Steps[tuple[list[dict[str, Any]], Credits]]:
    reply: Reply = yield Ask(build_call(trigger, {**inputs, **extra(trigger, inputs, cursor, now, start)}, wire))
    return read_items(trigger, reply), Credits(reply.charge.cost, reply.charge.balance)


def extra(trigger: Trigger, inputs: Mapping[str, Any], cursor: str | None, now: datetime, start: str) -> dict[str, Any]:
    """What the handler adds to the request of this poll. Where it has no wish, a start since an id is one."""
    ask = handlers.offered(trigger, "ask")
    if ask is None:
        return {}
    try:
        asked = dict(ask(inputs, cursor, now))
        if not asked and cursor is None and start.startswith(SINCE):
            asked = dict(ask(inputs, start.removeprefix(SINCE), now))
        return asked
    except ValueError as error:
        raise InputError(say("cursor_invalid", why=error), field="cursor") from None


def read_items(trigger: Trigger, reply: Reply) -> list[dict[str, Any]]:
    """The answer as a list, one element where it is a single resource."""
    own = handlers.offered(trigger, "items")
    try:
        if own is not None:
            return list(own(reply.value))
        if trigger.is_list:
            return [item for item in items_in(reply.value) if isinstance(item, dict)]
        return [object_in(reply.value)]
    except ValueError as error:
        raise BadReply(say("reply_unexpected", why=error)) from None


def turn(
    trigger: Trigger,
    found: list[dict[str, Any]],
    inputs: dict[str, Any],
    cursor: str | None,
    start: str,
    now: datetime,
    credits: Credits,
) -> Polled:
    """What the handler makes of an answer. Pure."""
    if handlers.offered(trigger, "more") and _is_numberless(found):
        raise BadReply(say("ids_not_numbers"))
    try:
        items, next_cursor = handlers.required(trigger, "turn")(found, cursor, inputs, now, start)
    except ValueError as error:
        raise InputError(say("cursor_invalid", why=error), field="cursor") from None
    return Polled(tuple(items), next_cursor, credits, more=looks_cut(trigger, inputs, found))


def _is_numberless(found: list[dict[str, Any]]) -> bool:
    """Whether a list that is read by the numbers of its ids has none."""
    ids = [id for row in islice(found, NUMBERS_AMONG) if (id := row.get("id")) is not None]
    return bool(ids) and all(number_of(id) is None for id in ids)


def looks_cut(trigger: Trigger, inputs: dict[str, Any], found: list[dict[str, Any]]) -> bool:
    """Whether the trigger takes a list of this length for one that was cut off."""
    cut_off = handlers.offered(trigger, "more")
    return bool(cut_off and cut_off(found, inputs))
