"""What the command line says: messages in the user's language, colours, and what a manifest costs."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from connector.core.data.price import credits_a_day, has_free_signs
from connector.core.messages import language as language
from connector.core.messages import say

TYPE_CHECKING = False  # importing typing would slow down the start
if TYPE_CHECKING:
    from typing import Any
COLORS = {"red": "31", "green": "32", "yellow": "33", "dim": "2", "bold": "1"}


def localized(name: str, /, **values: Any) -> str:
    """Return the message `name` in the user's language."""
    return str(say(name, **values))


def in_user_language(text: dict[str, str]) -> str:
    """Return a manifest's `{en, de}` text in the user's language."""
    return text[language()]


def colored(text: str, color: str, stream: object = None) -> str:
    """Color text for a terminal; return it unchanged for files, pipes and `NO_COLOR`."""
    target = stream or sys.stdout
    if os.environ.get("NO_COLOR") or not getattr(target, "isatty", lambda: False)():
        return text
    return f"\033[{COLORS[color]}m{text}\033[0m"


def cost_text(cost: Mapping[str, Any], *, dropdown: bool = False) -> str:
    """Format the cost of a call; `*` marks an assumed cost."""
    credits = cost.get("dropdown", cost["credits"]) if dropdown else cost["credits"]
    words = credits_text(credits)
    if cost.get("settles_later"):
        words = localized("cost_settles_later", credits=words)
    return f"{words} *" if cost.get("assumed") else words


def credits_text(credits: Any) -> str:
    """Format a number of credits."""
    if not credits:
        return localized("cost_free")
    if credits == 1:
        return localized("cost_one")
    if not isinstance(credits, int):  # Babel is slow to import; lists show integers only
        from connector.core.data import localize

        credits = localize.number(credits, language())
    return localized("cost_many", credits=credits)


def price_text(tree: Mapping[str, Any]) -> str:
    """Format what a day of a trigger costs; where each movement costs a look more, it is the least."""
    credits = credits_a_day(tree)
    if not credits:
        return localized("cost_free")
    if has_free_signs(tree):
        return localized("price_a_day_from", cost=credits_text(credits))
    return localized("price_a_day", cost=credits_text(credits))


def title_text(tree: Mapping[str, Any]) -> str:
    """Return the title, marked if the manifest is deprecated."""
    if "deprecated" not in tree:
        return in_user_language(tree["title"])
    other = tree["deprecated"].get("use", "")
    return (
        in_user_language(tree["title"])
        + " "
        + (localized("deprecated_use", other=other) if other else localized("deprecated"))
    )
