"""A manifest's words as Zapier's guidelines ask for them: titles in capitals, one sentence, links marked as such."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from connector.core.manifest.model import Action, Trigger
from connector.core.messages import Text, say
from connector.core.price_text import price_of_day

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


def about(manifest: Action | Trigger, notes: Iterable[Text], lang: str) -> list[dict[str, Any]]:
    """The text at the head of a form: what the step costs, and what else to know; none where there is nothing."""
    said = " ".join(help_text(text, lang) for text in (*_cost(manifest), *notes))
    if not said:
        return []
    return [{"key": ABOUT_FIELD, "label": headline(say("zapier_about"), lang), "type": "copy", "helpText": said}]


def _cost(manifest: Action | Trigger) -> list[Text]:
    cost = manifest.cost
    credits = say("cost_one") if cost.credits == 1 else say("cost_many", credits=cost.credits)
    sentence = "zapier_poll_cost" if isinstance(manifest, Trigger) else "zapier_cost"
    price = [price_of_day(manifest.raw)] if isinstance(manifest, Trigger) else []
    return [*([say(sentence, cost=credits)] if cost.credits else []), *price, *([cost.note] if cost.note else [])]
