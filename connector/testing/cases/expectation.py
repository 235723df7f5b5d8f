"""Holds what an interpreter has made of a case against what the case expects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from connector.testing.cases.files import Case, decoded, encoded

Told = Mapping[str, Any]
LONGEST = 1000
"""Characters of a value that a difference shows."""


def differences(case: Case, told: Told) -> list[str]:
    """Everything in which they differ; empty when the case is passed."""
    return list(_COMPARED[case.section](case.body, told))


def _request(body: Told, told: Told) -> Iterator[str]:
    if "refusal" in body or "refusal" in told:
        yield from _refused(body.get("refusal"), told.get("refusal"), told)
        return
    if "read" in body:
        yield from _same("read", body["read"], {name: told["read"].get(name) for name in body["read"]})
    if "request" in body:
        wanted, sent = body["request"], told["request"] or {}
        for part, usual in (("method", None), ("path", None), ("query", {}), ("body", None)):
            yield from _same(part, wanted.get(part, usual), sent.get(part))
        kind = None if wanted.get("body") is None else "application/json"
        for name, value in {"content-type": kind, **wanted.get("headers", {})}.items():
            yield from _same(f"header {name}", value, sent["headers"].get(name))
    yield from _same("warnings", body.get("warnings", []), told["warnings"])


def _answer(body: Told, told: Told) -> Iterator[str]:
    yield from _sent(body, told)
    if "error" in body or "error" in told:
        yield from _refused(body.get("error"), told.get("error"), told)
    elif "items" in body:
        yield from _items(_plain(body["items"]), told["items"])
        yield from _same("more", body.get("more", told["more"]), told["more"])
    else:
        yield from _same("output", body["output"], told["output"])
        yield from _same("warnings", body.get("warnings", []), told["warnings"])


def _options(body: Told, told: Told) -> Iterator[str]:
    yield from _sent(body, told)
    if "error" in body or "error" in told:
        yield from _refused(body.get("error"), told.get("error"), told)
        return
    shown = told["options"]
    if "options" in body:
        yield from _same("options", [{"hint": "", **one} for one in body["options"]], shown)
    for place, one in enumerate(body.get("begins", ())):
        yield from _same(f"options[{place}]", {"hint": "", **one}, shown[place])
    by_value = {one["value"]: one for one in shown}
    for one in body.get("has", ()):
        yield from _same(f"option {one['value']}", {"hint": "", **one}, by_value.get(one["value"]))
    yield from _same("unwanted options", [], [value for value in body.get("lacks", ()) if value in by_value])


def _poll(body: Told, told: Told) -> Iterator[str]:
    if body.get("stateless"):
        yield from _items(body["items"], told["items"])
        yield from _same("query", body.get("query", told.get("query")), told.get("query"))
        return
    if len(told["steps"]) != len(body["steps"]):
        yield f"only {len(told['steps'])} of {len(body['steps'])} steps were made: {told['steps'][-1]}"
    for number, (wanted, made) in enumerate(zip(body["steps"], told["steps"], strict=False), start=1):
        yield from (f"step {number}: {difference}" for difference in _step(wanted, made))


def _step(wanted: Told, made: Told) -> Iterator[str]:
    if "refusal" in wanted or "refusal" in made:
        yield from _refused(wanted.get("refusal"), made.get("refusal"), made)
        return
    if "asks" in wanted:
        yield from _same("asks", wanted["asks"], made["asks"])
    if "items" in wanted:
        yield from _items(wanted["items"], made["items"])
    for name in ("cursor", "more"):
        if name in wanted:
            yield from _same(name, wanted[name], made[name])


def _event(body: Told, told: Told) -> Iterator[str]:
    if "refusal" in body or "refusal" in told:
        yield from _refused(body.get("refusal"), told.get("refusal"), told)
    else:
        yield from _same("fires", body["fires"], told["fires"])


def _confirmed(body: Told, told: Told) -> Iterator[str]:
    """The item whole; its id, which may be a digest of the envelope, where it stands."""
    wanted, item = body["item"], told["item"]
    if wanted is not None and item is not None and "_id" not in wanted:
        item = {name: value for name, value in item.items() if name != "_id"}
    yield from _same("item", wanted, item)


def _digest(body: Told, told: Told) -> Iterator[str]:
    yield from _same("digest", body["digest"], told.get("digest", told))


def _write(body: Told, told: Told) -> Iterator[str]:
    yield from _sent(body, told)
    if "looked" in body:
        yield from _same("looked", int(body["looked"]["$number"]), told["looked"])
    if "marks" in body:
        sent = (told["body"] or {}).get("custom_fields", {})
        yield from _same("marks", body["marks"], {name: sent.get(name) for name in body["marks"]})
    for name in ("keeps", "noted", "words"):
        if name in body:
            yield from _same(name, body[name], told[name])
    if "error" in body or "error" in told:
        yield from _refused(body.get("error"), told.get("error"), told)
        return
    yield from _same("output", body["output"], told["output"])
    if "replayed" in body:
        yield from _same("replayed", body["replayed"], told["replayed"])


_COMPARED = {
    "requests": _request,
    "answers": _answer,
    "options": _options,
    "polls": _poll,
    "events": _event,
    "confirmed": _confirmed,
    "digests": _digest,
    "writes": _write,
}


def _refused(wanted: Told | None, refusal: Told | None, told: Told) -> Iterator[str]:
    if wanted is None or refusal is None:
        yield f"a refusal is {'not ' if wanted is None else ''}expected, and there is {refusal or told}"
        return
    for name, value in wanted.items():
        yield from _same(name, value, refusal[name])


def _items(wanted: list[Told], items: list[Told]) -> Iterator[str]:
    """Items in order; of each, the fields that the case names."""
    if len(wanted) != len(items):
        yield f"{len(wanted)} items are expected, and there are {[one.get('_id', one) for one in items]}"
    for place, (want, item) in enumerate(zip(wanted, items, strict=False)):
        named = {name: item[name] for name in want if name in item}
        yield from _same(f"items[{place}]", want, named)


def _sent(body: Told, told: Told) -> Iterator[str]:
    wanted = body.get("sent")
    if wanted == "several" and told["sent"] < 2:
        yield f"the request left {told['sent']} times"
    elif isinstance(wanted, Mapping):
        yield from _same("sent", int(wanted["$number"]), told["sent"])


def _same(what: str, wanted: Any, found: Any) -> Iterator[str]:
    if _plain(wanted) != _plain(found):
        yield f"{what}: expected {_shown(wanted)}, found {_shown(found)}"


def _shown(value: Any) -> str:
    text = str(_plain(value))
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} …"


def _plain(value: Any) -> Any:
    """Without the tags that only make a case short."""
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    if not isinstance(value, Mapping):
        return value
    if set(value) in ({"$null"}, {"$repeat"}, {"$rows"}, {"$deep"}):
        return encoded(decoded(value))
    return {name: _plain(inner) for name, inner in value.items()}
