"""Looks up a write at the service by the marks that Kontor sent with it. The list it reads is free of charge."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from connector.core import digest
from connector.core.answers import items_in
from connector.core.client import Call, Reply
from connector.core.credential import Credential
from connector.core.errors import BadReply
from connector.core.manifest.model import Action, ReadBack
from connector.core.messages import say
from connector.core.reasons import reason_of
from connector.core.values.ids import number_of
from connector.runtime.request import build_call
from connector.runtime.steps import SendStep, Steps

TIMEOUT, DEADLINE = 8.0, 12.0
"""Seconds for one answer of the list, and for a whole look."""
MAX_PAGES = 200
NEWEST_FIRST, BY_ID = {"sort": "date"}, {"sort": "id"}
Found = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Look:
    """How to find one write: the marks it carries, and the list that shows them."""

    how: ReadBack
    list_action: Action
    credential: Credential
    mark: str
    """The caller's key, or the id of a run without one."""

    def steps(self, *, thorough: bool) -> Steps[Found | None]:
        """Read the list and return the write; None when the list does not show it.

        The newest come first, which finds a recent write in one request. A `thorough` look then reads the list in the
        order of ids until both together have shown all of it, and fails where that cannot be shown.
        """
        newest = yield from self._page(NEWEST_FIRST)
        found = self._find(newest)
        if found is not None or not newest or not thorough:
            return found
        walk = Walk(newest)
        for _ in range(MAX_PAGES):
            rows = yield from self._page(walk.inputs)
            found = self._find(rows)
            if found is not None:
                return found
            if walk.ends_with(rows):
                break
        if not walk.is_whole:
            raise BadReply(say("reply_unexpected", why=say("answer_endless")), reason="reply_unexpected")
        return None

    def all_rows(self) -> Steps[list[Found]]:
        """Read the whole list, page by page in the order of ids."""
        found: list[Found] = []
        walk = Walk([])
        for _ in range(MAX_PAGES):
            rows = yield from self._page(walk.inputs)
            found += rows
            if walk.ends_with(rows):
                break
        return found

    def _page(self, inputs: Mapping[str, Any]) -> Steps[list[Found]]:
        call = build_call(self.list_action, dict(inputs), self.credential.wire)
        reply: Reply = yield SendStep(replace(call, timeout=TIMEOUT, deadline=DEADLINE, serves_write=True))
        try:
            return [row for row in items_in(reply.value) if isinstance(row, dict)]
        except ValueError as error:
            raise BadReply(say("reply_unexpected", why=reason_of(error)), reason="reply_unexpected") from None

    def _find(self, rows: list[Found]) -> Found | None:
        return next((row for row in rows if mark_of(self.how, row) == self.mark), None)


class Walk:
    """Where a reading in the order of ids stands, and whether it has shown the whole list."""

    def __init__(self, newest: list[Found]) -> None:
        self._newest = _ids_in(newest)
        self._in_order = _rise(self._newest[::-1])
        self._ascends = True
        """Whether no page came in another order than was asked for: then paging by the highest id leaves some out."""
        self._seen: set[str] = set()
        self._highest: str | None = None
        self.is_whole = False
        """Whether its end was reached, and nothing lies between the pages."""

    @property
    def inputs(self) -> dict[str, str]:
        """What to ask the list for next."""
        return BY_ID if self._highest is None else {**BY_ID, "from_id": self._highest}

    def ends_with(self, rows: list[Found]) -> bool:
        """Take the next page, and return whether there is nothing more to ask for. Its length says nothing of that."""
        ids = _ids_in(rows)
        has_new, lost_ids = not self._seen.issuperset(ids), bool(rows and not ids and self._seen)
        self._seen.update(ids)
        for id in ids:
            if self._highest is None or _is_below(self._highest, id):
                self._highest = id
        self._ascends = self._ascends and (_rise(ids) or any(number_of(id) is None for id in ids))
        self._in_order = self._in_order and _rise(ids)
        if self._in_order and not self._seen.isdisjoint(self._newest):
            self.is_whole = True
        elif not has_new:
            knows_no_pages = self._seen.issubset(ids)
            ordered = self._ascends or knows_no_pages
            self.is_whole = ordered and not lost_ids and self._seen.issuperset(self._newest)
        return self.is_whole or not has_new


def _ids_in(rows: list[Found]) -> list[str]:
    return [str(id) for row in rows if type(id := row.get("id")) in {str, int}]


def _is_below(one: str, other: str) -> bool:
    """Compare ids as integers where both are, else as text."""
    first, second = number_of(one), number_of(other)
    return one < other if first is None or second is None else first < second


def _rise(ids: list[str]) -> bool:
    """Whether ids ascend as numbers. Other ids need not follow the time, so where they meet proves nothing."""
    return all(number_of(id) is not None for id in ids) and all(map(_is_below, ids, ids[1:]))


def mark_of(how: ReadBack, row: Found) -> str | None:
    """Return the mark that a row of the list carries; None when it has none."""
    marks = row.get(how.key_field)
    mark = marks.get(how.key_name) if isinstance(marks, Mapping) else None
    return mark if isinstance(mark, str) else None


def same_write(how: ReadBack, found: Found, expected: str) -> bool:
    """Whether a write found under a key has this digest; without one, or with one of another version, it counts."""
    stored = str((found.get(how.key_field) or {}).get(how.digest_name) or "")
    return not digest.is_of_this_version(stored) or stored == expected


def look_for(action: Action, mark: str, find_action: Callable[[str], Action], credential: Credential) -> Look | None:
    """Return the look for a write of this action; None when the service cannot show it."""
    how = action.read_back
    return None if how is None else Look(how, find_action(how.action), credential, mark)


def marked(action: Action, inputs: dict[str, Any], mark: str, digest_text: str) -> dict[str, Any]:
    """Return the inputs with the marks by which the write can be found at the service later."""
    how = action.read_back
    if how is None:
        return inputs
    own = {how.key_name: mark, how.digest_name: digest_text}
    return {**inputs, how.key_field: {**inputs.get(how.key_field, {}), **own}}


def is_same_request(action: Action, inputs: dict[str, Any], mark: str, expected: str, stored: str) -> bool:
    """Whether a stored digest, of this version or an earlier one, belongs to these inputs."""
    if digest.is_of_this_version(stored):
        return stored == expected
    how = action.read_back
    own = {} if how is None else {how.key_field: {**inputs.get(how.key_field, {}), how.key_name: mark}}
    return stored == digest.digest_of_version_1({**inputs, **own})


def call_with_marks(
    action: Action, inputs: dict[str, Any], mark: str, digest_text: str, credential: Credential
) -> Call:
    """Build the call of a write, with its marks."""
    return build_call(action, marked(action, inputs, mark, digest_text), credential.wire)
