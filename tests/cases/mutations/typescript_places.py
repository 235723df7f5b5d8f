"""Finds the conditions and the names of sentences in TypeScript, by its text.

Conditions are those of `if` and of `? :`, in their parts, and every comparison.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

_COMPARISON = re.compile(r" (===|!==|<=|>=|<|>|in|instanceof) ")
_TERNARY = re.compile(r"\s\?\s")
_IF = re.compile(r"\bif \(")
_STOPS = re.compile(r"[,;?:]\s|=>\s|(?<![=!<>])=\s|\breturn\b|\bthrow\b|\bof\b|\.\.\.|\$\{")
_JOINS = re.compile(r"\s(&&|\|\||\?\?)\s")
_AFTER_OPERAND = re.compile(r"\s[?:]\s")
_PATTERN_MAY_FOLLOW = re.compile(r"[(,=:\[!&|?{};]\s*$|\breturn\s*$|^\s*$")
_PATTERN = re.compile(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\]|\\.)*\])+/[a-z]*")
_FUNCTION = re.compile(
    r"^(?:export )?(?:async )?function (\w+)"
    r"|^\t(?:private |static |async |get )*(\w+)(?:<\w+>)?\([^;\n]*\{$"
    r"|^\t(\w+): \("
    r"|^(?:export )?const (\w+)",
    re.MULTILINE,
)
"""Where a function, a method or a table of functions begins."""
_OWNER = re.compile(r"^(?:export )?(?:abstract )?(?:class|const) (\w+)", re.MULTILINE)
"""Where what has methods begins."""


@dataclass(frozen=True)
class Place:
    """A condition or a name in the source."""

    file: str
    function: str
    line: int
    kind: str
    start: int
    end: int
    text: str


def places(file: str, source: str, names: Collection[str]) -> Iterator[Place]:
    """Every place in a source; `names` are those of sentences."""
    code = _code_only(source)
    spans: dict[tuple[int, int], str] = {}
    for found in _IF.finditer(code):
        spans |= dict.fromkeys(_operands(code, found.end(), _closing(code, found.end() - 1)), "condition")
    for found in _TERNARY.finditer(code):
        if not _is_type(code, found.start()):
            spans |= dict.fromkeys(_operands(code, _beginning(code, found.start()), found.start()), "condition")
    for found in _COMPARISON.finditer(code):
        if not _is_type(code, found.start()) and not _declares(code, found.start()):
            spans[_trimmed(code, _beginning(code, found.start(), joins=True), _ending(code, found.end()))] = "condition"
    for found in re.finditer(r"'([a-z_.]+)'", source):
        if code[found.start()] == "'" and found[1] in names and _is_value(code, found.start(), found.end()):
            spans[found.start(), found.end()] = "name"
    for (start, end), kind in sorted(spans.items()):
        if start < end:
            text = " ".join(source[start:end].split())
            yield Place(file, _function(code, start), source.count("\n", 0, start) + 1, kind, start, end, text)


def asking(source: str, found: list[Place], first: int) -> str:
    """The source in which every place asks the switch, by a number from `first` on."""
    inserts: list[tuple[int, int, str]] = []
    for number, place in enumerate(found, start=first):
        size = place.end - place.start
        inserts.append((place.start, -size, f"globalThis.__switch__.{place.kind}({number}, ("))
        inserts.append((place.end, -(10**9) + size, "))"))
    for at, _, text in sorted(inserts, key=lambda one: (one[0], one[1]), reverse=True):
        source = source[:at] + text + source[at:]
    return source


def _code_only(source: str) -> str:
    """The source with comments, strings and patterns blanked out; quotes and what stands in `${}` stay."""
    out, stack, at = list(source), [], 0

    def blank(start: int, end: int) -> None:
        for place in range(start, end):
            out[place] = " " if source[place] != "\n" else "\n"

    def template(start: int) -> int:
        place = start
        while source[place] != "`":
            if source[place] == "\\":
                blank(place, place + 2)
                place += 2
            elif source.startswith("${", place):
                stack.append("`")
                return place + 2
            else:
                blank(place, place + 1)
                place += 1
        return place + 1

    while at < len(source):
        rest = source[at:]
        if comment := re.match(r"//[^\n]*|/\*.*?\*/", rest, re.DOTALL):
            blank(at, at + comment.end())
            at += comment.end()
        elif text := re.match(r"'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"", rest):
            blank(at + 1, at + text.end() - 1)
            at += text.end()
        elif source[at] == "`":
            at = template(at + 1)
        elif source[at] == "/" and re.search(
            r"[(,=:\[!&|?{};]\s*$|\breturn\s*$|^\s*$", "".join(out[max(0, at - 40) : at])
        ):
            pattern = re.match(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\]|\\.)*\])+/[a-z]*", rest)
            assert pattern, rest[:60]
            blank(at, at + pattern.end())
            out[at] = "/"
            at += pattern.end()
        else:
            if source[at] == "{":
                stack.append("{")
            elif source[at] == "}" and stack and stack.pop() == "`":
                at = template(at + 1)
                continue
            at += 1
    return "".join(out)


def _closing(code: str, opening: int) -> int:
    depth = 0
    for place in range(opening, len(code)):
        depth += (code[place] in "([{") - (code[place] in ")]}")
        if depth == 0:
            return place
    raise ValueError("a bracket is not closed")


def _beginning(code: str, end: int, *, joins: bool = False) -> int:
    """Where the expression begins that ends here; with `joins`, one that stands between `&&` and the like."""
    depth, place = 0, end
    while place > 0:
        place -= 1
        sign = code[place]
        if sign in ")]}":
            depth += 1
        elif sign in "([{":
            if depth == 0:
                return place + 1
            depth -= 1
        elif depth == 0:
            for pattern in (_STOPS, _JOINS) if joins else (_STOPS,):
                found = pattern.match(code, place)
                if found and found.end() <= end:
                    return found.end()
    return 0


def _ending(code: str, start: int) -> int:
    """Where the operand ends that begins here."""
    depth = 0
    for place in range(start, len(code)):
        sign = code[place]
        if sign in "([{":
            depth += 1
        elif sign in ")]}":
            if depth == 0:
                return place
            depth -= 1
        elif depth == 0 and (
            sign in ",;" or _JOINS.match(code, place) or re.match(r"\s[?:]\s", code[place : place + 3])
        ):
            return place
    return len(code)


def _operands(code: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The parts of a condition that are joined by and, or, not."""
    start, end = _trimmed(code, start, end)
    joins, depth = [], 0
    for place in range(start, end):
        depth += (code[place] in "([{") - (code[place] in ")]}")
        found = re.match(r"\s(&&|\|\|)\s", code[place : place + 4]) if depth == 0 else None
        if found:
            joins.append((place, place + found.end()))
    if joins:
        bounds = [start, *(one for join in joins for one in join), end]
        for first, last in zip(bounds[::2], bounds[1::2], strict=True):
            yield from _operands(code, first, last)
    elif code[start] == "!" and code[start + 1] != "=":
        yield from _operands(code, start + 1, end)
    elif code[start] == "(" and _closing(code, start) == end - 1:
        yield from _operands(code, start + 1, end - 1)
    else:
        yield start, end


