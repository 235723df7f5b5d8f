"""The catalogue's sentences in the language of the command line."""

from __future__ import annotations

from typing import Any

from connector.cli.words import language
from connector.messages import say


def tell(name: str, /, **values: Any) -> str:
    """The sentence called `name`, in the user's language."""
    return say(name, **values).in_(language())
