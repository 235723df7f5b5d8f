"""Paths, conditions and templates: how a manifest points into data, and writes text from it.

`docs/vocabulary.md` defines them; `connector/export/node/core/manifest/templates.ts` is the other interpreter.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from connector.core.data import localize
from connector.core.data.localize import Words
from connector.core.values.money import as_money

Row = Mapping[str, Any]
Condition = Callable[[Any], bool]
NOTHING: Row = {}
NO_WORDS: Words = {}
ANYTHING = "*"
_PART = re.compile(r"\{(?P<alternatives>[^{}:]+)(?::(?P<filter>[a-z]+)(?:\((?P<argument>[^()]*)\))?)?\}")
_SECTION = re.compile(r"\[([^\[\]]*)\]")


def at(value: Any, path: str) -> Any:
    """What stands at a path; None when something on the way is missing."""
    for name in path.split(".") if "." in path else (path,):
        value = value.get(name) if isinstance(value, dict) else None
    return value


def all_at(value: Any, path: str) -> list[Any]:
    """Every value at a path that may lead through lists (`lines[].amount`)."""
    head, opens, rest = path.partition("[].")
    first = at(value, head)
    if not opens:
        return [] if first is None else [first]
    items = first if isinstance(first, list) else ()
    if "." in rest:
        return [member for item in items for member in all_at(item, rest)]
    return [member for item in items if isinstance(item, dict) and (member := item.get(rest)) is not None]


def each(value: Any, path: str, place: str = "") -> Iterator[tuple[str, Any]]:
    """The same, each with its place (`lines[0].amount`)."""
    head, opens, rest = path.partition("[].")
    if not opens:
        member = at(value, path)
        if member is not None:
            yield f"{place}{path}", member
        return
    items = at(value, head)
    for number, item in enumerate(items if isinstance(items, list) else ()):
        yield from each(item, rest, f"{place}{head}[{number}].")


def is_empty(value: Any) -> bool:
    """Whether nothing was said: absent, null or an empty text."""
    return value is None or (type(value) is str and not value)


def text_of(value: Any) -> str:
    """A value as text: digits of numbers as they came; what is no text, number or truth value is empty."""
    if type(value) is str:
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return f"{value:f}"
    return str(value) if isinstance(value, str | int | float) else ""


def condition(declared: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> Condition:
    """Compiles a condition; a list of mappings holds when one of them does."""
    if not isinstance(declared, Mapping):
        choices = [condition(choice) for choice in declared]
        return lambda row: any(choice(row) for choice in choices)
    tests = [_test(path, wanted) for path, wanted in declared.items()]
    if len(tests) == 1:
        return tests[0]
    return lambda row: all(test(row) for test in tests)


def members_of(declared: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> set[str]:
    """The members of a row that a condition looks into."""
    choices = [declared] if isinstance(declared, Mapping) else declared
    return {path.partition(".")[0] for choice in choices for path in choice}


def _test(path: str, wanted: Any) -> Condition:
    if wanted == ANYTHING:
        return lambda row: not is_empty(at(row, path))
    allowed = frozenset(map(text_of, wanted if isinstance(wanted, list) else [wanted])) - {""}
    if "." in path:
        return lambda row: text_of(at(row, path)) in allowed

    def plain(row: Any) -> bool:  # on the way of every polled row
        cell = row.get(path)
        return (cell if type(cell) is str else text_of(cell)) in allowed

    return plain


class Placeholder(NamedTuple):
    """`{name|id:last(4)}`: the first alternative that is not empty, written by a filter."""

    alternatives: tuple[str, ...]
    filter: str | None = None
    argument: str | None = None


class Section(NamedTuple):
    """`[…]`: parts that vanish when a placeholder among them is empty."""

    parts: tuple[str | Placeholder, ...]


Parts = list[str | Placeholder | Section]


def parsed(declared: str | Sequence[str]) -> list[Parts]:
    """The parts of a template, or of each in a list."""
    return [_parts(template) for template in ([declared] if isinstance(declared, str) else declared)]


def path_or_template(declared: str | Sequence[str]) -> str | Sequence[str]:
    """A template as it stands; a text without braces is the path of one value."""
    return f"{{{declared}}}" if isinstance(declared, str) and "{" not in declared else declared


def _parts(template: str) -> Parts:
    parts: Parts = []
    for place, text in enumerate(_SECTION.split(template)):
        inner = _plain_parts(text)
        parts += [Section(tuple(inner))] if place % 2 else inner
    return parts


def _plain_parts(text: str) -> list[str | Placeholder]:
    parts: list[str | Placeholder] = []
    position = 0
    for match in _PART.finditer(text):
        parts += [text[position : match.start()]]
        parts += [Placeholder(tuple(match["alternatives"].split("|")), match["filter"], match["argument"])]
        position = match.end()
    return [part for part in (*parts, text[position:]) if part]


class Template:
    """Text with placeholders and sections, compiled once."""

    def __init__(self, declared: str | Sequence[str], words: Words = NO_WORDS) -> None:
        """`words` are the sets that the filter `word` names."""
        self._templates = [[_piece(part, words) for part in parts] for parts in parsed(declared)]

    def render(self, row: Row, inputs: Row = NOTHING, provided: Row = NOTHING, lang: str | None = None) -> str:
        """The text for one row. `provided` are the values behind `@`; without a language, values stand as they came."""
        scope = (row, inputs, provided, lang)
        return ", ".join(text for pieces in self._templates if (text := "".join(piece(scope) for piece in pieces)))


Scope = tuple[Row, Row, Row, str | None]
Piece = Callable[[Scope], str]


def _piece(part: str | Placeholder | Section, words: Words) -> Piece:
    if isinstance(part, str):
        return lambda scope: part
    if isinstance(part, Placeholder):
        return _placeholder(part, words)
    inner = [(isinstance(inner_part, Placeholder), _piece(inner_part, words)) for inner_part in part.parts]

    def section(scope: Scope) -> str:
        texts = [(filled, piece(scope)) for filled, piece in inner]
        return "" if any(filled and not text for filled, text in texts) else "".join(text for _, text in texts)

    return section


def _placeholder(part: Placeholder, words: Words) -> Piece:
    write = _filter(part.filter, part.argument or "", words)

    def placeholder(scope: Scope) -> str:
        first = next(
            (value for alternative in part.alternatives if not is_empty(value := value_of(alternative, *scope[:3]))),
            None,
        )
        return "" if first is None else write(first, scope)

    return placeholder


def value_of(reference: str, row: Row, inputs: Row = NOTHING, provided: Row = NOTHING) -> Any:
    """What a reference stands for: `$name` an input, `@name` a value of the strategy, else a path in the row."""
    if reference.startswith("$"):
        return inputs.get(reference[1:])
    return provided.get(reference[1:]) if reference.startswith("@") else at(row, reference)


def _filter(name: str | None, argument: str, words: Words) -> Callable[[Any, Scope], str]:
    match name:
        case None:
            return lambda value, scope: text_of(value)
        case "last":
            return lambda value, scope: text_of(value)[-int(argument or 0) :]
        case _:
            write = _localized(name, argument, words)
            return lambda value, scope: text_of(value) if scope[3] is None else write(value, scope[0], scope[3])


def _localized(name: str, argument: str, words: Words) -> Callable[[Any, Row, str], str]:
    """The filters whose text depends on the language."""
    match name:
        case "money":
            return lambda value, row, lang: _money(value, at(row, argument), lang)
        case "number":
            return lambda value, row, lang: _number(value, lang)
        case "day":
            return lambda value, row, lang: localize.day_of(text_of(value), lang)
        case "word":
            if argument not in words:
                raise ValueError(f"there are no words {argument!r}")
            return lambda value, row, lang: localize.word(text_of(value), words[argument], lang)
        case _:
            raise ValueError(f"there is no filter {name!r}")


def _money(value: Any, currency: Any, lang: str) -> str:
    """An amount with its currency; what is no amount shows as nothing rather than breaking a whole list."""
    try:
        return f"{localize.money(as_money(value), currency, lang)} {text_of(currency)}".rstrip()
    except ValueError:
        return ""


def _number(value: Any, lang: str) -> str:
    try:
        return localize.number(as_money(value), lang)
    except ValueError:
        return ""
