"""Holds what an interpreter has made of a case against what the case expects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from connector.testing.cases.files import Case, decoded, encoded

CaseResult = Mapping[str, Any]
LONGEST = 1000
"""Characters of a value that a difference shows."""


def differences(case: Case, result: CaseResult) -> list[str]:
    """Everything in which they differ; empty when the case is passed."""
    return list(_COMPARED[case.section](case.body, result))


def _request(body: CaseResult, result: CaseResult) -> Iterator[str]:
    if "refusal" in body or "refusal" in result:
        yield from _refused(body.get("refusal"), result.get("refusal"), result)
        return
    if "read" in body:
        yield from _same("read", body["read"], {name: result["read"].get(name) for name in body["read"]})
    if "request" in body:
        wanted, sent = body["request"], result["request"] or {}
        for part, usual in (("method", None), ("path", None), ("query", {}), ("body", None)):
            yield from _same(part, wanted.get(part, usual), sent.get(part))
        kind = None if wanted.get("body") is None else "application/json"
        for name, value in {"content-type": kind, **wanted.get("headers", {})}.items():
            yield from _same(f"header {name}", value, sent["headers"].get(name))
    yield from _same("warnings", body.get("warnings", []), result["warnings"])


def _answer(body: CaseResult, result: CaseResult) -> Iterator[str]:
    yield from _sent(body, result)
    if "error" in body or "error" in result:
        yield from _refused(body.get("error"), result.get("error"), result)
    elif "items" in body:
        yield from _items(_plain(body["items"]), result["items"])
        yield from _same("more", body.get("more", result["more"]), result["more"])
    else:
        yield from _same("output", body["output"], result["output"])
        yield from _same("warnings", body.get("warnings", []), result["warnings"])


def _options(body: CaseResult, result: CaseResult) -> Iterator[str]:
    yield from _sent(body, result)
    if "error" in body or "error" in result:
        yield from _refused(body.get("error"), result.get("error"), result)
        return
    shown = result["options"]
    if "options" in body:
        yield from _same("options", [{"hint": "", **option} for option in body["options"]], shown)
    for place, option in enumerate(body.get("begins", ())):
        yield from _same(f"options[{place}]", {"hint": "", **option}, shown[place])
    by_value = {option["value"]: option for option in shown}
    for option in body.get("has", ()):
        yield from _same(f"option {option['value']}", {"hint": "", **option}, by_value.get(option["value"]))
    yield from _same("unwanted options", [], [value for value in body.get("lacks", ()) if value in by_value])


def _poll(body: CaseResult, result: CaseResult) -> Iterator[str]:
    if body.get("stateless"):
        yield from _items(body["items"], result["items"])
        yield from _same("query", body.get("query", result.get("query")), result.get("query"))
        return
    if len(result["steps"]) != len(body["steps"]):
        yield f"only {len(result['steps'])} of {len(body['steps'])} steps were made: {result['steps'][-1]}"
    for number, (wanted, step) in enumerate(zip(body["steps"], result["steps"], strict=False), start=1):
        yield from (f"step {number}: {difference}" for difference in _step(wanted, step))


def _step(wanted: CaseResult, step: CaseResult) -> Iterator[str]:
    if "refusal" in wanted or "refusal" in step:
        yield from _refused(wanted.get("refusal"), step.get("refusal"), step)
        return
    if "asks" in wanted:
        yield from _same("asks", wanted["asks"], step["asks"])
    if "items" in wanted:
        yield from _items(wanted["items"], step["items"])
    for name in ("cursor", "more"):
        if name in wanted:
            yield from _same(name, wanted[name], step[name])


def _event(body: CaseResult, result: CaseResult) -> Iterator[str]:
    if "refusal" in body or "refusal" in result:
        yield from _refused(body.get("refusal"), result.get("refusal"), result)
    else:
        yield from _same("fires", body["fires"], result["fires"])


def _confirmed(body: CaseResult, result: CaseResult) -> Iterator[str]:
    """The item whole; its id, which may be a digest of the envelope, where it stands."""
    wanted, item = body["item"], result["item"]
    if wanted is not None and item is not None and "_id" not in wanted:
        item = {name: value for name, value in item.items() if name != "_id"}
    yield from _same("item", wanted, item)


def _digest(body: CaseResult, result: CaseResult) -> Iterator[str]:
    yield from _same("digest", body["digest"], result.get("digest", result))


def _write(body: CaseResult, result: CaseResult) -> Iterator[str]:
    yield from _sent(body, result)
    if "looked" in body:
        yield from _same("looked", int(body["looked"]["$number"]), result["looked"])
    if "marks" in body:
        sent = (result["body"] or {}).get("custom_fields", {})
        yield from _same("marks", body["marks"], {name: sent.get(name) for name in body["marks"]})
    for name in ("keeps", "noted", "words"):
        if name in body:
            yield from _same(name, body[name], result[name])
    if "error" in body or "error" in result:
        yield from _refused(body.get("error"), result.get("error"), result)
        return
    yield from _same("output", body["output"], result["output"])
    for name in ("replayed", "warnings"):
        if name in body:
            yield from _same(name, body[name], result[name])


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


def _refused(wanted: CaseResult | None, refusal: CaseResult | None, result: CaseResult) -> Iterator[str]:
    if wanted is None or refusal is None:
        yield f"a refusal is {'not ' if wanted is None else ''}expected, and there is {refusal or result}"
        return
    for name, value in wanted.items():
        yield from _same(name, value, refusal[name])


def _items(wanted: list[CaseResult], items: list[CaseResult]) -> Iterator[str]:
    """Items in order; of each, the fields that the case names."""
    if len(wanted) != len(items):
        yield f"{len(wanted)} items are expected, and there are {[item.get('_id', item) for item in items]}"
    for place, (want, item) in enumerate(zip(wanted, items, strict=False)):
        named = {name: item[name] for name in want if name in item}
        yield from _same(f"items[{place}]", want, named)


def _sent(body: CaseResult, result: CaseResult) -> Iterator[str]:
    wanted = body.get("sent")
    if wanted == "several" and result["sent"] < 2:
        yield f"the request left {result['sent']} times"
    elif isinstance(wanted, Mapping):
        yield from _same("sent", int(wanted["$number"]), result["sent"])


def _same(what: str, wanted: Any, actual: Any) -> Iterator[str]:
    if _plain(wanted) != _plain(actual):
        yield f"{what}: expected {_shown(wanted)}, found {_shown(actual)}"


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