def _trimmed(code: str, start: int, end: int) -> tuple[int, int]:
    while start < end and code[start].isspace():
        start += 1
    while end > start and code[end - 1].isspace():
        end -= 1
    return start, end


def _is_type(code: str, place: int) -> bool:
    """Whether a sign stands in a type rather than in an expression."""
    line = code[code.rfind("\n", 0, place) + 1 : code.find("\n", place)]
    return bool(re.match(r"\s*(export )?(type|interface)\b", line)) or " extends " in line


def _declares(code: str, place: int) -> bool:
    """Whether `in` or `of` belongs to a loop."""
    line = code[code.rfind("\n", 0, place) + 1 : place]
    return bool(re.search(r"\bfor \((const|let) [^()]*$", line))


def _is_value(code: str, start: int, end: int) -> bool:
    """Whether a text stands where a value does: not as a key, and not in a type."""
    before, behind = code[:start].rstrip(), code[end:].lstrip()
    in_type = before.endswith("|") or behind.startswith("|") or _is_type(code, start)
    return before[-1] in "(,:?" and not behind.startswith(":") and not in_type


def _function(code: str, place: int) -> str:
    """The name of the function around a place; of a method, with the name of its class or table before it."""
    found = list(_FUNCTION.finditer(code, 0, place))
    if not found:
        return ""
    function, method, member, table = found[-1].groups()
    owners = list(_OWNER.finditer(code, 0, found[-1].start() + 1))
    owner = f"{owners[-1][1]}." if owners and (method or member) else ""
    return f"{owner}{function or method or member or table}"
