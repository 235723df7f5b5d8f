"""Fires once when something is raised, and again only after it was clear in between.

The cursor is text: `1` while all is clear, `1~low` when the alarm "low" was given. Each recovery begins a new episode;
its number is part of the item's id, so that a relapse is not mistaken for a repeat.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

from connector.core.polls.days import berlin_day, berlin_day_of
from connector.core.polls.page import Page, Row, Turn
from connector.core.templates import Template, at, condition
from connector.core.values.money import as_money

MAX_GIVEN = 50
_FORM = re.compile(r"(?P<episode>[0-9]{1,9})(?:~(?P<given>[A-Za-z0-9%._,-]+))?")
_WAITING, _WARNED = "waiting", "warned:"
"""How earlier versions wrote an alarm about a day."""


@dataclass(frozen=True, slots=True)
class Given:
    """The alarms given in this episode."""

    episode: int = 1
    keys: tuple[str, ...] = ()

    @classmethod
    def read(cls, text: str | None) -> Given:
        """Reads a cursor; raises `ValueError` when it is none of this strategy."""
        if text is None or text == _WAITING:
            return cls()
        if text.startswith(_WARNED):
            return cls(1, (text.removeprefix(_WARNED),))
        found = _FORM.fullmatch(text)
        if found is None:
            raise ValueError(f"not a cursor of this trigger: {text[:40]!r}")
        return cls(int(found["episode"]), tuple(map(unquote, found["given"].split(","))) if found["given"] else ())

    def __str__(self) -> str:
        keys = ",".join(quote(key, safe="").replace("~", "%7E") for key in self.keys)
        return f"{self.episode}~{keys}" if keys else str(self.episode)

    def has_room_for(self, key: str) -> bool:
        """Whether the alarm was not given in this episode. Beyond a bound nothing more is given."""
        return key not in self.keys and len(self.keys) < MAX_GIVEN

    def with_key(self, key: str) -> Given:
        """After this alarm was given."""
        return Given(self.episode, (*self.keys, key))

    def cleared(self) -> Given:
        """After all is clear again."""
        return Given(self.episode + 1) if self.keys else self


class State(NamedTuple):
    """How a row stands: raised or clear; neither when it says nothing."""

    raised: bool = False
    clear: bool = False
    key: str = ""
    adds: Mapping[str, Any] = {}


class Alarm:
    """The strategy `alarm`."""

    stateless = True
    single = None
    reads_by_id = False

    def __init__(self, declared: Mapping[str, Any]) -> None:
        self._below, self._within = declared.get("below"), declared.get("within")
        self._when = condition(declared["when"]) if "when" in declared else None
        self._clear = condition(declared["clear"]) if "clear" in declared else None
        self._key = Template(declared["key"]) if "key" in declared else None
        self._id = Template(declared["id"])

    def asks(self, inputs: Mapping[str, Any], cursor: str | None, now: datetime, start: str) -> dict[str, Any]:
        """Nothing beyond the inputs."""
        return {}

    def turn(self, page: Page, cursor: str | None, inputs: Mapping[str, Any], now: datetime, start: str) -> Turn:
        """The rows whose alarm was raised, and the next cursor."""
        given = Given.read(cursor)
        fired: list[Row] = []
        if cursor is None and start != "all":
            return Turn(fired, str(given))
        for row in page.rows:
            state = self._state(row, inputs, now)
            if state.raised and given.has_room_for(state.key):
                given = given.with_key(state.key)
                fired.append(self._item(row, inputs, state, str(given.episode)))
            elif state.clear:
                given = given.cleared()
        return Turn(fired, str(given))

    def without_memory(self, rows: list[Row], inputs: Mapping[str, Any], now: datetime) -> list[Row]:
        """What a platform without a cursor shows: everything raised; what can clear again, once a day."""
        states = [(row, self._state(row, inputs, now)) for row in rows]
        day = berlin_day(now).isoformat()
        return [self._item(row, inputs, state, day) for row, state in states if state.raised]

    def _item(self, row: Row, inputs: Mapping[str, Any], state: State, episode: str) -> Row:
        provided = {"key": state.key, "episode": episode}
        return {**row, "_id": self._id.render(row, inputs, provided), **state.adds}

    def _state(self, row: Row, inputs: Mapping[str, Any], now: datetime) -> State:
        if self._below:
            return self._below_threshold(row, inputs)
        if self._within:
            return self._within_days(row, inputs, now)
        key = self._key.render(row, inputs) if self._key else ""
        raised = self._when is not None and self._when(row)
        return State(raised, not raised and self._clear is not None and self._clear(row), key)

    def _below_threshold(self, row: Row, inputs: Mapping[str, Any]) -> State:
        declared = self._below or {}
        threshold = as_money(inputs[declared["input"]])
        for path in declared["of"]:
            try:
                amount = as_money(at(row, path))
            except ValueError:
                continue
            key = self._key.render(row, inputs) if self._key else ""
            return State(amount < threshold, amount >= threshold, key, {declared["as"]: threshold})
        return State()

    def _within_days(self, row: Row, inputs: Mapping[str, Any], now: datetime) -> State:
        declared = self._within or {}
        day = berlin_day_of(at(row, declared["date"]))
        if day is None:
            return State()
        left = (day - berlin_day(now)).days
        return State(left <= int(inputs[declared["input"]]), key=day.isoformat(), adds={declared["as"]: left})
