"""What a person is asked before a write is sent: made from fixed fields that no value can imitate. Pure.

The fixed fields come first, in one order, read from the request itself. All else that it carries follows below them,
each on one line that begins with a mark, with its whole path quoted; so a free key called like a fixed field, or a
value that contains a line, stays what it is. Every face asks by this: elicitation, approvals on the command line and in
the console.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from connector.core.callers import Actor
from connector.core.manifest.model import Action
from connector.core.messages import Text, say
from connector.core.service.wire import Wire
from connector.core.values import json
from connector.runtime.requests.request import wire_name

FIXED = ("who", "what", "amount", "payee", "account", "method", "path")
"""The fixed fields, in their order; those that a write does not have are left out."""
MARK = "  | "
"""Begins the line of a free value. No fixed line begins so."""
WARNS = "! "
"""Begins the line of a warning. No other line begins so."""
MAX_NOTE = 500
MAX_CHARACTERS = 200
"""Of one value; what is longer is cut, and says how long it was."""
MAX_FREE = 40
"""How many free values are shown."""
HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Categories of characters that are not seen, end a line or turn its direction."""


@dataclass(frozen=True, slots=True)
class Question:
    """The fields of a question; every text in it is one line of visible characters."""

    fixed: tuple[tuple[str, Text], ...]
    """The name of a fixed field, and its value."""
    free: tuple[tuple[str, str], ...]
    """The quoted path of any other value, and the value."""
    more: int = 0
    """How many free values are not shown."""
    notes: tuple[Text, ...] = ()
    """What Kontor warns of."""

    def warning(self, warnings: Iterable[Text]) -> Question:
        """Return it with warnings, each on a line of its own behind the fixed fields."""
        notes = (Text(*(visible(text.in_(lang), MAX_NOTE) for lang in ("en", "de"))) for text in warnings)
        return replace(self, notes=tuple(notes))

    def rows(self, lang: str) -> list[tuple[str, str]]:
        """Return the fixed fields as label and value."""
        return [(say(f"question_{name}").in_(lang), value.in_(lang)) for name, value in self.fixed]

    def text(self, lang: str) -> str:
        """Return it as lines: the fixed fields, and below them the rest."""
        lines = [f"{label}: {value}" for label, value in self.rows(lang)]
        lines += [f"{WARNS}{note.in_(lang)}" for note in self.notes]
        if self.free:
            lines.append(say("question_free").in_(lang))
        lines += [f"{MARK}{path}: {value}" for path, value in self.free]
        if self.more:
            lines.append(f"{MARK}{say('question_more', count=self.more).in_(lang)}")
        return "\n".join(lines)


def of_request(action: Action, planned: Mapping[str, Any], wire: Wire, who: Actor | None) -> Question:
    """Make the question about a request as it was planned for `who`."""
    names = {field.name: wire_name(field, wire) for field in action.inputs}
    return _question(action, as_planned(planned), names, who)


def of_inputs(action: Action, inputs: Mapping[str, Any], who: str | None) -> Question:
    """Make the question about the checked inputs of a run that waits, which `who` asked for."""
    declared = action.request
    request = {name: inputs.get(name) for name in ("method", "path")}
    if declared is not None:
        request = {"method": declared.method, "path": declared.path}
    request["body"] = inputs
    return _question(action, request, {field.name: field.name for field in action.inputs}, who)


def _question(
    action: Action, request: Mapping[str, Any], names: Mapping[str, str | None], who: Actor | str | None
) -> Question:
    query, body = request.get("query"), request.get("body")
    fixed: list[tuple[str, Text]] = [("who", _who(who)), ("what", action.title)]
    taken: set[str] = set()
    if action.money is not None and isinstance(body, Mapping):
        for name, inputs in action.money.shown:
            wired = [names.get(name) for name in inputs]
            values = [body[name] for name in wired if name is not None and body.get(name) is not None]
            taken |= {name for name in wired if name is not None}
            if values:
                fixed.append((name, _same(" ".join(map(_value, values)))))
    fixed += [(name, _same(visible(str(request.get(name) or "")))) for name in ("method", "path")]
    free = [*_free(query, ("query",), set()), *_free(body, ("body",), taken)]
    return Question(tuple(fixed), tuple(free[:MAX_FREE]), max(0, len(free) - MAX_FREE))


def about_run(run: Mapping[str, Any], title: Text | None) -> Question:
    """Make the question about a run that was sent before: what a person found out about it."""
    named = _same(visible(str(run["action"])))
    fixed = (("what", title or named), *((name, _same(visible(str(run[name] or "")))) for name in ("run", "state")))
    free = list(_free({name: run[name] for name in ("key", "inputs")}, ("run",), set()))
    return Question(fixed, tuple(free[:MAX_FREE]), max(0, len(free) - MAX_FREE))


def as_planned(planned: Mapping[str, Any]) -> dict[str, Any]:
    """Return a planned request, whose address is one text, in its parts."""
    address = urlsplit(str(planned.get("url") or planned.get("path") or ""))
    query: dict[str, list[str]] = {}
    for name, value in parse_qsl(address.query, keep_blank_values=True):
        query.setdefault(name, []).append(value)
    return {"method": planned["method"], "path": address.path, "query": query, "body": planned.get("body")}


def visible(text: str, most: int = MAX_CHARACTERS) -> str:
    """Return a text as it was given, on one line: what cannot be seen is written as its code, what is long is cut."""
    shown = "".join(_visible(character) for character in text[:most])
    return shown if len(text) <= most else f"{shown}… ({len(text)})"


def _visible(character: str) -> str:
    if character == " " or (unicodedata.category(character) not in HIDDEN and not character.isspace()):
        return character
    return f"\\u{ord(character):04x}" if ord(character) <= 0xFFFF else f"\\U{ord(character):08x}"


def _who(who: Actor | str | None) -> Text:
    if isinstance(who, Actor):
        name, person = visible(who.name), visible(who.person or who.name)
        return say("question_token", person=person, name=name)
    return say("approval_owner") if not who else _same(visible(who))


def _value(value: Any) -> str:
    """Return a value in the letters of JSON: texts in quotes, numbers with all their digits."""
    if isinstance(value, str):
        return f'"{visible(_quoted(value))}"'
    if isinstance(value, bytes | bytearray):
        return f"({len(value)} bytes)"
    if isinstance(value, Decimal):
        return visible(format(value, "f"))
    return visible(json.encode(value).decode())


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _free(tree: Any, path: tuple[str, ...], taken: set[str]) -> Iterator[tuple[str, str]]:
    """Yield every value in a tree with its path, but for what the fixed fields show."""
    if isinstance(tree, Mapping) and tree:
        for name, value in tree.items():
            if name not in taken:
                yield from _free(value, (*path, str(name)), set())
    elif isinstance(tree, list | tuple) and tree:
        for number, value in enumerate(tree):
            yield from _free(value, (*path, str(number)), set())
    elif tree is not None:
        yield ".".join((path[0], *(f'"{visible(_quoted(part))}"' for part in path[1:]))), _value(tree)


def _same(text: str) -> Text:
    return Text(text, text)
