"""Decides whether an event starts a flow: by its name, its data, and the filters that were filled in. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from connector.core.data.templates import at, condition, each, text_of

Data = Mapping[str, Any]
Filter = Callable[[str, Data, Mapping[str, Any]], bool]
EVENT = "@event"
RECEIVED_AT, ARRIVED_AT, CONFIRMED, UNCONFIRMED = "received_at", "_arrived_at", "_confirmed", "_unconfirmed"
"""In items of an event trigger: the time that the event itself names, when it first came in here, a mark of those that
the API did not confirm, and what of a confirmed one only the event says."""
TIMES_SAMPLE = {RECEIVED_AT: "2026-05-04T06:00:00Z", ARRIVED_AT: "2026-05-04T06:00:01.000Z"}
_WORD = re.compile(r"[A-Za-z0-9_.:-]{1,64}")
"""What is passed on of an event that the API cannot confirm: no sentence, no link."""


def unconfirmed(claims: Iterable[str], claimed: Data) -> dict[str, dict[str, str]]:
    """What only the event itself says, apart from all that the API shows; nothing where it says none of it."""
    said = {path.rpartition(".")[2]: at(claimed, path) for path in claims}
    words = {name: word for name, word in said.items() if isinstance(word, str) and _WORD.fullmatch(word)}
    return {UNCONFIRMED: words} if words else {}


class EventFilter:
    """The `event` of a trigger, compiled once."""

    def __init__(self, declared: Mapping[str, Any]) -> None:
        self.names = tuple(declared["names"])
        """The service's events that can start it; empty for all."""
        self.confirm: str | None = declared.get("confirm")
        """What is read from the API before an event may fire."""
        self._when = condition(declared["when"]) if "when" in declared else None
        filters = declared.get("filters", {})
        self._filters = [(name, _filter(name, path)) for name, path in filters.items()]
        self._by_name = [name for name, path in filters.items() if path == EVENT]
        self._by_field = [(name, path) for name, path in filters.items() if isinstance(path, str) and path != EVENT]

    def fires(self, event: str, data: Data, inputs: Mapping[str, Any]) -> bool:
        """Whether the event starts a flow with these inputs."""
        if self.names and event not in self.names:
            return False
        if self._when is not None and not self._when(data):
            return False
        return all(passes(event, data, inputs) for name, passes in self._filters if name in inputs)

    def claims_needed(self, data: Data, claimed: Data, inputs: Mapping[str, Any]) -> dict[str, str]:
        """Return the words of the event itself that a filter asks for and the API does not show."""
        asked = [path for name, path in self._by_field if name in inputs]
        return {
            path: claimed[path]
            for path in asked
            if data.get(path) in (None, "") and isinstance(claimed.get(path), str) and _WORD.fullmatch(claimed[path])
        }

    def item(
        self,
        event: str,
        data: Data,
        id: str,
        received_at: str | None,
        arrived_at: datetime,
        *,
        confirmed: bool = True,
    ) -> dict[str, Any]:
        """Return what a flow gets: the time that the event names as its own, and when it came in here."""
        item = {**data, "_id": id, ARRIVED_AT: written(arrived_at)}
        item.pop(RECEIVED_AT, None)
        if received_at is not None:
            item[RECEIVED_AT] = received_at
        if not confirmed:
            item[CONFIRMED] = False
        if not self.names:
            item["_event"] = event
        return item

    def may_tell(self, event: str, inputs: Mapping[str, Any]) -> bool:
        """Whether events of this name can start a flow with these inputs at all."""
        asked = [name for name in self._by_name if name in inputs]
        return (not self.names or event in self.names) and all(text_of(inputs[name]) == event for name in asked)

    def inputs_for(self, path: str, inputs: Mapping[str, Any]) -> list[str]:
        """Return what the inputs ask of this field of the event."""
        return [text_of(inputs[name]) for name, at in self._by_field if at == path and name in inputs]

    def names_event(self, event: str, inputs: Mapping[str, Any]) -> bool:
        """Whether whoever filled in these inputs has asked for this very event by its name."""
        return any(name in inputs and text_of(inputs[name]) == event for name in self._by_name)


def written(moment: datetime) -> str:
    """Return a moment as items have it: in UTC, to the millisecond."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _filter(name: str, declared: Any) -> Filter:
    if isinstance(declared, Mapping) and "names_of" in declared:
        return lambda event, data, inputs: text_of(inputs[name]) in _entries(data, declared["names_of"])
    if isinstance(declared, Mapping) and "values_of" in declared:
        return lambda event, data, inputs: _has_value(data, declared, inputs, text_of(inputs[name]))
    tidy = _compact if isinstance(declared, Mapping) and declared.get("compact") else text_of
    paths = declared["at"] if isinstance(declared, Mapping) else declared
    found_at = [paths] if isinstance(paths, str) else list(paths)
    return lambda event, data, inputs: _is_at(event, data, found_at, tidy, tidy(inputs[name]))


def _is_at(event: str, data: Data, paths: list[str], tidy: Callable[[Any], str], wanted: str) -> bool:
    for path in paths:
        values = [event] if path == EVENT else [value for _, value in each(data, path)]
        if any(tidy(value) == wanted for value in values):
            return True
    return False


def _has_value(data: Data, declared: Mapping[str, Any], inputs: Mapping[str, Any], wanted: str) -> bool:
    entries = _entries(data, declared["values_of"])
    named = inputs.get(declared.get("named", ""))
    considered = entries.values() if named is None else [entries.get(text_of(named))]
    return any(value is not None and text_of(value) == wanted for value in considered)


def _entries(data: Data, path: str) -> Mapping[str, Any]:
    entries = at(data, path)
    return entries if isinstance(entries, Mapping) else {}


def _compact(value: Any) -> str:
    return "".join(text_of(value).split()).upper()
