"""Reasons inside sentences, in both languages too."""

from __future__ import annotations

from typing import Any

from connector.core.messages import Text, say


class Reason(ValueError):
    """Why something cannot be read, by the name of its sentence."""

    def __init__(self, name: str, **values: Any) -> None:
        self.text = say(name, **values)
        super().__init__(self.text.en)


def reason_of(error: Exception) -> Text:
    """Return why something failed; of an error without a sentence, that its parts do not fit, and in English how."""
    return error.text if isinstance(error, Reason) else say("reason_other", why=f"{type(error).__name__}: {error}")
