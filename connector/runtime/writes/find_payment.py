"""Finds a payment at the service by the marks that Kontor sent with it. The list that shows them is free of charge.

How many requests that takes depends on what is new, not on what is old. The store keeps up to where the list was read
whole, a day behind its newest row, since rows can appear below a higher id; each search reads that day again. The marks
of what lies below are in the store. A store that is new, or was put back, first reads the list back by some weeks, and
where the rate limit ends that, it goes on at the next try.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any

from connector.client import Call, Sender
from connector.client.exchange import exchange
from connector.client.steps import Commit, Query, Steps
from connector.core.data.answers import items_in, object_in
from connector.core.errors import BadReply, InputError
from connector.core.manifest.model import Action, ReadBack
from connector.core.messages import say
from connector.core.problems import reason_of
from connector.core.service import environment
from connector.core.service.credential import Credential
from connector.core.values.dates import instant
from connector.core.values.ids import number_of
from connector.core.values.money import as_money
from connector.core.writes import marks
from connector.runtime.context import try_commit
from connector.runtime.requests.request import build_call, wire_name

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from connector.store.runs.payment_records import Mark, Position

TIMEOUT, DEADLINE = 8.0, 12.0
"""Seconds for one answer of the list, and for a request with its waiting."""
OVERLAP = timedelta(hours=24)
"""For how long a row may appear below one with a higher id."""
ADVANCE = timedelta(hours=1)
"""By how much the position moves at least, so that not every search writes it."""
ZONE = timedelta(hours=12)
"""How far the service's day may begin after the day in UTC."""
READ_BACK_VARIABLE = "KONTOR_READ_BACK_DAYS"
READ_BACK_DAYS = int(environment.default(READ_BACK_VARIABLE))
"""How many days a new store reads back."""
MAX_READ_BACK_DAYS = 3660
FIRST_ROWS = 100
"""How many of the newest rows a new store asks for."""
WRITES_SHARE = 3
"""How many requests of a search may use the permits that are reserved for writes; more must not use up the window."""
NEWEST_FIRST, BY_ID = {"sort": "date"}, {"sort": "id"}
AFTER_ID = "from_id"
WHOLE_IDENTIFIER = re.compile("[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}|[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}")
"""An IBAN or a UUID that is not shortened."""
Found = dict[str, Any]


