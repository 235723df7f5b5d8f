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
from connector.core.polls.page import looks_cut
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

    def steps(self, *, thorough: bool = False) -> Steps[Found | None]:
        """Read the list and return the write; None when the list does not show it.

        The newest come first, which finds a recent write in one request. If that page was cut off, or in a `thorough`
        look always, the list is then read page by page in the order of ids.
        """
        rows = yield from self._page(NEWEST_FIRST)
        found = self._find(rows)
        if found is not None or not rows or not (thorough or looks_cut(len(rows))):
            return found
        return self._find((yield from self.all_rows()))

    def all_rows(self) -> Steps[list[Found]]:
        """Read the whole list, page by page in the order of ids."""
        found: list[Found] = []
        last: int | None = None
        for _ in range(MAX_PAGES):
            rows = yield from self._page(BY_ID if last is None else {**BY_ID, "from_id": str(last)})
            found += rows
            numbers = [number for row in rows if (number := number_of(row.get("id"))) is not None]
            if not numbers or max(numbers) == last:
                break
            last = max(numbers)
        return found

    def _page(self, inputs: Mapping[str, Any]) -> Steps[list[Found]]:
        call = build_call(self.list_action, dict(inputs), self.credential.wire)
        reply: Reply = yield SendStep(replace(call, timeout=TIMEOUT, deadline=DEADLINE, serves_write=True))
        try:
            return [row for row in items_in(reply.value) if isinstance(row, dict)]
        except ValueError as error:
            raise BadReply(say("reply_unexpected", why=error), reason="reply_unexpected") from None

    def _find(self, rows: list[Found]) -> Found | None:
        return next((row for row in rows if mark_of(self.how, row) == self.mark), None)


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
