"""A manifest's words as Zapier's guidelines ask for them: titles in capitals, one sentence, links marked as such."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from connector.core.data.price import pages_of_poll, price_of_day, price_of_whole_polls
from connector.core.manifest.model import Action, Trigger
from connector.core.messages import Text, say

SMALL = frozenset({"a", "an", "and", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with"})
ABOUT_FIELD = "kontor_about"
MAX_HELP = 1000
_BARE_LINK = re.compile(r"(?<![`(])https?://[^\s,;)]*[^\s,;).]|(?<![`(])https?://")


def headline(text: Text, lang: str) -> str:
    """A label: in English every word begins with a capital, German keeps its own."""
    said = text.in_(lang)
    if lang == "de":
        return said[:1].upper() + said[1:]
    words = said.split(" ")
    return " ".join(
        word if place and word in SMALL else word[:1].upper() + word[1:] for place, word in enumerate(words)
    )


def help_text(text: Text, lang: str) -> str:
    """A help text; Zapier wants an address that is no link in backticks."""
    return _BARE_LINK.sub(r"`\g<0>`", text.in_(lang))[:MAX_HELP]


def about(manifest: Action | Trigger, notes: Iterable[Text], lang: str, *, looks: bool = False) -> list[dict[str, Any]]:
    """The text at the head of a form: what the step costs, and what else to know; none where there is nothing.

    `looks`, the package itself looks at the service, and keeps no place in the list.
    """
    said = " ".join(help_text(text, lang) for text in (*_cost(manifest, looks=looks), *notes))
    if not said:
        return []
    return [{"key": ABOUT_FIELD, "label": headline(say("zapier_about"), lang), "type": "copy", "helpText": said}]


def _cost(manifest: Action | Trigger, *, looks: bool) -> list[Text]:
    cost = manifest.cost
    note = [cost.note] if cost.note else []
    credits = say("cost_one") if cost.credits == 1 else say("cost_many", credits=cost.credits)
    if not isinstance(manifest, Trigger):
        return [*([say("zapier_cost", cost=credits)] if cost.credits else []), *note]
    if not looks:
        each = [say("zapier_poll_cost", cost=credits)] if cost.credits else []
        return [*each, price_of_day(manifest.raw), *note]
    price, pages = price_of_whole_polls(manifest.raw), pages_of_poll(manifest.raw)
    if not cost.credits:
        return [price, *note]
    of_pages = say("zapier_page_cost", cost=credits, pages=pages)
    each_look = of_pages if pages > 1 else say("zapier_look_cost", cost=credits)
    return [each_look, price, say("zapier_further_looks"), *note]
