"""Pairs searches with creates, so that a Zap finds a thing or makes it: where what is found is what would be made.

A search fits if it gives the one thing that its inputs name, and a create that is given the same inputs makes that
thing. A list does not: a row of it is another thing that happens to be there, and an empty one proves nothing, so that
a payment would be left out or made twice.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from connector.core.manifest.model import Action
from connector.core.manifest.references import FREE
from connector.core.messages import Text, say
from connector.export.shape import Dropped
from connector.export.zapier.wording import headline


def pairs(actions: Iterable[Action], lang: str) -> tuple[dict[str, dict[str, Any]], list[Dropped]]:
    """Every pair by the key of its search, and why the other creates have none."""
    actions = list(actions)
    found: dict[str, dict[str, Any]] = {}
    dropped: list[Dropped] = []
    for create in (action for action in actions if action.writes):
        same = [one for one in actions if not one.writes and one.resource == create.resource != FREE]
        reasons = [_why_not(search, create) for search in same]
        fitting = [search for search, reason in zip(same, reasons, strict=True) if reason is None]
        if fitting:
            found[fitting[0].id] = _pair(fitting[0], create, lang)
        else:
            sentences = [reason for reason in reasons if reason is not None] or [say("zapier_pair_none")]
            together = Text(*(" ".join(texts) for texts in zip(*sentences, strict=True)))
            dropped.append(Dropped("pair", create.id, together))
    return found, dropped


def _why_not(search: Action, create: Action) -> Text | None:
    """Why a search does not say whether what the create would make is there; None where it does."""
    if search.is_list:
        return say("zapier_pair_list", search=search.title)
    needed = [field for field in search.inputs if field.required]
    if not needed:
        return say("zapier_pair_any", search=search.title)
    given = {field.name for field in create.inputs}
    lacking = [field.label for field in needed if field.name not in given]
    return say("zapier_pair_unknown", search=search.title, label=lacking[0]) if lacking else None


def _pair(search: Action, create: Action, lang: str) -> dict[str, Any]:
    label = headline(say("zapier_pair", noun=create.noun or create.title), lang)
    about = say("zapier_pair_about", noun=create.noun or create.title).in_(lang)
    return {
        "key": search.id,
        "display": {"label": label, "description": about},
        "search": search.id,
        "create": create.id,
    }
