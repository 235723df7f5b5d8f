"""Labels as Zapier wants them."""

from __future__ import annotations

from connector.core.messages import Text

SMALL = frozenset({"a", "an", "and", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with"})


def headline(text: Text, lang: str) -> str:
    """A label as Zapier wants it: in English every word begins with a capital, German keeps its own."""
    said = text.in_(lang)
    if lang == "de":
        return said[:1].upper() + said[1:]
    words = said.split(" ")
    return " ".join(
        word if place and word in SMALL else word[:1].upper() + word[1:] for place, word in enumerate(words)
    )


def noun(text: Text, lang: str) -> str:
    """What an action is about: its title without the verb."""
    said = headline(text, lang)
    if lang == "de":
        return " ".join(said.split(" ")[:-1]) or said
    return " ".join(said.split(" ")[1:]) or said
