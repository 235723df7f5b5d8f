"""Changes one thing at a time in a copy of the TypeScript core, and looks whether a case notices.

The copy asks a switch at every condition (of `if`, of `? :`, every comparison) and at every name of a sentence, so that
one process of Node can try all changes.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from case_files import Case
from expectation import differences
from in_node import CORE, ROOT, packs
from in_python import Interpreter
from node import find_node

BITE = ROOT / "tests" / "node" / "bite.mjs"
BESIDE = ("actions/any/call_api.ts", "triggers/ledger/open_item_changed.ts")
NOT_RUN = ("hook.ts", "payment_facts.ts", "client.ts", "types.ts", "pack.ts")
"""What cases do not run: events of a package's own webhook, and how often and when a call is repeated."""
SECONDS = 1200
OTHER_SENTENCE = "name_not_text"
_COMPARISON = re.compile(r" (===|!==|<=|>=|<|>|in|instanceof) ")
_TERNARY = re.compile(r"\s\?\s")
_IF = re.compile(r"\bif \(")
_STOPS = re.compile(r"[,;?:]\s|=>\s|(?<![=!<>])=\s|\breturn\b|\bthrow\b|\bof\b|\.\.\.|\$\{")
_JOINS = re.compile(r"\s(&&|\|\||\?\?)\s")


@dataclass(frozen=True)
class Place:
    """A condition or a name in the source."""

    file: str
    line: int
    kind: str
    start: int
    end: int
    text: str


def changed_core(folder: Path, names: Mapping[str, Any]) -> list[Place]:
    """Writes the changeable copy; its places, each numbered by its position in the list."""
    places: list[Place] = []
    for path in [*sorted(CORE.rglob("*.ts")), *(ROOT / one for one in BESIDE)]:
        relative = path.relative_to(ROOT)
        target = folder / relative
        target.parent.mkdir(parents=True, exist_ok=True)
        source = path.read_text(encoding="utf-8")
        if path.name in NOT_RUN:
            shutil.copy(path, target)
            continue
        found = list(_places(str(relative), source, names))
        target.write_text(_asking(source, found, len(places)), encoding="utf-8")
        places += found
    return places


def survivors(cases: list[Case], interpreter: Interpreter, folder: Path) -> tuple[int, list[dict[str, Any]]]:
    """How many changes were tried, and those that no case noticed."""
    made = packs(interpreter, cases)
    places = changed_core(folder / "core", made["{}"]["en"]["messages"])
    changes = [
        (number, forced)
        for number, place in enumerate(places)
        for forced in ((True, False) if place.kind == "condition" else (OTHER_SENTENCE,))
    ]
    source, told = folder / "bite.json", folder / "told.json"
    document = {"packs": made, "cases": [case.as_json() for case in cases], "changes": changes}
    source.write_text(json.dumps(document), encoding="utf-8")
    core = folder / "core" / CORE.relative_to(ROOT)
    command = [find_node().program, str(BITE), str(core), str(source), str(told)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    if done.returncode:
        raise RuntimeError(done.stderr[-4000:])
    by_key = {case.key: case for case in cases}
    found = []
    for (number, forced), differing in zip(changes, json.loads(told.read_text(encoding="utf-8")), strict=True):
        if not any(_is_noticed(by_key[key], one) for key, one in differing.items()):
            place = places[number]
            found.append(
                {"file": place.file, "line": place.line, "kind": place.kind, "text": place.text, "forced": forced}
            )
    return len(changes), found


def _is_noticed(case: Case, told: Any) -> bool:
    try:
        return bool(differences(case, told))
    except (KeyError, TypeError, AttributeError):
        return True  # it did not even come to an end


def _places(file: str, source: str, names: Mapping[str, Any]) -> Iterator[Place]:
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
            yield Place(file, source.count("\n", 0, start) + 1, kind, start, end, text)


def _asking(source: str, places: list[Place], first: int) -> str:
    """The source in which every place asks the switch."""
    inserts: list[tuple[int, int, str]] = []
    for number, place in enumerate(places, start=first):
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
    return (
        before[-1] in "(,:?"
        and not behind.startswith(("|", ":"))
        and not before.endswith("|")
        and not _is_type(code, start)
    )
