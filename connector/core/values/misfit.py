"""Why a value is not what it should be."""

from __future__ import annotations

from typing import Any


class Misfit(ValueError):
    """The value is not what it should be; `name` is a sentence, `values` fill its blanks."""

    def __init__(self, name: str, /, **values: Any) -> None:
        super().__init__(name)
        self.name = name
        self.values = values
