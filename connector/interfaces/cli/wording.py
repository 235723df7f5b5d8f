"""How manifests are put into words: cost, effect, areas."""

from __future__ import annotations

from collections.abc import Mapping

from connector.interfaces.cli.language import language, said, tell

TYPE_CHECKING = False  # not from typing, which takes longer to import than everything else here
if TYPE_CHECKING:
    from typing import Any


def cost_words(cost: Mapping[str, Any], *, dropdown: bool = False) -> str:
    """What a call costs, in a few words; `*` marks a cost that the service does not show."""
    credits = cost.get("dropdown", cost["credits"]) if dropdown else cost["credits"]
    words = credit_words(credits)
    if cost.get("settles_later"):
        words = tell("cost_settles_later", credits=words)
    return f"{words} *" if cost.get("assumed") else words


def credit_words(credits: Any) -> str:
    """A number of credits in words."""
    if not credits:
        return tell("cost_free")
    if credits == 1:
        return tell("cost_one")
    if not isinstance(credits, int):  # what was really spent; lists show whole numbers and start without Babel
        from connector.core import localize

        credits = localize.number(credits, language())
    return tell("cost_many", credits=credits)


def title_words(tree: Mapping[str, Any]) -> str:
    """A manifest's title, with a warning when it is on its way out."""
    if "deprecated" not in tree:
        return said(tree["title"])
    other = tree["deprecated"].get("use", "")
    return said(tree["title"]) + " " + (tell("deprecated_use", other=other) if other else tell("deprecated"))
