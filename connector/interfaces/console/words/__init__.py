"""Everything that the console says, by area: English and German side by side."""

from __future__ import annotations

from connector.core.list_words import LIST_WORDS
from connector.interfaces.console.words import frame, overview, running, tools, triggers

AREAS = (frame, overview, running, tools, triggers)
WORDS: dict[str, tuple[str, str]] = LIST_WORDS | {name: said for area in AREAS for name, said in area.WORDS.items()}
