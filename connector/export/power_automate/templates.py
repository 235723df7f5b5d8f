"""Templates and conditions as data for the script, which interprets them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from connector.core.data.localize import Words
from connector.core.data.options import OptionList
from connector.core.data.templates import Placeholder, Section, parsed, path_or_template, text_of

HINT = " – "
"""Stands between label and hint, since a dropdown shows one line."""


def option_text(options: OptionList, lang: str) -> dict[str, Any]:
    """How a row becomes an option: the paths of its value, the templates of its label and of its hint."""
    declared = options.declared
    made: dict[str, Any] = {"value": options.values, "label": _templates(declared["label"], options.words, lang)}
    if "hint" in declared:
        made |= {"hint": _templates(declared["hint"], options.words, lang), "between": HINT}
    return {**made, **{name: declared[name] for name in ("wrap", "distinct") if name in declared}}


def conditions(when: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> list[dict[str, list[str]]]:
    """A condition as choices, each of paths with the texts of which one must stand there."""
    choices = [when] if isinstance(when, Mapping) else when
    return [
        {
            path: [text_of(value) for value in (wanted if isinstance(wanted, list) else [wanted])]
            for path, wanted in one.items()
        }
        for one in choices
    ]


def _templates(declared: Any, words: Words, lang: str) -> list[list[Any]]:
    return [_parts(parts, words, lang) for parts in parsed(path_or_template(declared))]


def _parts(parts: Iterable[str | Placeholder | Section], words: Words, lang: str) -> list[Any]:
    return [_part(part, words, lang) for part in parts]


def _part(part: str | Placeholder | Section, words: Words, lang: str) -> Any:
    if isinstance(part, str):
        return part
    if isinstance(part, Section):
        return {"section": _parts(part.parts, words, lang)}
    made: dict[str, Any] = {"first": list(part.alternatives)}
    match part.filter:
        case "last":
            made["last"] = int(part.argument or 0)
        case "day":
            made["day"] = lang
        case "word":
            made["words"] = {value: said[lang] for value, said in words[part.argument or ""].items()}
        case "number":
            made["comma"] = lang == "de"
        case "money":
            made |= {"comma": lang == "de", **({"with": part.argument} if part.argument else {})}
    return made
