"""Formats cost and title of manifests as text."""

from __future__ import annotations

from collections.abc import Mapping

from connector.core.price import credits_a_day, has_free_signs
from connector.interfaces.cli.language import in_user_language, language, localized

TYPE_CHECKING = False  # importing typing would slow down the start
if TYPE_CHECKING:
    from typing import Any


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
        from connector.core import localize

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
