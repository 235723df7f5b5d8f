"""How Kontor speaks to people: every sentence by its name, in English and German at once.

The sentences stand in the YAML files beside this module, one file for each face or subject. Their names are unique
over all files; blanks are in braces.
"""

from __future__ import annotations

import os
from functools import cache

from connector.core import compiled

TYPE_CHECKING = False  # not from typing, which takes longer to import than a list of the command line takes to print
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

FOLDER = os.path.dirname(os.path.abspath(__file__))
LANGUAGES = ("en", "de")
LISTS = os.path.join(FOLDER, "lists.yaml")
"""The few words of a list are cached apart: a list is to appear at once, without reading all sentences."""


class Text(tuple[str, str]):
    """One sentence in both languages."""

    __slots__ = ()

    def __new__(cls, en: str, de: str) -> Text:
        """Takes English first."""
        return tuple.__new__(cls, (en, de))

    def __repr__(self) -> str:
        return f"Text(en={self[0]!r}, de={self[1]!r})"

    def __str__(self) -> str:
        """The sentence in the language of the user."""
        return self.in_(language())

    def __getnewargs__(self) -> tuple[str, str]:
        return (self[0], self[1])

    @property
    def en(self) -> str:
        """The sentence in English."""
        return self[0]

    @property
    def de(self) -> str:
        """The sentence in German."""
        return self[1]

    def in_(self, lang: str) -> str:
        """The sentence in `lang`; English for any language that is not German."""
        return self[1] if lang == "de" else self[0]

    def as_dict(self) -> dict[str, str]:
        """Both languages by their code, as JSON documents carry them."""
        return {"en": self[0], "de": self[1]}


def language() -> str:
    """The language of the user: `de` if `KONTOR_LANG` says so, else `en`."""
    return "de" if os.environ.get("KONTOR_LANG", "").lower().startswith("de") else "en"


def say(name: str, /, **values: Any) -> Text:
    """The sentence called `name`, with its blanks filled in; a value may itself be a `Text`."""
    return filled(template(name), values)


def filled(words: Text, values: Mapping[str, Any]) -> Text:
    """A sentence with its blanks filled in; a value may itself be a `Text`."""
    en, de = words
    return Text(en.format(**_in(0, values)), de.format(**_in(1, values)))


def template(name: str, /) -> Text:
    """The sentence called `name`, with its blanks left open."""
    return Text(*(_lists().get(name) or sentences()[name]))


def quote(text: str) -> Text:
    """Words of the service, which come in one language only."""
    return Text(text, text)


@cache
def sentences() -> dict[str, list[str]]:
    """Every sentence by its name, English before German."""
    sources = compiled.sources([FOLDER])
    found: dict[str, list[str]] = compiled.load("messages", FOLDER, sources, lambda: parse(sources))
    return found


@cache
def _lists() -> dict[str, list[str]]:
    sources = [(LISTS, os.stat(LISTS))]
    found: dict[str, list[str]] = compiled.load("lists", FOLDER, sources, lambda: parse(sources))
    return found


def parse(sources: compiled.Sources) -> dict[str, list[str]]:
    """Every sentence in these files, from the YAML itself."""
    found: dict[str, list[str]] = {}
    homes: dict[str, str] = {}
    for path, _ in sources:
        for name, said in compiled.read_yaml(path).items():
            if name in homes:
                raise ValueError(f"'{name}' stands in {homes[name]} and in {path}")
            if not isinstance(said, dict) or sorted(said) != sorted(LANGUAGES) or not all(map(_is_text, said.values())):
                raise ValueError(f"'{name}' in {path} must be {{en: text, de: text}}")
            homes[name] = path
            found[name] = [said[lang] for lang in LANGUAGES]
    return found


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value != ""


def _in(language: int, values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value[language] if isinstance(value, Text) else value for name, value in values.items()}