@dataclass(frozen=True, slots=True)
class PaymentFinder:
    """Searches the list of one API key for the writes of one workspace."""

    how: ReadBack
    list_action: Action
    one_action: Action | None
    sender: Sender
    workspace: str

    def find_among_newest(self, mark: str) -> Steps[Found | None]:
        """Look at the newest payments only, which finds a recent one in one request."""
        position = yield Query(self._position)
        matches = Matches(self.how, (mark,))
        matches.add((yield from self._newest(position.read_until)))
        return matches.first(mark)

    def find(self, mark: str) -> Steps[Found | None]:
        """Return the payment that carries the mark, None when there is none; raise when that cannot be found out."""
        return (yield from self.find_all((mark,))).get(mark)

    def find_all(self, marks: Iterable[str]) -> Steps[dict[str, Found]]:
        """Return the payments that carry these marks; those that are not there are left out."""
        matches = Matches(self.how, marks)
        position: Position = yield Query(self._position)
        newest = yield from self._newest(position.read_until)
        matches.add(newest)
        read_now = False
        if matches.missing and position.read_until is None and newest:
            read_now = yield from self._read_back(position, newest, matches)
            if matches.missing and not read_now:
                position = yield Query(self._position)
                if position.read_until is not None:
                    newest = yield from self._newest(position.read_until)
        if matches.missing and newest and not read_now:
            rows = yield from self._read_since(position, newest, matches)
            if matches.missing:
                yield from self._advance(position, [*newest, *rows])
        return (yield from self._with_known(matches))

    def all_rows(self) -> Steps[list[Found]]:
        """Read the whole list, page by page in the order of ids."""
        return (yield from self._walk({}, Walk([]), Matches(self.how, ("",))))

    def newest(self, since: float | None, most: int) -> Steps[list[Found]]:
        """Read the newest rows, made since a Unix time, by one request."""
        bound = {str(self.how.most): most} if self._takes(self.how.most) else {}
        return (yield from self._page({**NEWEST_FIRST, **bound, **self._since(since)}, writes_share=True))

    def _position(self, connection: Connection) -> Position:
        from connector.store.runs import payment_records

        return payment_records.read_position(connection, self.sender.credential.fingerprint)

    def _newest(self, read_until: float | None) -> Steps[list[Found]]:
        """Read the newest rows: of the overlap, or of a new store only some."""
        few = {str(self.how.most): FIRST_ROWS} if read_until is None and self._takes(self.how.most) else {}
        return (yield from self._page({**NEWEST_FIRST, **few, **self._since(read_until)}, writes_share=True))

    def _since(self, moment: float | None) -> dict[str, Any]:
        if moment is None or not self._takes(self.how.since):
            return {}
        return {str(self.how.since): (datetime.fromtimestamp(moment, UTC) - ZONE).date()}

    def _takes(self, input: str | None) -> bool:
        """Whether the service has such a parameter."""
        fields = (field for field in self.list_action.inputs if field.name == input)
        return any(wire_name(field, self.sender.credential.wire) is not None for field in fields)

    def _read_since(self, position: Position, newest: list[Found], matches: Matches) -> Steps[list[Found]]:
        """Read what may have been made since the list was read whole, or the whole list, until all is found.

        Raise when something is missing and may lie between the pages.
        """
        since = self._since(position.read_until)
        first = yield from self._page({**BY_ID, **since}, writes_share=True)
        walk = Walk(newest)
        until = position.read_until
        if since and until is not None and position.after_id is not None and self._ignores(first, until):
            # The service shows all days: begin at the id instead.
            since, walk = {}, Walk(newest, position.after_id)
            first = yield from self._page(walk.inputs, writes_share=True)
        rows = yield from self._walk(since, walk, matches, first)
        if matches.missing and not walk.is_whole:
            raise _endless()
        return rows

    def _ignores(self, rows: list[Found], moment: float) -> bool:
        """Whether a page shows days that were left out of the question."""
        oldest = moment - 2 * (OVERLAP + ZONE).total_seconds()
        return any(made < oldest for row in rows if (made := self.made(row)) is not None)

    def _read_back(self, position: Position, newest: list[Found], matches: Matches) -> Steps[bool]:
        """Read some weeks back, or go on with that, until all is read or found; each page is kept.

        Return whether all of it was read just now: what began earlier may have missed what appeared meanwhile.
        """
        from connector.store.runs import payment_records

        times = [self.made(row) for row in newest]
        if None in times or not self._takes(self.how.since):
            return False  # without times there is no position: the whole list is read each time
        newest_at = self._bounded(times)
        back_from = position.back_from
        if back_from is None:
            began = datetime.fromtimestamp(newest_at, UTC) - timedelta(days=_read_back_days())
            back_from = began.date().isoformat()
        walk, since = Walk(newest, position.back_cursor), {str(self.how.since): date.fromisoformat(back_from)}
        for number in count():
            rows = yield from self._page({**since, **walk.inputs}, writes_share=number < WRITES_SHARE)
            matches.add(rows)
            ended = walk.ends_with(rows)
            if ended and not walk.is_whole:
                raise _endless()
            place = payment_records.Position(back_from=back_from, back_cursor=walk.highest)
            if ended:
                place = payment_records.Position(read_until=newest_at - OVERLAP.total_seconds())
            yield Commit(self._advancing(place, rows), durable=False)
            if ended or not matches.missing:
                return ended and position.back_cursor is None
        raise AssertionError("pages do not end by themselves")

    def _walk(
        self, inputs: Mapping[str, Any], walk: Walk, matches: Matches, first: list[Found] | None = None
    ) -> Steps[list[Found]]:
        """Read page after page in the order of ids, after the first if that is given, until the end or all is found."""
        read: list[Found] = []
        rows = (yield from self._page({**inputs, **walk.inputs}, writes_share=True)) if first is None else first
        for number in count():
            read += rows
            matches.add(rows)
            if walk.ends_with(rows) or not matches.missing:
                break
            rows = yield from self._page({**inputs, **walk.inputs}, writes_share=number < WRITES_SHARE)
        return read

    def _advance(self, position: Position, rows: list[Found]) -> Steps[None]:
        """Move the position towards the newest row, and keep the marks of what then lies below."""
        from connector.store.runs import payment_records

        times = [self.made(row) for row in rows]
        if position.read_until is None or None in times:
            return
        until = self._bounded(times) - OVERLAP.total_seconds()
        if until - position.read_until < ADVANCE.total_seconds():
            return
        below = [row for row, made in zip(rows, times, strict=True) if made is not None and made < until]
        above = [row for row, made in zip(rows, times, strict=True) if made is not None and made >= until]
        place = payment_records.Position(until, _border(below, above) or position.after_id)
        yield from try_commit(self._advancing(place, below), durable=False)

    def _advancing(self, place: Position, rows: list[Found]) -> Callable[[Connection], None]:
        """Return the change that keeps a position, with the marks of these rows."""
        from connector.store.runs.payment_records import Mark, advance_position

        marked_rows = [(row, mark) for row in rows if (mark := mark_of(self.how, row)) is not None]
        marks = [Mark(str(row.get("id")), mark, _digest_of(self.how, row)) for row, mark in marked_rows]
        return partial(advance_position, credential=self.sender.credential.fingerprint, to=place, marks=marks)

    def _bounded(self, times: Iterable[float | None]) -> float:
        """Return the newest time, but none that lies ahead: one senseless row must not hide all that follow."""
        return min(max(made for made in times if made is not None), self.sender.clock.utcnow().timestamp())

    def _with_known(self, matches: Matches) -> Steps[dict[str, Found]]:
        """Return what was found, with what only the store knows of; raise an alarm where two carry one mark."""
        from connector.store.runs import alerts, payment_records

        found: dict[str, Found] = {}
        for mark in matches.wanted:
            query = partial(payment_records.marked_payments, credential=self.sender.credential.fingerprint, mark=mark)
            known: list[Mark] = yield Query(query)
            payment = matches.first(mark) or ((yield from self._shown(known[0])) if known else None)
            if payment is None:
                continue
            found[mark] = payment
            ids = sorted({*matches.ids(mark), *(one.payment_id for one in known)})
            if len(ids) > 1:
                alarm = partial(
                    alerts.raise_alarm,
                    workspace=self.workspace,
                    kind="paid_twice",
                    subject=mark,
                    details={"found": ids},
                    now=self.sender.clock.utcnow(),
                )
                yield from try_commit(alarm, durable=False)
        return found

    def _shown(self, known: Mark) -> Steps[Found]:
        """Read a payment that the store knows of."""
        marks = {self.how.key_name: known.mark, self.how.digest_name: known.digest}
        if self.one_action is None:
            return {"id": known.payment_id, self.how.key_field: marks}
        call = build_call(self.one_action, {"id": known.payment_id}, self.sender.credential.wire)
        limited = replace(call, timeout=TIMEOUT, deadline=DEADLINE, serves_write=True)
        reply = yield from exchange(limited, self.sender)
        try:
            payment = object_in(reply.value)
        except ValueError as error:
            raise BadReply(say("reply_unexpected", why=reason_of(error)), reason="reply_unexpected") from None
        return {**payment, self.how.key_field: {**(payment.get(self.how.key_field) or {}), **marks}}

    def _page(self, inputs: Mapping[str, Any], *, writes_share: bool) -> Steps[list[Found]]:
        call = build_call(self.list_action, dict(inputs), self.sender.credential.wire)
        limited = replace(call, timeout=TIMEOUT, deadline=DEADLINE, serves_write=writes_share)
        reply = yield from exchange(limited, self.sender)
        try:
            return [row for row in items_in(reply.value) if isinstance(row, dict)]
        except ValueError as error:
            raise BadReply(say("reply_unexpected", why=reason_of(error)), reason="reply_unexpected") from None

    def made(self, row: Found) -> float | None:
        """Return when a payment was made, as Unix time; None where it does not say so."""
        try:
            return instant(row.get(str(self.how.made))).timestamp()
        except ValueError:
            return None


