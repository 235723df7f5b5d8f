"""What tests of the exports compare: rows as JSON shows them, and all that a poll of the runtime finds."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from connector.core.manifest.model import Manifest
from connector.core.service.wire import Wire
from connector.export.service_request import service_request
from connector.runtime.result import Option
from connector.runtime.session import Session

GROUPS = re.compile(r"(?<=[0-9]),(?=[0-9]{3}[,.])")
ZEROS = re.compile(r"(\.[0-9]*?)\.?0+(?= [A-Z]{3}\b)")


def plain(row: Mapping[str, Any], leave_out: Iterable[str] = ()) -> Any:
    """A row with all numbers as doubles, without what is null or to be left out."""
    out = frozenset(leave_out)
    kept = {name: value for name, value in row.items() if name not in out and value is not None}
    return json.loads(json.dumps(kept, default=float), parse_int=float)


def shown(option: Option, *, hint: bool = True) -> dict[str, str]:
    """An option as a dropdown with one line shows it."""
    label = f"{option.label} – {option.hint}" if hint and option.hint else option.label
    return {"value": option.value, "label": label}


def by_value(options: Iterable[Mapping[str, str]]) -> list[tuple[str, str]]:
    """Options in an order of their own, amounts without groups and zeros at their end: what is left to the host."""
    return sorted((one["value"], ZEROS.sub(r"\1", GROUPS.sub("", one["label"]))) for one in options)


def ids(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    return [row["_id"] for row in rows]


def poll_all(
    session: Session, trigger: str, inputs: Mapping[str, Any], cursor: str
) -> tuple[list[dict[str, Any]], str]:
    """Polls until the answer is whole."""
    fired: list[dict[str, Any]] = []
    while True:
        polled = session.poll(trigger, inputs, cursor=cursor)
        fired, cursor = [*fired, *polled.items], polled.cursor
        if not polled.more:
            return fired, cursor


def entered(manifest: Manifest, inputs: Mapping[str, Any], wire: Wire) -> tuple[dict[str, Any], dict[str, Any]]:
    """A form's values as an operation's parameters and body name them."""
    request = service_request(manifest, wire)
    assert request is not None
    given = {field.name: inputs[field.name] for field in request.in_path if field.name in inputs}
    given |= {one.name: inputs[one.field.name] for one in request.query if one.field.name in inputs}
    if request.choice and request.choice.name in inputs:
        paths = [path.split("/") for path in request.paths.values()]
        part = next(at for at, parts in enumerate(zip(*paths, strict=True)) if len(set(parts)) > 1)
        given[request.choice.name] = request.paths[inputs[request.choice.name]].split("/")[part]
    return given, {one.name: inputs[one.field.name] for one in request.body if one.field.name in inputs}
