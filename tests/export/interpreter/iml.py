"""Make's template expressions: the few functions and operators that the export uses.

Numbers are doubles, as in the engine that runs these expressions; a value that was never entered is `UNDEFINED`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote
from zoneinfo import ZoneInfo

from tests.export.interpreter.refusal import NotUnderstood


class _Undefined:
    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "undefined"


UNDEFINED = _Undefined()
WHOLE = re.compile(r"\{\{(?P<inside>(?:(?!\}\}).)*)\}\}", re.DOTALL)
TOKEN = re.compile(
    r"\s*(?:(?P<text>'[^']*')|(?P<number>-?[0-9]+(?:\.[0-9]+)?)|(?P<name>[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*)"
    r"|(?P<sign>\|\||&&|==|!=|[!<>(),-]))"
)
CONSTANTS = {"true": True, "false": False, "undefined": UNDEFINED, "emptyarray": []}
SPREAD = "{{...}}"


def evaluate(template: Any, scope: Mapping[str, Any]) -> Any:
    """A template's value: of an expression that stands alone its own type, else text; objects and lists throughout."""
    if isinstance(template, Mapping):
        made: dict[str, Any] = {}
        for key, inner in template.items():
            value = evaluate(inner, scope)
            if key == SPREAD:
                made |= value if isinstance(value, dict) else {}
            elif value is not UNDEFINED:
                made[key] = value
        return made
    if isinstance(template, list):
        return [evaluate(one, scope) for one in template]
    if not isinstance(template, str):
        return template
    alone = WHOLE.fullmatch(template)
    if alone:
        return _Reader(alone["inside"], scope).value()
    return WHOLE.sub(lambda found: as_text(_Reader(found["inside"], scope).value()), template)


def as_text(value: Any) -> str:
    if value is UNDEFINED or value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    if isinstance(value, str | int):
        return str(value)
    raise NotUnderstood(f"{type(value).__name__} as text")


class _Reader:
    """Reads one expression and works it out at once."""

    def __init__(self, text: str, scope: Mapping[str, Any]) -> None:
        self._scope = scope
        self._tokens = _tokens(text)
        self._at = 0

    def value(self) -> Any:
        found = self._either()
        if self._at != len(self._tokens):
            raise NotUnderstood(f"rest of an expression: {self._tokens[self._at :]}")
        return found

    def _next(self, *signs: str) -> str | None:
        if self._at < len(self._tokens) and self._tokens[self._at] in {("sign", sign) for sign in signs}:
            self._at += 1
            return self._tokens[self._at - 1][1]
        return None

    def _either(self) -> Any:
        left = self._both()
        while self._next("||"):
            right = self._both()
            left = left if left else right
        return left

    def _both(self) -> Any:
        left = self._compared()
        while self._next("&&"):
            right = self._compared()
            left = right if left else left
        return left

    def _compared(self) -> Any:
        left = self._difference()
        sign = self._next("==", "!=", "<", ">")
        if sign is None:
            return left
        right = self._difference()
        if sign in ("==", "!="):
            return (left == right) == (sign == "==")
        if type(left) is not type(right) or not isinstance(left, str | float | int):
            raise NotUnderstood(f"{left!r} {sign} {right!r}")
        return left < right if sign == "<" else left > right

    def _difference(self) -> Any:
        left = self._single()
        while self._next("-"):
            left -= self._single()
        return left

    def _single(self) -> Any:
        if self._next("!"):
            return not self._single()
        if self._next("("):
            inner = self._either()
            self._expect(")")
            return inner
        if self._at >= len(self._tokens):
            raise NotUnderstood("an expression ends early")
        kind, text = self._tokens[self._at]
        self._at += 1
        if kind == "text":
            return text[1:-1]
        if kind == "number":
            return float(text)
        if kind != "name":
            raise NotUnderstood(f"{text} in an expression")
        if self._next("("):
            return self._call(text)
        return CONSTANTS[text] if text in CONSTANTS else self._read(text)

    def _call(self, name: str) -> Any:
        function = FUNCTIONS.get(name)
        if function is None:
            raise NotUnderstood(f"the function {name}")
        given = []
        if not self._next(")"):
            given.append(self._either())
            while self._next(","):
                given.append(self._either())
            self._expect(")")
        return function(*given)

    def _read(self, path: str) -> Any:
        first, *rest = path.split(".")
        if first not in self._scope:
            raise NotUnderstood(f"the variable {first}")
        here = self._scope[first]
        for name in rest:
            here = here.get(name, UNDEFINED) if isinstance(here, Mapping) else UNDEFINED
        return here

    def _expect(self, sign: str) -> None:
        if not self._next(sign):
            raise NotUnderstood(f"{sign} is missing")