class Matches:
    """The rows that were seen with one of the wanted marks."""

    def __init__(self, how: ReadBack, wanted: Iterable[str]) -> None:
        self._how = how
        self._rows: dict[str, dict[str, Found]] = {mark: {} for mark in wanted}

    @property
    def wanted(self) -> tuple[str, ...]:
        """All marks."""
        return tuple(self._rows)

    @property
    def missing(self) -> bool:
        """Whether a mark was not seen yet."""
        return not all(self._rows.values())

    def add(self, rows: Iterable[Found]) -> None:
        """Take rows with a wanted mark, the same row once."""
        for row in rows:
            mark = mark_of(self._how, row)
            if mark in self._rows:
                self._rows[str(mark)].setdefault(str(row.get("id")), row)

    def first(self, mark: str) -> Found | None:
        """Return the first row with this mark."""
        return next(iter(self._rows[mark].values()), None)

    def ids(self, mark: str) -> tuple[str, ...]:
        """Return the ids of the payments with this mark."""
        return tuple(self._rows[mark])


class Walk:
    """Where a reading in the order of ids stands, and whether it has shown the whole list."""

    def __init__(self, newest: list[Found], after: str | None = None) -> None:
        shown = _ids_in(newest)
        self._newest = shown if after is None else [id for id in shown if _is_below(after, id)]
        self._in_order = _rise(shown[::-1])
        self._ascends = True
        """Whether no page came in another order than was asked for: then paging by the highest id leaves some out."""
        self._seen: set[str] = set()
        self.highest = after
        self.is_whole = False
        """Whether its end was reached, and nothing lies between the pages."""

    @property
    def inputs(self) -> dict[str, str]:
        """What to ask the list for next."""
        return BY_ID if self.highest is None else {**BY_ID, AFTER_ID: self.highest}

    def ends_with(self, rows: list[Found]) -> bool:
        """Take the next page, and return whether there is nothing more to ask for. Its length says nothing of that."""
        ids = _ids_in(rows)
        has_new, lost_ids = not self._seen.issuperset(ids), bool(rows and not ids and self._seen)
        self._seen.update(ids)
        for id in ids:
            if self.highest is None or _is_below(self.highest, id):
                self.highest = id
        self._ascends = self._ascends and (_rise(ids) or any(number_of(id) is None for id in ids))
        self._in_order = self._in_order and _rise(ids)
        if self._in_order and not self._seen.isdisjoint(self._newest):
            self.is_whole = True
        elif not has_new:
            knows_no_pages = self._seen.issubset(ids)
            ordered = self._ascends or knows_no_pages
            self.is_whole = ordered and not lost_ids and self._seen.issuperset(self._newest)
        return self.is_whole or not has_new


