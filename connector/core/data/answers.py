"""Takes answers out of their envelopes, and gives them the declared shape: the one place that knows how answers come.

Lists are read under the key that a manifest names, `data` or `connections`, or bare; single objects under that key,
`data` or bare; the credit balance beside the data or inside it. Everything else is a `ValueError`: what cannot be
understood is never read as empty.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from decimal import Decimal
from typing import Any

from connector.core.data.templates import NOTHING, text_of
from connector.core.problems import Problem
from connector.core.values.money import as_money

DATA = "data"
LIST_KEYS = (DATA, "connections")
_EMPTY: tuple[Any, ...] = (None, False, "", [], {})


class NotListed(Exception):
    """The answer's list lacks the item that was picked."""


def items_in(reply: Any, key: str = DATA) -> list[Any]:
    """The list that an answer carries."""
    items = _under(reply, (key, *LIST_KEYS))
    if isinstance(items, list):
        return items
    raise Problem("answer_no_list")


def object_in(reply: Any, key: str = DATA) -> dict[str, Any]:
    """The single object that an answer carries; one without anything in it is none."""
    inner = unwrapped(reply, key)
    if isinstance(inner, dict) and inner:
        return inner
    raise Problem("answer_no_object")


def objects_in(reply: Any, key: str = DATA) -> list[dict[str, Any]]:
    """The objects that an answer carries, be it one or a list of them."""
    inner = unwrapped(reply, key)
    return [each for each in (inner if isinstance(inner, list) else [inner]) if isinstance(each, dict)]


def unwrapped(reply: Any, key: str = DATA) -> Any:
    """What stands under the key or `data`, or the answer itself."""
    return _under(reply, (key, DATA))


def says_nothing(reply: Any, names: Collection[str] = ()) -> bool:
    """Whether the successful answer to a write names nothing that was made, or names an error.

    With `names`, it must name one of these, in its envelope or beside it: anybody can answer `{"status": "error"}`.
    """
    if not isinstance(reply, dict) or all(value in _EMPTY for value in reply.values()):
        return True
    inner = reply.get(DATA)
    places = [reply, *(each for each in (inner if isinstance(inner, list) else [inner]) if isinstance(each, dict))]
    if any(map(_names_error, places)):
        return True
    return bool(names) and all(place.get(name) in _EMPTY for place in places for name in names)


def tells_failure(reply: Any, result_names: Collection[str]) -> bool:
    """Whether a success names an error, and nothing that an answer stands in: it is a refusal under a wrong status.

    `result_names` are the members that no refusal has.
    """
    return (
        isinstance(reply, dict)
        and _names_error(reply)
        and all(reply.get(name) in _EMPTY for name in (*LIST_KEYS, *result_names))
    )


def _names_error(place: Mapping[str, Any]) -> bool:
    return place.get("error", "") not in _EMPTY or place.get("success") is False


def _under(reply: Any, keys: tuple[str, ...]) -> Any:
    return next((reply[key] for key in keys if key in reply), reply) if isinstance(reply, dict) else reply


def balance_in(reply: Any) -> Decimal | None:
    """The credit balance after the call, when the answer tells it."""
    if not isinstance(reply, dict):
        return None
    for place in (reply, reply.get(DATA)):
        platform = place.get("platform") if isinstance(place, dict) else None
        balance = platform.get("neuesGuthaben") if isinstance(platform, dict) else None
        try:
            return as_money(balance)
        except ValueError:
            continue
    return None


def shaped(
    reply: Any, is_list: bool, shape: Mapping[str, Any], key: str = DATA, inputs: Mapping[str, Any] = NOTHING
) -> Any:
    """The output that a manifest promises of this answer; `key` is where it says that the answer stands."""
    if "pick" in shape:
        return pick(items_in(reply, key), shape["pick"], inputs)
    try:
        output = _read(reply, is_list, shape, key)
    except ValueError:
        if shape.get("else_answer"):
            return {"answer": reply}
        raise
    if shape.get("else_answer") and "first_of" in shape and output[shape["as"]] is None:
        return {"answer": reply}
    return output


def pick(items: list[Any], declared: Mapping[str, Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The first item that was picked, with the declared inputs; raises `NotListed`."""
    wanted = inputs[declared["input"]]
    for item in items:
        if isinstance(item, dict) and text_of(item.get(declared["by"])) == wanted:
            return {**item, **{name: inputs[name] for name in declared.get("with", ()) if name in inputs}}
    raise NotListed(wanted)


def _read(reply: Any, is_list: bool, shape: Mapping[str, Any], key: str) -> dict[str, Any]:
    if "first_of" in shape:
        return {shape["as"]: _first_of(unwrapped(reply, key), shape["first_of"])}
    if "entries" in shape:
        return {"items": _entries(unwrapped(reply, key), shape["entries"])}
    if is_list:
        return {"items": wrapped(items_in(reply, key), shape.get("wrap"))}
    resource = object_in(reply, key)
    beside = {name: reply[name] for name in shape.get("keep", ()) if resource is not reply and name in reply}
    return {**resource, **beside} if beside else resource


def wrapped(items: list[Any], name: str | None) -> list[Any]:
    """The items, a plain text as an object with it under the name."""
    if name is None:
        return items
    return [{name: item} if isinstance(item, str) else item for item in items]


def _first_of(inner: Any, keys: list[str]) -> str | None:
    """A text under the first of the keys, or bare; None when it is empty, or the object is."""
    if isinstance(inner, dict):
        known = [key for key in keys if key in inner]
        if not known and inner:
            raise Problem("answer_none_of", names=", ".join(keys))
        inner = inner[known[0]] if known else None
    if inner is None or isinstance(inner, str):
        return inner or None
    raise Problem("answer_no_text", names=", ".join(keys))


def _entries(inner: Any, declared: Mapping[str, Any]) -> list[dict[str, Any]]:
    """One row for each entry of an object, or of a list; entries of a list without a name are numbered from 1."""
    name = declared["as"]
    if isinstance(inner, list) and all(isinstance(entry, dict) for entry in inner):
        return [{name: _name(entry, place, declared["named"]), **entry} for place, entry in enumerate(inner, start=1)]
    if isinstance(inner, dict):
        entries = {
            key: entry for key, entry in inner.items() if isinstance(entry, dict) and declared["having"] in entry
        }
        if entries or not inner:
            return [{name: key, **entry} for key, entry in entries.items()]
    raise Problem("answer_no_entries")


def _name(entry: dict[str, Any], place: int, keys: list[str]) -> str:
    return next((entry[key] for key in keys if isinstance(entry.get(key), str)), str(place))
