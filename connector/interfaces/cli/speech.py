"""The catalogue's sentences in the language of the command line."""

from __future__ import annotations

from typing import Any

from connector.core.messages import say
from connector.interfaces.cli.words import language


def tell(name: str, /, **values: Any) -> str:
    """The sentence called `name`, in the user's language."""
    return say(name, **values).in_(language())
