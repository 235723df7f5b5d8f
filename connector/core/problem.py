"""The exception with which a handler refuses inputs, by the name of a message in its manifest."""

from __future__ import annotations

from typing import Any


class Problem(Exception):
    """Raised by a handler's `check`. `name` is a key of the manifest's `messages`, `values` fill its placeholders."""

    def __init__(self, name: str, *, field: str | None = None, **values: Any) -> None:
        super().__init__(name)
        self.name = name
        self.field = field
        self.values = values
