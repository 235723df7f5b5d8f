"""How Kontor speaks to people: every sentence in English and German at once."""

from __future__ import annotations

from typing import Any, NamedTuple

from connector.core.catalogue import CATALOGUE


class Text(NamedTuple):
    """One sentence in both languages."""

    en: str
    de: str

    def in_(self, lang: str) -> str:
        """The sentence in `lang`; English for any language that is not German."""
        return self.de if lang == "de" else self.en


def say(name: str, /, **values: Any) -> Text:
    """The sentence called `name`, with its blanks filled in."""
    return Text(*(sentence.format(**_in(index, values)) for index, sentence in enumerate(CATALOGUE[name])))


def _in(language: int, values: dict[str, Any]) -> dict[str, Any]:
    return {name: value[language] if isinstance(value, Text) else value for name, value in values.items()}


def quote(text: str) -> Text:
    """Words of the service, which come in one language only."""
    return Text(text, text)
