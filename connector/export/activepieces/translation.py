"""The German of a piece: Activepieces looks a sentence up by its English words, so that each has one translation."""

from __future__ import annotations

from connector.core.messages import Text

MAX_KEY = 512
"""Of a longer sentence, Activepieces takes its beginning."""


class Translation:
    """Collects the sentences of a piece while it is written."""

    def __init__(self) -> None:
        self.german: dict[str, str] = {}
        self.ambiguous: dict[str, set[str]] = {}
        """English words that stand for several German ones, of which the first is shown."""

    def english(self, text: Text) -> str:
        """The sentence as it stands in the piece."""
        en, de = (" ".join(words.split()) for words in text)
        known = self.german.setdefault(en[:MAX_KEY], de)
        if known != de:
            self.ambiguous.setdefault(en, {known}).add(de)
        return en
