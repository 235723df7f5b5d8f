"""The language of the command line, and the few words that its lists need.

They stand apart from the catalogue because a list is to appear at once: reading all sentences would take longer than
reading all manifests.
"""

from __future__ import annotations

import os

WORDS: dict[str, tuple[str, str]] = {
    "area_ledger": ("Accounting", "Buchhaltung"),
    "area_banking": ("Banking", "Banking"),
    "area_mobility": ("Mobility", "Mobilität"),
    "area_any": ("Everything else", "Alles andere"),
    "effect_read": ("reads", "liest"),
    "effect_create": ("creates", "legt an"),
    "effect_update": ("changes", "ändert"),
    "source_poll": ("polls", "fragt ab"),
    "source_event": ("event", "Ereignis"),
    "cost_free": ("free", "kostenlos"),
    "cost_one": ("1 credit", "1 Credit"),
    "cost_many": ("{credits} credits", "{credits} Credits"),
    "cost_settles_later": ("{credits} when settled", "{credits} bei Abschluss"),
    "cost_assumed": (
        "* assumed: the service does not show what this costs.",
        "* angenommen: Der Dienst zeigt nicht, was das kostet.",
    ),
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
