"""The language of the command line, and everything it says in that language."""

from __future__ import annotations

import os

from connector.core.messages import say

TYPE_CHECKING = False  # not from typing, which takes longer to import than everything else here
if TYPE_CHECKING:
    from typing import Any


def language() -> str:
    """`KONTOR_LANG`, English unless it says German."""
    return "de" if os.environ.get("KONTOR_LANG", "").lower().startswith("de") else "en"


def tell(name: str, /, **values: Any) -> str:
    """The sentence called `name`, in the user's language."""
    return say(name, **values).in_(language())


def said(text: dict[str, str]) -> str:
    """A manifest's `{en, de}` in the user's language."""
    return text[language()]
