"""Operation ids and the headlines of operations, as Power Automate wants them."""

from __future__ import annotations

from connector.core.manifest.model import Action, Lookup, Trigger

QUELLE = "power-automate"


def operation_id(manifest: Action | Lookup | Trigger) -> str:
    """PascalCase: `CreateCashBookEntry`, `OptionsCashBooks`, `TriggerNewPayment`."""
    begin = {"action": "", "lookup": "options_", "trigger": "trigger_"}[manifest.kind]
    return "".join(word.capitalize() for word in f"{begin}{manifest.id}".split("_"))


def summary(manifest: Action | Lookup | Trigger, lang: str) -> str:
    """The headline: sentence case, and for a trigger the moment at which it fires."""
    title = manifest.title.in_(lang)
    if isinstance(manifest, Trigger):
        return f"Wenn: {title}" if lang == "de" else f"When it happens: {title[:1].lower()}{title[1:]}"
    if isinstance(manifest, Lookup):
        return f"Auswahl: {title}" if lang == "de" else f"Options: {title[:1].lower()}{title[1:]}"
    return title


def description(manifest: Action | Lookup | Trigger, lang: str) -> str:
    """What it does, on one line."""
    return " ".join(manifest.description.in_(lang).split())


def virtual_path(manifest: Lookup | Trigger) -> str:
    """A path of the connector's own, for operations whose real path another one has already."""
    return f"/{'options' if manifest.kind == 'lookup' else 'trigger'}/{manifest.id}"
