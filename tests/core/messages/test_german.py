"""German is German: no field name of the API in a German sentence, and no word of the English one by accident."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from connector.core.manifest.load import load

ROOT = Path(__file__).parents[3]
REVIEWED = yaml.safe_load((Path(__file__).parent / "german_words.yaml").read_text(encoding="utf-8"))
FILES = sorted([*ROOT.glob("connector/core/messages/**/*.yaml"), *ROOT.glob("manifests/**/*.yaml")])
WORD = re.compile(r"[A-Za-zÄÖÜäöüß_][\wÄÖÜäöüß-]*")
NOT_PROSE = re.compile(
    r"\{[^}]*\}"  # blanks
    r"|`[^`]*`|https?://\S+|<[^>]*>|\S+@\S+"  # code, addresses, links
    r"|--[a-z][\w-]*(=\S+)?|\bkontor( [a-z_]+)+|\S+=\S*|x-[a-z-]+|/v2/\S*|\b[A-Z]+(_[A-Z]+)+\b"  # commands, variables
)


@cache
def pairs() -> tuple[tuple[str, str, str], ...]:
    """Every sentence of messages and manifests: where it stands, English, German."""
    files = [path for path in FILES if not path.name.startswith(".")]
    return tuple(
        pair
        for path in files
        for pair in _in(yaml.safe_load(path.read_text(encoding="utf-8")), str(path.relative_to(ROOT)))
    )


def _in(tree: Any, where: str) -> Iterator[tuple[str, str, str]]:
    if isinstance(tree, dict):
        if set(tree) == {"en", "de"} and all(isinstance(text, str) for text in tree.values()):
            yield where, tree["en"], tree["de"]
            return
        for name, inner in tree.items():
            yield from _in(inner, f"{where} {name}")
    elif isinstance(tree, list):
        for number, inner in enumerate(tree):
            yield from _in(inner, f"{where} {number}")


def field_names() -> set[str]:
    """The names of inputs and of the service's fields."""
    names: set[str] = set()
    events = yaml.safe_load((ROOT / "manifests/events.yaml").read_text(encoding="utf-8")).values()
    own = {event["data"] for event in events if "own" in event}  # not the service's, but Kontor's
    for path in ROOT.glob("manifests/resources/*.yaml"):
        for name, resource in yaml.safe_load(path.read_text(encoding="utf-8")).items():
            names |= set() if name in own else set(resource.get("fields", {}))
    for manifests in load().values():
        for manifest in manifests.values():
            names |= set(_inputs(manifest["inputs"]))
    return names


def _inputs(fields: Any) -> Iterator[str]:
    for field in fields:
        yield field["name"]
        yield from _inputs(field.get("fields", ()))


def words(sentence: str) -> set[str]:
    return set(WORD.findall(NOT_PROSE.sub(" ", sentence)))


def test_no_german_sentence_names_a_field_of_the_api() -> None:
    names = field_names()
    assert {"belegzeilen", "connection_id", "skontoFrist1"} <= names
    present = {(where, word) for where, _, german in pairs() for word in words(german) & names}
    excused = {(excuse["where"], excuse["word"]) for excuse in REVIEWED["field_names"]}
    assert present - excused == set()
    assert excused - present == set(), "nobody needs these excuses any more"


def test_no_word_stands_in_both_languages_unless_somebody_has_reviewed_it() -> None:
    reviewed = set(REVIEWED["both_languages"])
    words_of_pairs = {
        word: where for where, english, german in pairs() for word in words(english) & words(german) if len(word) > 1
    }
    assert {word: where for word, where in words_of_pairs.items() if word not in reviewed} == {}
    assert reviewed - set(words_of_pairs) == set(), "these words stand in no pair any more"


@pytest.mark.parametrize("word", ["gutgeschrieben", "Wire-Name", "Wire-Namen", "settled", "executed"])
def test_what_a_bookkeeper_would_not_write_is_gone(word: str) -> None:
    excused = {"manifests/triggers/banking/banking_event.yaml inputs 4 help"}
    assert [where for where, _, german in pairs() if word in words(german) and where not in excused] == []
