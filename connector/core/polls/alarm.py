"""Fires once when something is raised, and again only after it was clear in between.

The cursor is text: `1` while all is clear, `1~low` when the alarm "low" was given. Each recovery begins a new episode;
its number is part of the item's id, so that a relapse is not mistaken for a repeat. Where several are watched, it has
that for each of them by its id: `*7100=1~low;7200=1`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

from connector.core.data.templates import Template, at, condition, text_of
from connector.core.polls.days import berlin_day, berlin_day_of
from connector.core.polls.page import Page, PageResult, Row
from connector.core.problems import Problem
from connector.core.values.money import as_money

MAX_GIVEN = 50
_FORM = re.compile(r"(?P<episode>[0-9]{1,9})(?:~(?P<given>[A-Za-z0-9%._,-]+))?")
_ALL = "*"
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
        match = _FORM.fullmatch(text)
        if match is None:
            raise Problem("cursor_foreign", text=text[:40])
        return cls(int(match["episode"]), tuple(map(unquote, match["given"].split(","))) if match["given"] else ())

    def __str__(self) -> str:
        keys = ",".join(map(_quoted, self.keys))
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


class GivenByName:
    """The alarms given for each of those that are watched; for a single one its name is empty."""

    def __init__(self, given: dict[str, Given]) -> None:
        self._given = given

    @classmethod
    def read(cls, text: str | None, name: str | None) -> GivenByName:
        """Reads a cursor, for all that are watched or for the named one; each form is read either way."""
        if text is None or not text.startswith(_ALL):
            single = Given.read(text)
            # Of which one it told is not known. To tell again is better than never to tell: ids are stable.
            return cls({} if name is None else {name: single})
        entries = [entry.partition("=") for entry in text.removeprefix(_ALL).split(";") if entry]
        return cls({unquote(id): Given.read(given) for id, _, given in entries})

    @property
    def names(self) -> list[str]:
        """Those that are known to it."""
        return list(self._given)

    def of(self, name: str) -> Given:
        """The alarms given for one."""
        return self._given.get(name, Given())

    def text_of_all(self) -> str:
        """The cursor where all are watched."""
        return _ALL + ";".join(f"{_quoted(name)}={given}" for name, given in self._given.items())


def _quoted(text: str) -> str:
    return quote(text, safe="").replace("~", "%7E")


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
    reads_again = False
    members = None

    def __init__(self, declared: Mapping[str, Any]) -> None:
        self._below, self._within = declared.get("below"), declared.get("within")
        self._when = condition(declared["when"]) if "when" in declared else None
        self._clear = condition(declared["clear"]) if "clear" in declared else None
        self._key = Template(declared["key"]) if "key" in declared else None
        self._id = Template(declared["id"])
        self._each: Mapping[str, str] = declared.get("each", {})

    def asks(self, inputs: Mapping[str, Any], cursor: str | None, now: datetime, start: str) -> dict[str, Any]:
        """Nothing beyond the inputs."""
        return {}

    def turn(self, page: Page, cursor: str | None, inputs: Mapping[str, Any], now: datetime, start: str) -> PageResult:
        """The rows whose alarm was raised, and the next cursor. Whoever is in no row any more is forgotten."""
        single = self._single(inputs)
        before, after = GivenByName.read(cursor, single), dict[str, Given]()
        if single is not None:
            after[single] = before.of(single)
        fired: list[Row] = []
        silent = cursor is None and start != "all"
        for row in page.rows:
            name = text_of(at(row, self._each["as"])) if single is None else single
            given, state = after.get(name, before.of(name)), self._state(row, inputs, now)
            if silent:
                pass
            elif state.raised and given.has_room_for(state.key):
                given = given.with_key(state.key)
                fired.append(self._item(row, inputs, state, str(given.episode)))
            elif state.clear:
                given = given.cleared()
            after[name] = given
        return PageResult(fired, GivenByName(after).text_of_all() if single is None else str(after[single]))

    def known(self, cursor: str | None) -> list[str]:
        """Those that a cursor knows of, where all are watched; raises `ValueError` for a cursor that is not its own."""
        return GivenByName.read(cursor, None).names

    def _single(self, inputs: Mapping[str, Any]) -> str | None:
        """The name of the only one that is watched; None where all are."""
        return inputs.get(self._each["input"]) if self._each else ""

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