def _read_back_days() -> int:
    text = os.environ.get(READ_BACK_VARIABLE, "").strip()
    if text and not (text.isascii() and text.isdigit() and 1 <= int(text) <= MAX_READ_BACK_DAYS):
        message = say("read_back_days_invalid", name=READ_BACK_VARIABLE, most=MAX_READ_BACK_DAYS)
        raise InputError(message, field=READ_BACK_VARIABLE, reason="read_back_days_invalid")
    return int(text or READ_BACK_DAYS)


def _endless() -> BadReply:
    return BadReply(say("reply_unexpected", why=say("answer_endless")), reason="reply_unexpected")


def _ids_in(rows: list[Found]) -> list[str]:
    return [str(id) for row in rows if type(id := row.get("id")) in {str, int}]


def _is_below(one: str, other: str) -> bool:
    """Compare ids as integers where both are, else as text."""
    first, second = number_of(one), number_of(other)
    return one < other if first is None or second is None else first < second


def _rise(ids: list[str]) -> bool:
    """Whether ids ascend as numbers. Other ids need not follow the time, so where they meet proves nothing."""
    return all(number_of(id) is not None for id in ids) and all(map(_is_below, ids, ids[1:]))


def _border(below: list[Found], above: list[Found]) -> str | None:
    """Return the highest id below, where all ids above are higher; None where ids do not follow the time."""
    lower, higher = _ids_in(below), _ids_in(above)
    if not lower or any(number_of(id) is None for id in (*lower, *higher)):
        return None
    highest = max(lower, key=lambda id: number_of(id) or 0)
    return highest if all(_is_below(highest, id) for id in higher) else None


