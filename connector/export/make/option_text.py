"""Value and label of a dropdown's options as expressions of Make, from the templates that a lookup declares."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from connector.core.options import OptionList
from connector.core.templates import Parts, Placeholder, Section, parsed, path_or_template
from connector.export.make.iml import either, literal, whole


def value(options: OptionList) -> str:
    """The expression of an option's value; empty for a row that is no option."""
    return _first(options.values, options.declared.get("wrap"))


def text(options: OptionList) -> str:
    """The label, and the hint behind it, since a dropdown of Make shows one line."""
    declared, wrap = options.declared, options.declared.get("wrap")
    labels = parsed(path_or_template(declared["label"]))
    match labels:
        case [[Placeholder(filter=None) as only]]:  # an empty label is the value
            labels = [[only._replace(alternatives=(*only.alternatives, *options.values))]]
    written = _joined(labels, wrap)
    if "hint" not in declared:
        return written
    hints = parsed(path_or_template(declared["hint"]))
    shown = " || ".join(_present(parts, wrap) for parts in hints)
    return f"{written}{_if(shown, literal(' – '))}{_joined(hints, wrap)}"


def _joined(templates: list[Parts], wrap: str | None) -> str:
    made = ""
    for place, parts in enumerate(templates):
        if place:
            both = f"{_present(templates[place - 1], wrap)} && {_present(parts, wrap)}"
            made += _if(both, literal(", "))
        made += "".join(_part(part, wrap) for part in parts)
    return made


def _part(part: str | Placeholder | Section, wrap: str | None) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, Placeholder):
        return _placeholder(part, wrap, "")
    filled = _present(part.parts, wrap)
    return "".join(
        _if(filled, literal(one.replace("'", "’"))) if isinstance(one, str) else _placeholder(one, wrap, filled)
        for one in part.parts
    )


def _placeholder(part: Placeholder, wrap: str | None, condition: str) -> str:
    found = _first(part.alternatives, wrap)
    text = f"ifempty({found}, '')"
    match part.filter:
        case "last":
            found = f"substring({text}, length({text}) - {part.argument}, length({text}))"
        case "day":
            found = f"substring({text}, 0, 10)"
        case "money":
            shown = condition or _is_there(part, wrap)
            currency = _if(shown, literal(" ")) + _if(shown, f"item.{part.argument}") if part.argument else ""
            return whole(found) + currency
    return _if(condition, found) if condition else whole(found)


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
