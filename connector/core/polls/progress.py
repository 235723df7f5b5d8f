"""Fires each time a row's state moves forward along declared states, its first one included.

A series of states: which one is later, which ones are final, and that none goes back.

Rows that are not final are read again from the lowest of them. A state never goes back: a list that is behind the times
changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from connector.core.polls.by_id import position
from connector.core.polls.cursor import Cursor
from connector.core.polls.page import Page, PageResult, Row, numbered


class States:
    """A series as `manifests/states.yaml` declares it; equal ones stand in one list."""

    def __init__(self, declared: Mapping[str, Any]) -> None:
        steps = [step if isinstance(step, list) else [step] for step in declared["order"]]
        self.rank: Mapping[str, int] = {state: rank for rank, step in enumerate(steps, start=1) for state in step}
        self.final = frozenset(declared["final"])
        self.succeeded = frozenset(declared.get("succeeded", ()))
        self.needs_person = frozenset(declared.get("needs_person", ()))

    def moves_forward(self, old: str | None, new: str) -> bool:
        """Whether `new` is news for something last known as `old`; None when nothing is known of it yet.

        A state that nobody described lies somewhere between the first and the final ones: it is news itself, and it
        keeps none of the described ones from being news.
        """
        if old is None:
            return True
        if old == new or old in self.final:
            return False
        if old in self.rank and new in self.rank:
            return self.rank[new] > self.rank[old]
        return True


MAX_WATCHED = 5_000


class Progress:
    """The strategy `progress`."""

    stateless = True
    single = None
    reads_by_id = True
    reads_again = True
    members = None

    def __init__(self, declared: Mapping[str, Any], states: States) -> None:
        self.after = str(declared["after"])
        self._field = str(declared["field"])
        self._states = states
        self._previous = str(declared["previous"])
        self._only = declared.get("only")
        recent = declared.get("recent", {})
        self.came, self.since = recent.get("came"), recent.get("since")

    def asks(self, inputs: Mapping[str, Any], cursor: str | None, now: datetime, start: str) -> dict[str, Any]:
        """Read from the lowest row that is not final."""
        return position(self.after, self.since, cursor, start)

    def turn(self, page: Page, cursor: str | None, inputs: Mapping[str, Any], now: datetime, start: str) -> PageResult:
        """The rows with a later state, and the next cursor."""
        known = Cursor.starting(start) if cursor is None else Cursor.read(cursor)
        rows = numbered(page)
        gone = known.gone(rows, page.behind)
        watched = {number: state for number, state in known.waiting.items() if number not in gone}
        fired, fresh = list[Row](), False
        for number, row in rows.items():
            state, before = row.get(self._field), known.waiting.get(number)
            first_sight = before is None and known.is_new(number, row, self.came)
            fresh = fresh or first_sight
            if not isinstance(state, str) or not state or not (before or first_sight):
                continue
            if not self._states.moves_forward(before, state):
                continue
            watched[number] = state
            if self._is_wanted(state, inputs) and not (first_sight and known.skipping):
                fired.append(self._item(row, state, before))
        open_ones = {number: watched[number] for number in sorted(watched) if watched[number] not in self._states.final}
        bounded = {number: open_ones[number] for number in list(open_ones)[-MAX_WATCHED:]}
        then = known.moved(rows, page.cut, bounded, page.behind, self.came)
        return PageResult(fired, str(then), known.goes_on(then), fresh)

    def without_memory(self, rows: list[Row], inputs: Mapping[str, Any], now: datetime) -> list[Row]:
        """What a platform without a cursor shows: every row with its state, newest first."""
        return self.turn(Page(rows), None, inputs, now, "all").items[::-1]

    def _is_wanted(self, state: str, inputs: Mapping[str, Any]) -> bool:
        return self._only is None or inputs.get(self._only, state) == state

    def _item(self, row: Row, state: str, before: str | None) -> Row:
        return {**row, "_id": f"{row['id']}:{state}", self._previous: before}
