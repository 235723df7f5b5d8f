"""What a remedy quotes as a label on a platform stands on a form of the package for it, in both languages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from connector import Connector
from connector.core.messages import LANGUAGES, platform_words, sentences
from connector.core.service.wire import Wire
from connector.export import make, n8n, power_automate, zapier
from connector.export.shape import ExportOptions

pytestmark = pytest.mark.platforms
CONNECTOR = Connector("unused")
EXPORTS = {"n8n": n8n, "zapier": zapier, "make": make, "power-automate": power_automate}
QUOTED = re.compile(r"(?<!\w)'([A-Z][^']*)'|„([^“{]*)“")


def texts_of(platform: str, lang: str) -> set[str]:
    """Every text of the packages for a platform, as their forms show it."""
    found: set[str] = set()
    for via in ("service", "host"):
        options = ExportOptions(via=via, lang=lang, wire=Wire.load({}), with_writes=True)  # type: ignore[arg-type]
        for name, content in EXPORTS[platform].build(CONNECTOR, options).files.items():
            if name.endswith(".json") and name != "pack.json":
                found |= set(_texts(json.loads(content)))
            elif name.endswith(("Description.ts", ".node.ts", ".credentials.ts")):
                found |= set(re.findall(r"'([^'\\\n]*)'", content.decode()))
    return found


def _texts(tree: Any) -> Iterator[str]:
    if isinstance(tree, str):
        yield tree
    elif isinstance(tree, dict | list):
        for value in tree.values() if isinstance(tree, dict) else tree:
            yield from _texts(value)


@pytest.mark.parametrize("platform", EXPORTS)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_label_that_a_remedy_quotes_stands_on_a_form(platform: str, lang: str) -> None:
    texts, place = texts_of(platform, lang), LANGUAGES.index(lang)
    quoted = {
        label for words in platform_words()[platform].values() for label in map("".join, QUOTED.findall(words[place]))
    }
    assert quoted
    assert quoted - texts == set()


def test_no_sentence_of_a_package_quotes_a_label_past_the_table() -> None:
    """The webhook URL is each platform's own matter: its sentences are of one platform only."""
    shared = {name: pair for name, pair in sentences().items() if name.startswith("package_")}
    assert {name for name, (english, _) in shared.items() if QUOTED.search(english)} == set()
