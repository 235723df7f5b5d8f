"""Tells of dropdowns that should be free and were charged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from connector.core import localize
from connector.core.messages import Text, say
from connector.runtime.lookups import LOOKUP_LABEL

if TYPE_CHECKING:
    from connector.runtime.connector import Connector
    from connector.store.usage import Charged


def surprise_text(charged: Charged, titles: Mapping[str, Text]) -> Text:
    """Return the sentence about one; a lookup that is no more is called by its id."""
    return say(
        "credits_surprise",
        lookup=titles.get(charged.label, charged.label),
        calls=charged.calls,
        cost=localize.in_both(localize.credits, charged.credits),
        day=localize.in_both(localize.text, charged.last_on),
    )


def titles_by_label(connector: Connector) -> dict[str, Text]:
    """Return what everything that can be charged is called, by the label of its usage; lookups by their id too."""
    lookups = {id: one.title for id, one in connector.lookups.items()}
    marked = {f"{LOOKUP_LABEL}{id}": title for id, title in lookups.items()}
    others = [*connector.triggers.values(), *connector.actions.values()]
    return {**lookups, **marked, **{one.id: one.title for one in others}}