def finder_for(
    action: Action, find_action: Callable[[str], Action], sender: Sender, workspace: str
) -> PaymentFinder | None:
    """Return what finds the writes of this action; None when the service cannot show them."""
    how = action.read_back
    if how is None:
        return None
    one = find_action(how.one) if how.one else None
    return PaymentFinder(how, find_action(how.action), one, sender, workspace)


def mark_of(how: ReadBack, row: Found) -> str | None:
    """Return the mark that a row of the list carries; None when it has none."""
    marks = row.get(how.key_field)
    mark = marks.get(how.key_name) if isinstance(marks, Mapping) else None
    return mark if isinstance(mark, str) else None


def _digest_of(how: ReadBack, row: Found) -> str:
    return str((row.get(how.key_field) or {}).get(how.digest_name) or "")


def same_write(how: ReadBack, found: Found, expected: str) -> bool:
    """Whether a write found under a key has this digest; without one, or with one of another version, it counts."""
    stored = _digest_of(how, found)
    return not marks.is_of_this_version(stored) or stored == expected


def contradicts(names: Iterable[str], found: Found, inputs: Mapping[str, Any]) -> bool:
    """Whether a row shows another amount, IBAN or UUID than was sent: another write, whatever marks it carries."""
    return any(_differ(inputs.get(name), found.get(name)) for name in names)


def _differ(sent: Any, shown: Any) -> bool:
    """Whether two numbers, whole IBANs or UUIDs differ; what is left out, shortened or unreadable tells nothing."""
    if isinstance(sent, Decimal):
        with suppress(ValueError):
            return sent != as_money(shown)
        return False
    texts = ["".join(text.split()).upper() for text in (sent, shown) if isinstance(text, str)]
    return len(texts) == 2 and texts[0] != texts[1] and all(map(WHOLE_IDENTIFIER.fullmatch, texts))


def marked(action: Action, inputs: dict[str, Any], mark: str, digest_text: str) -> dict[str, Any]:
    """Return the inputs with the marks by which the write can be found at the service later."""
    how = action.read_back
    if how is None:
        return inputs
    own = {how.key_name: mark, how.digest_name: digest_text}
    return {**inputs, how.key_field: {**inputs.get(how.key_field, {}), **own}}


def is_same_request(action: Action, inputs: dict[str, Any], mark: str, expected: str, stored: str) -> bool:
    """Whether a stored digest, of this version or an earlier one, belongs to these inputs."""
    if marks.is_of_this_version(stored):
        return stored == expected
    how = action.read_back
    own = {} if how is None else {how.key_field: {**inputs.get(how.key_field, {}), how.key_name: mark}}
    return stored == marks.digest_of_version_1({**inputs, **own})


def call_with_marks(
    action: Action, inputs: dict[str, Any], mark: str, digest_text: str, credential: Credential
) -> Call:
    """Build the call of a write, with its marks."""
    return build_call(action, marked(action, inputs, mark, digest_text), credential.wire)