def _tokens(text: str) -> list[tuple[str, str]]:
    found, at = [], 0
    while text[at:].strip():
        match = TOKEN.match(text, at)
        if match is None or match.lastgroup is None:
            raise NotUnderstood(f"{text[at:]!r} in an expression")
        found.append((match.lastgroup, match[match.lastgroup]))
        at = match.end()
    return found


def _is_empty(value: Any) -> bool:
    return value is UNDEFINED or value is None or value == ""


def _switch(value: Any, *cases: Any) -> Any:
    pairs = zip(cases[::2], cases[1::2], strict=False)
    default = cases[-1] if len(cases) % 2 else UNDEFINED
    return next((result for case, result in pairs if case == value), default)


DAYS = {"YYYY": "%Y", "YYYY-MM-DD": "%Y-%m-%d", "DD.MM.YYYY": "%d.%m.%Y"}


def _format_date(value: Any, form: str, zone: str = "UTC") -> str:
    if _is_empty(value):
        return ""
    if isinstance(value, str):  # a text in ISO 8601 becomes a date, in UTC without a zone
        value = datetime.fromisoformat(value)
        value = value if value.tzinfo else value.replace(tzinfo=UTC)
    if not isinstance(value, datetime):
        raise NotUnderstood(f"formatDate of {value!r}")
    local = value.astimezone(ZoneInfo(zone))
    if form in DAYS:
        return f"{local:{DAYS[form]}}"
    if form == "YYYY-MM-DDTHH:mm:ssZ":
        return local.isoformat(timespec="seconds")
    raise NotUnderstood(f"the date format {form}")


def _map(rows: Any, key: str, where: str, wanted: str) -> list[Any]:
    return [row[key] for row in rows if as_text(row.get(where)) in wanted.split(",") and key in row]


def _substring(text: str, start: float, end: float) -> str:
    return text[max(0, int(start)) : max(0, int(end))]


def _distinct(rows: list[Any], key: str) -> list[Any]:
    first: dict[Any, Any] = {}
    for row in rows:
        first.setdefault(row.get(key), row)
    return list(first.values())


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "ifempty": lambda value, other: other if _is_empty(value) else value,
    "if": lambda condition, yes, no: yes if condition else no,
    "switch": _switch,
    "encodeURL": lambda value: quote(as_text(value), safe=""),
    "formatDate": _format_date,
    "addYears": lambda moment, years: moment.replace(year=moment.year + int(years)),
    "toCollection": lambda rows, key, value: {row[key]: row.get(value) for row in rows},
    "toArray": lambda collection: [{"key": key, "value": value} for key, value in collection.items()],
    "parseJSON": json.loads,
    "indexOf": lambda text, part: float(text.find(part)),
    "first": lambda rows: rows[0] if rows else UNDEFINED,
    "map": _map,
    "substring": _substring,
    "replace": lambda text, wanted, instead: text.replace(wanted, instead),
    "toString": as_text,
    "length": lambda value: float(len(value)),
    "reverse": lambda rows: rows[::-1],
    "distinct": _distinct,
}
