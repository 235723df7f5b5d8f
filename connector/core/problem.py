"""How a handler says that the inputs are wrong, without knowing any language."""

from __future__ import annotations

from typing import Any


class Problem(Exception):
    """Raised by a handler's `check`. `name` is one of the manifest's `messages`; `values` fill its blanks."""

    def __init__(self, name: str, *, field: str | None = None, **values: Any) -> None:
        super().__init__(name)
        self.name = name
        self.field = field
        self.values = values
