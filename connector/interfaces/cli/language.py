"""The language of the command line and its localized messages."""

from __future__ import annotations

from connector.core.messages import language as language
from connector.core.messages import say

TYPE_CHECKING = False  # importing typing would slow down the start
if TYPE_CHECKING:
    from typing import Any


def localized(name: str, /, **values: Any) -> str:
    """Return the message `name` in the user's language."""
    return str(say(name, **values))


def in_user_language(text: dict[str, str]) -> str:
    """Return a manifest's `{en, de}` text in the user's language."""
    return text[language()]
