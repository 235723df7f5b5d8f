"""How Kontor speaks to people: every sentence by its name, in English and German at once.

The sentences stand in the YAML files beside this module, one file for each face or subject. Their names are unique
over all files; blanks are in braces. A blank that begins with `@` is what readers see where they are: the option,
button or field that a remedy means. `platforms.yaml` says what it is called on each platform, and it is filled in when
the sentence is read.
"""

from __future__ import annotations

import os
from contextvars import ContextVar
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
PLATFORMS = os.path.join(FOLDER, "platforms.yaml")
"""What is no sentence: the words of each platform."""
ANYWHERE = "host"
"""The platform of what anybody may read, such as an error that is stored; its words serve where another has none."""
READ_ON: ContextVar[str] = ContextVar("kontor_read_on", default="python")
"""The platform whose words are used where none is named; `connector.core.callers.set_source` sets it."""


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
        return self.in_("en")

    @property
    def de(self) -> str:
        """The sentence in German."""
        return self.in_("de")

    def in_(self, lang: str, platform: str | None = None) -> str:
        """The sentence in `lang`; English for any language that is not German."""
        return self[lang == "de"]

    def as_dict(self, platform: str | None = None) -> dict[str, str]:
        """Both languages by their code, as JSON documents carry them."""
        return {lang: self.in_(lang, platform) for lang in LANGUAGES}


class PlatformText(Text):
    """Sentences in the words of the platform on which they are read; as a pair, in those for anywhere."""

    _parts: tuple[Text | tuple[Text, Mapping[str, Any]], ...]

    def __new__(cls, *parts: Text | tuple[Text, Mapping[str, Any]]) -> PlatformText:
        """Takes sentences, and such with the values of their blanks."""
        text = tuple.__new__(cls, (_spoken(parts, "en", ANYWHERE), _spoken(parts, "de", ANYWHERE)))
        text._parts = parts
        return text

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self._parts

    def in_(self, lang: str, platform: str | None = None) -> str:
        """The sentences in `lang` as they read on a platform: on that of the caller, unless another is named."""
        return _spoken(self._parts, lang, platform or READ_ON.get())


def joined(*texts: Text) -> Text:
    """Several sentences as one text."""
    return PlatformText(*texts)


def language() -> str:
    """The language of the user: `de` if `KONTOR_LANG` says so, else `en`."""
    return "de" if os.environ.get("KONTOR_LANG", "").lower().startswith("de") else "en"


def say(name: str, /, **values: Any) -> Text:
    """The sentence called `name`, with its blanks filled in; a value may itself be a `Text`."""
    return filled(template(name), values)


def filled(words: Text, values: Mapping[str, Any]) -> Text:
    """A sentence with its blanks filled in; a value may itself be a `Text`."""
    if "{@" in words[0] or any(isinstance(value, PlatformText) for value in values.values()):
        return PlatformText((words, values))
    return Text(*(_filled(words[lang == "de"], values, lang, ANYWHERE) for lang in LANGUAGES))


def worded(words: Text, platform: str) -> Text:
    """A sentence with the words of a platform in it, and with its other blanks left open."""
    return Text(*(_worded(words[lang == "de"], lang, platform) for lang in LANGUAGES))


@cache
def platform_words() -> dict[str, dict[str, list[str]]]:
    """What each platform calls what remedies name, English before German."""
    sources = [(PLATFORMS, os.stat(PLATFORMS))]

    def parse_tables() -> dict[str, dict[str, list[str]]]:
        tables: dict[str, Any] = compiled.read_yaml(PLATFORMS)
        return {
            platform: {name: _pair(name, said, PLATFORMS) for name, said in words.items()}
            for platform, words in tables.items()
        }

    tables: dict[str, dict[str, list[str]]] = compiled.load("platforms", FOLDER, sources, parse_tables)
    return tables


def template(name: str, /) -> Text:
    """The sentence called `name`, with its blanks left open."""
    return Text(*(_lists().get(name) or sentences()[name]))


def quote(text: str) -> Text:
    """Words of the service, which come in one language only."""
    return Text(text, text)


@cache
def sentences() -> dict[str, list[str]]:
    """Every sentence by its name, English before German."""
    sources = [source for source in compiled.sources([FOLDER]) if source[0] != PLATFORMS]
    pairs: dict[str, list[str]] = compiled.load("messages", FOLDER, sources, lambda: parse(sources))
    return pairs


@cache
def _lists() -> dict[str, list[str]]:
    sources = [(LISTS, os.stat(LISTS))]
    pairs: dict[str, list[str]] = compiled.load("lists", FOLDER, sources, lambda: parse(sources))
    return pairs


def parse(sources: compiled.Sources) -> dict[str, list[str]]:
    """Every sentence in these files, from the YAML itself."""
    pairs: dict[str, list[str]] = {}
    homes: dict[str, str] = {}
    for path, _ in sources:
        for name, said in compiled.read_yaml(path).items():
            if name in homes:
                raise ValueError(f"'{name}' stands in {homes[name]} and in {path}")
            pairs[name], homes[name] = _pair(name, said, path), path
    return pairs


def _pair(name: str, said: Any, path: str) -> list[str]:
    if not isinstance(said, dict) or sorted(said) != sorted(LANGUAGES) or not all(map(_is_text, said.values())):
        raise ValueError(f"'{name}' in {path} must be {{en: text, de: text}}")
    return [said[lang] for lang in LANGUAGES]


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value != ""


def _spoken(parts: tuple[Text | tuple[Text, Mapping[str, Any]], ...], lang: str, platform: str) -> str:
    texts = [
        part.in_(lang, platform) if isinstance(part, Text) else _filled(part[0][lang == "de"], part[1], lang, platform)
        for part in parts
    ]
    return " ".join(texts)


def _filled(words: str, values: Mapping[str, Any], lang: str, platform: str) -> str:
    blanks = {name: value.in_(lang, platform) if isinstance(value, Text) else value for name, value in values.items()}
    return _worded(words, lang, platform).format(**blanks)


def _worded(words: str, lang: str, platform: str) -> str:
    """A sentence with the words of a platform; a name with a capital letter begins a sentence."""
    while (begin := words.find("{@")) >= 0:
        end = words.index("}", begin)
        name = words[begin + 2 : end]
        word = _word(name.lower(), platform)[lang == "de"]
        words = f"{words[:begin]}{word[:1].upper() if name[0].isupper() else word[:1]}{word[1:]}{words[end + 1 :]}"
    return words


def _word(name: str, platform: str) -> list[str]:
    tables = platform_words()
    return tables.get(platform, tables[ANYWHERE]).get(name) or tables[ANYWHERE][name]
