"""One poll of a trigger: sends its request and lets the trigger's strategy find the new items.

The service does not document its page size, and a page that was cut off looks complete unless its length is a round
number. The free accounts list counts the rows of every account: while fewer were read, there are more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from connector.client import Call, Reply, Sender
from connector.client.exchange import exchange
from connector.client.steps import Steps
from connector.core.data.answers import items_in, object_in
from connector.core.errors import BadReply, InputError, NotFound
from connector.core.manifest.model import Each, Trigger
from connector.core.messages import say
from connector.core.polls.alarm import Alarm
from connector.core.polls.by_id import ById
from connector.core.polls.cursor import Cursor
from connector.core.polls.page import Page, PageResult, Row, may_be_cut
from connector.core.problems import reason_of
from connector.core.service.wire import Wire
from connector.core.values.ids import SINCE_PREFIX, number_of
from connector.core.writes.marks import may_show_marks, without_marks
from connector.runtime.requests.request import build_call, handler_function
from connector.runtime.result import Credits, Readable


def rows_counted(accounts: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Return the number of posted and pending rows by account id, without accounts that do not report one."""
    counted: dict[str, int] = {}
    for account in accounts:
        extra = account.get("extra")
        counts = extra.get("transactions_count") if isinstance(extra, Mapping) else None
        if isinstance(counts, Mapping):
            kinds = [counts.get("posted"), counts.get("pending")]
            known = [count for count in kinds if type(count) is int and count >= 0]
            if known:
                counted[str(account.get("id"))] = sum(known)
    return counted


