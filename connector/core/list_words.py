"""The few words by which manifests are listed, on the command line and in the console.

They stand apart from the catalogue because a list is to appear at once: reading all sentences would take longer than
reading all manifests.
"""

from __future__ import annotations

LIST_WORDS: dict[str, tuple[str, str]] = {
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
}
