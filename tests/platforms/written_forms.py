"""The table of written forms and every day of two years for the platforms' engines: an action sends whatever it reads.

What an adapter hands on is compared with what Python makes of the same: the body of the request, or the refusal.
"""

from __future__ import annotations

import json as stdlib_json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from connector import Connector
from connector.core.errors import InputError
from connector.core.manifest.load import VARIABLE
from connector.core.manifest.model import Action
from connector.core.service.wire import Wire
from connector.core.values import json
from connector.runtime.requests import checks
from connector.runtime.requests.request import build_call
from connector.testing.cases.files import Case, decoded, read
from tests.cases.our_cases import FURTHER
from tests.cases.test_days import CASES as DAYS

ID = "take_values"
TABLE = {case.key: case for case in read(FURTHER / f"{ID}.yaml") if case.name.endswith((" is read", " is refused"))}
LEAST = 120


@dataclass(frozen=True)
class Outcome:
    """What became of a form: the body of the request, or the message of the refusal."""

    body: Any = None
    message: str = ""

    def agrees(self, other: Outcome) -> bool:
        """Whether a platform's outcome is this one; it may put the label in front of a message that names none."""
        return (
            self.body == other.body
            and bool(self.message) == bool(other.message)
            and other.message.endswith(self.message)
        )


@cache
def connector(folder: Path) -> Connector:
    """Our manifests and the one of the table, whose inputs are sent in the body."""
    tree = yaml.safe_load((FURTHER / "manifests" / "actions" / "any" / f"{ID}.yaml").read_text(encoding="utf-8"))
    tree["request"]["method"] = "POST"
    for field in tree["inputs"]:
        field["in"] = "body"
    home = folder / "manifests" / "actions" / "any"
    home.mkdir(parents=True)
    (home / f"{ID}.yaml").write_text(yaml.safe_dump(tree, allow_unicode=True, sort_keys=False), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, str(folder / "manifests"))
        return Connector("unused")


def in_python(action: Action, using: Connector, case: Case) -> Outcome:
    """What Python makes of a form."""
    try:
        inputs = using.inputs(action).clean(decoded(case.body["inputs"]))
        checks.check(action, inputs)
    except InputError as error:
        return Outcome(message=error.message.en)
    body = build_call(action, inputs, Wire.load({})).body
    return Outcome(body=None if body is None else stdlib_json.loads(json.encode(body), parse_float=Decimal))


Write = Callable[[str, Any], Any]


def as_platform(value: Any, write: Write) -> Any:
    """A tagged value as a platform's flow holds it; `write` makes its own dates and numbers."""
    if isinstance(value, Mapping):
        [(tag, inner), *_] = [*value.items(), ("", None)]
        if tag in ("$platform_date", "$luxon", "$platform_number"):
            return write(tag, inner)
        if tag == "$date":
            return inner
        return decoded(value) if tag.startswith("$") and tag != "$number" else _plain(value, write)
    return [as_platform(one, write) for one in value] if isinstance(value, list) else value


def _plain(value: Mapping[str, Any], write: Write) -> Any:
    if "$number" in value:
        number = float(value["$number"])
        return int(value["$number"]) if value["$number"].lstrip("-").isdigit() else number
    return {name: as_platform(inner, write) for name, inner in value.items()}


__all__ = ["DAYS", "ID", "LEAST", "TABLE", "Outcome", "as_platform", "connector", "in_python"]