def pending_counted(accounts: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Return the number of pending rows by account id, without accounts that do not report one."""
    counted: dict[str, int] = {}
    for account in accounts:
        extra = account.get("extra")
        counts = extra.get("transactions_count") if isinstance(extra, Mapping) else None
        pending = counts.get("pending") if isinstance(counts, Mapping) else None
        if type(pending) is int and pending >= 0:
            counted[str(account.get("id"))] = pending
    return counted


def rows_in(counted: Mapping[str, int], account_id: str | None) -> int | None:
    """Return the number of rows of one account or of all; None when unknown."""
    if account_id is not None:
        return counted.get(account_id)
    return sum(counted.values()) if counted else None


class RowTotals:
    """How many rows of a list had been read at a cursor, for one trigger with its inputs."""

    def __init__(
        self, kept: MutableMapping[tuple[str, str, str], int] | None = None, trigger: str = "", inputs: Any = None
    ) -> None:
        self._kept = {} if kept is None else kept
        self._flow = (trigger, repr(sorted((inputs or {}).items())))

    def at(self, cursor: str | None) -> int | None:
        """Return the number at a cursor; None when it is not known."""
        return None if cursor is None else self._kept.get((*self._flow, cursor))

    def set(self, cursor: str, rows: int) -> None:
        """Remember the number at a cursor."""
        self._kept[(*self._flow, cursor)] = rows


KNOWN_FROM = "_known_from"
BEFORE, EVENTS, CONNECTS = "before", "events", "connects"
"""How one is known that the lookup does not list: from an earlier poll, an event, or a connect begun here."""


def known_before(trigger: Trigger, cursor: str | None) -> dict[str, str]:
    """Return those that the cursor knows of."""
    if not isinstance(trigger.poll, Alarm):
        raise TypeError(f"{trigger.id} watches nothing one by one")
    try:
        return dict.fromkeys(trigger.poll.known(cursor), BEFORE)
    except ValueError as error:
        raise InputError(say("cursor_invalid", why=reason_of(error)), field="cursor", reason="cursor_invalid") from None


def each_of(trigger: Trigger) -> Each:
    """Return what the trigger watches one by one."""
    each = trigger.each
    if each is None:
        raise TypeError(f"{trigger.id} watches nothing one by one")
    return each


def call_for(trigger: Trigger, inputs: Mapping[str, Any], id: str, wire: Wire) -> Call:
    """Build the request for one of them."""
    return build_call(trigger, {**inputs, each_of(trigger).input: id}, wire)


def with_origin(trigger: Trigger, row: Row, id: str, how: str) -> Row:
    """Return the row of one of them with its id and how it is known."""
    return {**row, each_of(trigger).id: id, KNOWN_FROM: how}


def watched(trigger: Trigger, rows: Sequence[Row]) -> tuple[dict[str, str], ...]:
    """Return which were watched, and how they are known."""
    id = each_of(trigger).id
    return tuple({"id": str(row[id]), "known_from": str(row[KNOWN_FROM])} for row in rows)


START = "now"


@dataclass(frozen=True, slots=True)
class Polled(Readable):
    """The items that a poll found, and the next cursor."""

    items: tuple[dict[str, Any], ...]
    cursor: str
    credits: Credits
    more: bool = False
    """Whether the list was probably cut off: another poll at once may find more."""
    watched: tuple[dict[str, str], ...] = ()
    """Those that were watched because no input named one, and how each is known."""

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON for the public interfaces."""
        told = {"ok": True, "items": list(self.items), "cursor": self.cursor, "credits": self.credits.as_dict()}
        return {**told, "watched": list(self.watched)} if self.watched else told


def check_start(start: str) -> str:
    """Return the start if it is `now`, `all` or `since:ID`; raise an input error otherwise."""
    since = start.startswith(SINCE_PREFIX) and number_of(start.removeprefix(SINCE_PREFIX)) is not None
    if start in {"now", "all"} or since:
        return start
    raise InputError(say("start_invalid"), field="start", reason="start_invalid")


def poll(
    trigger: Trigger,
    inputs: dict[str, Any],
    cursor: str | None,
    start: str,
    now: datetime,
    sender: Sender,
    balance: Any,
    rows_counted: Steps[int | None],
    listed: Steps[Sequence[str]] | None = None,
    totals: RowTotals | None = None,
) -> Steps[Polled]:
    """Poll once. `inputs` are already converted.

    `balance` is that of the credit ledger, for triggers that only watch it. `rows_counted` are the free steps that
    count the rows of a shared list; `listed` those that list what is watched one by one. `totals` remembers how many
    rows were counted at a cursor.
    """
    totals = totals or RowTotals()
    if listed is not None and trigger.watches_all(inputs):
        return (yield from _poll_each(trigger, inputs, cursor, start, now, sender, listed))
    if trigger.request is None:
        return process_page(trigger, Page([balance]), inputs, cursor, start, now, Credits(Decimal(0), None))
    if cursor is None and start == START:
        return (yield from _skip_history(trigger, inputs, now, sender, rows_counted, totals))
    rows, credits = yield from _rows(trigger, inputs, cursor, now, sender, start)
    cut = page_looks_cut(trigger, len(rows), cursor)
    polled = process_page(trigger, Page(rows, cut), inputs, cursor, start, now, credits)
    if trigger.shared is None or polled.more or not isinstance(trigger.poll, ById):
        return polled
    return replace(polled, more=(yield from _falls_short(polled, rows, cursor, start, rows_counted, totals)))


def _falls_short(
    polled: Polled,
    rows: list[Row],
    cursor: str | None,
    start: str,
    rows_counted: Steps[int | None],
    totals: RowTotals,
) -> Steps[bool]:
    """Whether a page of a paid list ended before rows that the free accounts list counts.

    `totals` knows how many rows had been read at a cursor. Without that, only a page without new rows is the end.
    """
    place = Cursor.starting(start) if cursor is None else Cursor.read(cursor)
    fresh = sum((number_of(row.get("id")) or 0) > place.after for row in rows)
    before = totals.at(cursor)
    if not fresh and before is not None:
        totals.set(polled.cursor, before)
        return False
    total = yield from rows_counted
    if total is None:
        return fresh > 0
    if fresh and before is not None:
        totals.set(polled.cursor, before + fresh)
        return before + fresh < total
    if not fresh:
        totals.set(polled.cursor, total)
    return fresh > 0


def _poll_each(
    trigger: Trigger,
    inputs: dict[str, Any],
    cursor: str | None,
    start: str,
    now: datetime,
    sender: Sender,
    listed: Steps[Sequence[str]],
) -> Steps[Polled]:
    """Ask for each one that is known; one that is no longer there is left out."""
    known = known_before(trigger, cursor)
    known |= dict.fromkeys((yield from listed), each_of(trigger).how)
    rows, cost = list[Row](), Decimal(0)
    for id, how in known.items():
        with suppress(NotFound):
            reply = yield from exchange(call_for(trigger, inputs, id, sender.credential.wire), sender)
            rows += [with_origin(trigger, row, id, how) for row in read_items(trigger, reply)]
            cost += reply.charge.cost
    polled = process_page(trigger, Page(rows), inputs, cursor, start, now, Credits(cost, None))
    return replace(polled, watched=watched(trigger, rows))


def _skip_history(
    trigger: Trigger,
    inputs: dict[str, Any],
    now: datetime,
    sender: Sender,
    rows_counted: Steps[int | None],
    totals: RowTotals,
) -> Steps[Polled]:
    """Read to the end of the list at the first poll of a flow that starts now, however many pages it has.

    Rows that arrive later are new, and must not be mistaken for unread history. A list from a date on cannot be
    compared with the count of rows.
    """
    cursor, items, cost, read, counted = None, list[Row](), Decimal(0), 0, None
    by_count = trigger.shared is not None and trigger.shared.since not in strategy_inputs(
        trigger, inputs, None, now, START
    )
    while True:
        rows, credits = yield from _rows(trigger, inputs, cursor, now, sender, START)
        read, cost = read + len(rows), cost + credits.cost
        if cursor is None and rows and by_count:
            counted = yield from rows_counted
        cut = page_looks_cut(trigger, len(rows), cursor)
        if rows and trigger.shared is not None and (counted is None or read < counted):
            cut = True  # without a count, only an empty page is the end
        polled = process_page(trigger, Page(rows, cut), inputs, cursor, START, now, credits)
        items += polled.items
        if not polled.more or polled.cursor == cursor:
            break
        cursor = polled.cursor
    if counted is not None:
        totals.set(polled.cursor, counted)
    return replace(polled, items=tuple(items), credits=Credits(cost, credits.balance))


def _rows(
    trigger: Trigger, inputs: dict[str, Any], cursor: str | None, now: datetime, sender: Sender, start: str
) -> Steps[tuple[list[Row], Credits]]:
    asked = {**inputs, **strategy_inputs(trigger, inputs, cursor, now, start)}
    reply = yield from exchange(build_call(trigger, asked, sender.credential.wire), sender)
    return read_items(trigger, reply), Credits(reply.charge.cost, reply.charge.balance)


def strategy_inputs(
    trigger: Trigger, inputs: Mapping[str, Any], cursor: str | None, now: datetime, start: str
) -> dict[str, Any]:
    """Return the inputs that the strategy adds to this poll's request, such as the position."""
    if trigger.poll is None:
        return {}
    try:
        return trigger.poll.asks(inputs, cursor, now, start)
    except ValueError as error:
        raise _invalid_cursor(error) from None


def read_items(trigger: Trigger, reply: Reply) -> list[Row]:
    """Return the answer's rows; a single resource is one row."""
    try:
        if trigger.is_list:
            found = [item for item in items_in(reply.value, trigger.answer_in) if isinstance(item, dict)]
        else:
            found = [object_in(reply.value, trigger.answer_in)]
    except ValueError as error:
        raise BadReply(say("reply_unexpected", why=reason_of(error)), reason="reply_unexpected") from None
    return [without_marks(row) for row in found] if may_show_marks(trigger.resource) else found


def process_page(
    trigger: Trigger,
    page: Page,
    inputs: dict[str, Any],
    cursor: str | None,
    start: str,
    now: datetime,
    credits: Credits,
) -> Polled:
    """Pass a page to the trigger's strategy or handler; return the items and the next cursor. Pure."""
    own = handler_function(trigger, "turn")
    try:
        if trigger.poll is not None:
            done = trigger.poll.turn(page, cursor, inputs, now, start)
        elif own is not None:
            done = PageResult(*own(page.rows, cursor, inputs, now, start))
        else:
            raise TypeError(f"{trigger.id} is not polled")
    except ValueError as error:
        raise _invalid_cursor(error) from None
    # A further page of a free list is asked for until one brings nothing new; a paid one must be worth its credit.
    more = page.cut or done.more or (done.fresh and not trigger.cost.credits)
    return Polled(tuple(done.items), done.cursor, credits, more=more)


def page_looks_cut(trigger: Trigger, count: int, cursor: str | None) -> bool:
    """Whether a page of so many rows may have been cut off, for strategies that read page by page.

    Of history that a free list shows, only an empty page is the end: what is behind it would be taken for new.
    """
    if trigger.poll is None or not trigger.poll.reads_by_id:
        return False
    is_first = cursor is None or Cursor.is_skipping(cursor)
    return may_be_cut(count) or (is_first and count > 0 and not trigger.cost.credits)


def _invalid_cursor(error: ValueError) -> InputError:
    return InputError(say("cursor_invalid", why=reason_of(error)), field="cursor", reason="cursor_invalid")
