"""The language of the command line, and the few words that its lists need: see `connector.core.list_words`."""

from __future__ import annotations

import os

from connector.core.list_words import LIST_WORDS

WORDS: dict[str, tuple[str, str]] = {
    **LIST_WORDS,
    "deprecated": ("(deprecated)", "(veraltet)"),
    "deprecated_use": ("(deprecated: use {other})", "(veraltet: {other} verwenden)"),
    "describe_shows_one": ("kontor describe ID shows one of them whole.", "kontor describe ID zeigt eines davon ganz."),
    "none_there": ("There are none.", "Es gibt keine."),
    "lookup_needs": ("needs {inputs}", "braucht {inputs}"),
}


def language() -> str:
    """`KONTOR_LANG`, English unless it says German."""
    return "de" if os.environ.get("KONTOR_LANG", "").lower().startswith("de") else "en"


def word(name: str, /, **values: object) -> str:
    """The word called `name`, in the user's language."""
    return WORDS[name][language() == "de"].format(**values)


def said(text: dict[str, str]) -> str:
    """A manifest's `{en, de}` in the user's language."""
    return text[language()]
