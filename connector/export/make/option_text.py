"""Value and label of a dropdown's options as expressions of Make, from the templates that a lookup declares."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from connector.core.data.localize import Words
from connector.core.data.options import OptionList
from connector.core.data.templates import Parts, Placeholder, Section, parsed, path_or_template
from connector.export.make.iml import ZONE, either, literal, whole

DAY = {"en": "YYYY-MM-DD", "de": "DD.MM.YYYY"}


@dataclass(frozen=True, slots=True)
class _Writer:
    """What the expressions of one lookup depend on."""

    wrap: str | None
    words: Words
    lang: str


def value(options: OptionList) -> str:
    """The expression of an option's value; empty for a row that is no option."""
    return _first(options.values, options.declared.get("wrap"))


def text(options: OptionList, lang: str) -> str:
    """The label, and the hint behind it, since a dropdown of Make shows one line."""
    declared = options.declared
    writer = _Writer(declared.get("wrap"), options.words, lang)
    labels = parsed(path_or_template(declared["label"]))
    match labels:
        case [[Placeholder(filter=None) as only]]:  # an empty label is the value
            labels = [[only._replace(alternatives=(*only.alternatives, *options.values))]]
    written = _joined(labels, writer)
    if "hint" not in declared:
        return written
    hints = parsed(path_or_template(declared["hint"]))
    shown = " || ".join(_present(parts, writer.wrap) for parts in hints)
    return f"{written}{_if(shown, literal(' – '))}{_joined(hints, writer)}"


def _joined(templates: list[Parts], writer: _Writer) -> str:
    made = ""
    for place, parts in enumerate(templates):
        if place:
            both = f"{_present(templates[place - 1], writer.wrap)} && {_present(parts, writer.wrap)}"
            made += _if(both, literal(", "))
        made += "".join(_part(part, writer) for part in parts)
    return made


def _part(part: str | Placeholder | Section, writer: _Writer) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, Placeholder):
        return _placeholder(part, writer, "")
    filled = _present(part.parts, writer.wrap)
    return "".join(
        _if(filled, literal(one.replace("'", "’"))) if isinstance(one, str) else _placeholder(one, writer, filled)
        for one in part.parts
    )


def _placeholder(part: Placeholder, writer: _Writer, condition: str) -> str:
    found = _first(part.alternatives, writer.wrap)
    text = f"ifempty({found}, '')"
    match part.filter:
        case "last":
            found = f"substring({text}, length({text}) - {part.argument}, length({text}))"
        case "day":
            found = f"if({found}, formatDate({found}, {literal(DAY[writer.lang])}, {literal(ZONE)}), '')"
        case "word":
            pairs = writer.words[part.argument or ""].items()
            words = ", ".join(f"{literal(value)}, {literal(said[writer.lang])}" for value, said in pairs)
            found = f"switch({found}, {words}, {found})"
        case "number":
            found = _comma(found, writer.lang)
        case "money":
            shown = condition or _is_there(part, writer.wrap)
            currency = _if(shown, literal(" ")) + _if(shown, f"item.{part.argument}") if part.argument else ""
            return whole(_comma(found, writer.lang)) + currency
    return _if(condition, found) if condition else whole(found)


def _comma(found: str, lang: str) -> str:
    return f"replace(toString({found}), '.', ',')" if lang == "de" else found


def _present(parts: Iterable[str | Placeholder | Section], wrap: str | None) -> str:
    """Holds when every value that the parts show is there."""
    conditions = [_is_there(part, wrap) for part in parts if isinstance(part, Placeholder)]
    return " && ".join(conditions) or "true"


def _is_there(part: Placeholder, wrap: str | None) -> str:
    found = _first(part.alternatives, wrap)
    return f"toString({found})" if part.filter == "money" else found  # an amount of 0 is there


def _if(condition: str, shown: str) -> str:
    return whole(f"if({condition}, {shown}, '')")


def _first(paths: Sequence[str], wrap: str | None) -> str:
    """The first path that is not empty. Where plain texts may stand for rows, the row itself comes last."""
    found = [f"item.{path}" for path in dict.fromkeys(paths)]
    return either([*found, "item"] if wrap in paths else found)
