"""Reads cases: what every interpreter must make of a manifest. `schema.yaml` is the form of a file.

Numbers are exact, dates are texts. As JSON, for interpreters in other languages, a number is `{"$number": "297.50"}`;
what only inputs may hold has tags too. `decoded` and `encoded` are the way from there and back in Python.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator

SCHEMA = Path(__file__).parent / "schema.yaml"
LONG = 10_000
"""Of a text beyond so many characters, an interpreter tells the SHA-256."""
SECTIONS = ("requests", "answers", "options", "polls", "events", "confirmed", "digests", "writes")


@dataclass(frozen=True)
class Case:
    """One case. All values are as in JSON."""

    manifest: str
    section: str
    name: str
    body: Mapping[str, Any]

    @property
    def key(self) -> str:
        """Names it among all cases."""
        return f"{self.manifest}/{self.section}/{self.name}"

    def runs_in(self, interpreter: str) -> bool:
        """Whether `python` or `node` can run it."""
        return bool(self.body.get("only", interpreter) == interpreter)

    @property
    def wire(self) -> str:
        """The wire names that it overrides, as JSON."""
        return json.dumps(decoded(self.body.get("wire", {})), sort_keys=True)

    def as_json(self) -> dict[str, Any]:
        """The case for an interpreter in another language."""
        return {"key": self.key, "manifest": self.manifest, "section": self.section, **self.body, "wire": self.wire}


def read(path: Path) -> Iterator[Case]:
    """The cases of one file."""
    tree = yaml.load(path.read_text(encoding="utf-8"), _ExactLoader)  # noqa: S506 - a safe loader
    plain = tagged(tree)
    problems = [f"{path.name}: {error.json_path}: {error.message}" for error in _form().iter_errors(plain)]
    if problems:
        raise ValueError("\n".join(problems))
    defaults = plain.get("inputs", {})
    for section in SECTIONS:
        for body in plain.get(section, ()):
            inputs = {**defaults, **body.get("inputs", {})}
            given = {name: value for name, value in inputs.items() if value is not None}
            content = {
                name: value for name, value in body.items() if name != "conforms"
            }  # about the case, not part of it
            yield Case(path.stem, section, body["name"], {**content, "inputs": body.get("instead_of_inputs", given)})
    for input, table in plain.get("written", {}).items():
        yield from _written(path.stem, input, table)


def _written(manifest: str, input: str, table: Mapping[str, Any]) -> Iterator[Case]:
    """A case for each row of a table: an input as it is written, and what it is read as or refused with."""
    for written, read in table.get("read", ()):
        name = f"{input} {json.dumps(written, ensure_ascii=False)} is read"
        yield Case(manifest, "requests", name, {"inputs": {input: written}, "read": {input: read}})
    for written, message in table.get("refused", ()):
        name = f"{input} {json.dumps(written, ensure_ascii=False)} is refused"
        yield Case(manifest, "requests", name, {"inputs": {input: written}, "refusal": {"message": message}})


@cache
def _form() -> Draft202012Validator:
    return Draft202012Validator(yaml.safe_load(SCHEMA.read_text(encoding="utf-8")))


def tagged(value: Any) -> Any:
    """A value of YAML as JSON, with tags for what JSON does not know."""
    if isinstance(value, Mapping):
        return {str(name): tagged(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [tagged(inner) for inner in value]
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, int | Decimal):
        return {"$number": f"{value:f}" if isinstance(value, Decimal) else str(value)}
    raise TypeError(f"a case cannot hold {value!r}")


def decoded(value: Any) -> Any:
    """A tagged value as Python has it."""
    if isinstance(value, list):
        return [decoded(inner) for inner in value]
    if not isinstance(value, Mapping):
        return value
    tag = next(iter(value), "")
    if tag in TAGS and len(value) == 1:
        return TAGS[tag](value[tag])
    return {name: decoded(inner) for name, inner in value.items()}


def encoded(value: Any) -> Any:
    """A value of Python as tagged JSON, as an interpreter tells what it has made of a case."""
    if isinstance(value, Mapping):
        return {str(name): encoded(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [encoded(inner) for inner in value]
    if isinstance(value, str):
        return value if len(value) <= LONG else {"$long": hashlib.sha256(value.encode()).hexdigest()}
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | Decimal):
        return {"$number": f"{value:f}" if isinstance(value, Decimal) else str(value)}
    if isinstance(value, datetime | date):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, bytes):
        return encoded(base64.b64encode(value).decode())
    return {"$other": repr(value)}


def _number(text: str) -> int | Decimal:
    return int(text) if re.fullmatch("-?[0-9]+", text) else Decimal(text)


def _platform_number(text: str) -> int | float:
    return int(text) if re.fullmatch("-?[0-9]+", text) else float(text)


def _repeated(parts: list[Any]) -> Any:
    """The first, and behind it the second so many times: a long text, or a long list."""
    head, piece, times = decoded(parts)
    return head + piece * times if isinstance(head, str) else [*head, *([piece] * times)]


def _deep(levels: int) -> dict[str, Any]:
    """An object in an object, so many levels deep."""
    return {"a": _deep(levels - 1)} if levels > 1 else {}


def _rows(parts: list[Any]) -> list[Any]:
    """Rows with the ids from the first to the second number, up or down, all like the third part."""
    first, last, like = decoded(parts)
    step = 1 if first <= last else -1
    return [{"id": str(number), **like} for number in range(first, last + step, step)]


TAGS: Mapping[str, Callable[[Any], Any]] = {
    "$number": _number,
    "$platform_number": _platform_number,
    "$date": date.fromisoformat,
    "$platform_date": datetime.fromisoformat,
    "$luxon": datetime.fromisoformat,
    "$bytes": base64.b64decode,
    "$null": lambda _: None,
    "$signs": lambda codes: "".join(chr(int(code, 16)) for code in codes.split()),
    "$deep": lambda levels: _deep(decoded(levels)),
    "$repeat": _repeated,
    "$rows": _rows,
}


_Fast: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _ExactLoader(_Fast):  # type: ignore[misc]
    """YAML with exact numbers, without the surprises of YAML 1.1 (dates, `no`, `12:30`), and with each key once."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        """Refuses a key that stands twice."""
        names = [key.value for key, _ in node.value if key.tag != "tag:yaml.org,2002:merge"]
        twice = {name for name in names if names.count(name) > 1}
        if twice:
            raise yaml.constructor.ConstructorError(None, None, f"twice: {', '.join(map(str, twice))}", node.start_mark)
        self.flatten_mapping(node)
        mapping: dict[Any, Any] = super().construct_mapping(node, deep)
        return mapping


_ExactLoader.yaml_implicit_resolvers = {}
for _tag, _pattern, _first in (
    ("null", "null|~|", [*"n~", ""]),
    ("bool", "true|false", [*"tf"]),
    ("int", "-?(0|[1-9][0-9]*)", [*"-0123456789"]),
    ("float", r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?", [*"-0123456789"]),
    ("merge", "<<", ["<"]),
):
    _ExactLoader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(f"^(?:{_pattern})$"), _first)


def _exact(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> Decimal:
    return Decimal(loader.construct_scalar(node))


_ExactLoader.add_constructor("tag:yaml.org,2002:float", _exact)
