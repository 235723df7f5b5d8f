"""One poll of a trigger: asks the service once, and lets the trigger's handler say what is new."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from connector.client import Reply
from connector.errors import BadReply, InputError
from connector.manifest.model import Trigger
from connector.messages import say
from connector.resources.envelopes import items_in, object_in
from connector.runtime import handlers
from connector.runtime.request import build_call
from connector.runtime.result import Credits, Readable
from connector.runtime.steps import Ask, Steps
from connector.values.ids import MAX_DIGITS
from connector.wire import Wire

START = "now"
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
    kind, _, id = start.partition(":")
    if start in {"now", "all"} or (kind == "since" and id.isascii() and id.isdigit() and len(id) <= MAX_DIGITS):
        return start
    raise InputError(say("start_invalid"), field="start")


def poll(
    trigger: Trigger, inputs: dict[str, Any], cursor: str | None, start: str, now: datetime, wire: Wire, balance: Any
) -> Steps[Polled]:
    """Polls once. `inputs` are cleaned; `balance` is what the credit ledger knows, for triggers that only watch it.

    The very first poll of a trigger that starts now goes on to the end of what is there already: what arrives after it
    is new, and must not be taken for the rest of the past.
    """
    if trigger.request is None:
        return turn(trigger, [balance], inputs, cursor, start, now, Credits(Decimal(0), None))
    polled = yield from _page(trigger, inputs, cursor, start, now, wire)
    pages = 1
    while cursor is None and start == "now" and polled.more and pages < MOST_BASELINE_PAGES:
        further = yield from _page(trigger, inputs, polled.cursor, start, now, wire)
        pages += 1
        cost = Credits(polled.credits.cost + further.credits.cost, further.credits.balance)
        moved = further.cursor != polled.cursor
        polled = replace(further, items=(*polled.items, *further.items), credits=cost)
        if not moved:
            break
    return polled


def _page(
    trigger: Trigger, inputs: dict[str, Any], cursor: str | None, start: str, now: datetime, wire: Wire
) -> Steps[Polled]:
    reply: Reply = yield Ask(build_call(trigger, {**inputs, **extra(trigger, inputs, cursor, now)}, wire))
    found = read_items(trigger, reply)
    return turn(trigger, found, inputs, cursor, start, now, Credits(reply.charge.cost, reply.charge.balance))


def extra(trigger: Trigger, inputs: Mapping[str, Any], cursor: str | None, now: datetime) -> dict[str, Any]:
    """What the handler adds to the request of this poll."""
    ask = handlers.offered(trigger, "ask")
    try:
        return dict(ask(inputs, cursor, now)) if ask else {}
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
    try:
        items, next_cursor = handlers.required(trigger, "turn")(found, cursor, inputs, now, start)
    except ValueError as error:
        raise InputError(say("cursor_invalid", why=error), field="cursor") from None
    cut_off = handlers.offered(trigger, "more")
    return Polled(tuple(items), next_cursor, credits, more=bool(cut_off and cut_off(found, inputs)))
