"""What is wrong, by the name of its sentence: problems of handlers, reasons inside sentences, and kinds of errors."""

from __future__ import annotations

from typing import Any

from connector.core.messages import Text, say


class Problem(Exception):
    """Raised by a handler's `check`. `name` is a key of the manifest's `messages`, `values` fill its placeholders."""

    def __init__(self, name: str, *, field: str | None = None, **values: Any) -> None:
        super().__init__(name)
        self.name = name
        self.field = field
        self.values = values


class Reason(ValueError):
    """Why something cannot be read, by the name of its sentence."""

    def __init__(self, name: str, **values: Any) -> None:
        self.text = say(name, **values)
        super().__init__(self.text.en)


def reason_of(error: Exception) -> Text:
    """Return why something failed; of an error without a sentence, that its parts do not fit, and in English how."""
    return error.text if isinstance(error, Reason) else say("reason_other", why=f"{type(error).__name__}: {error}")


KINDS = (
    "input",
    "host_token",
    "key_refused",
    "reconnect_needed",
    "service_not_booked",
    "right_missing",
    "rate_limited",
    "budget_held",
    "likely_repeat",
    "store_down",
    "not_found",
    "conflict",
    "refused",
    "service_down",
    "store_refused",
    "outcome_unknown",
    "bad_reply",
    "method_not_allowed",
    "too_large",
    "error",
)


def title(kind: str) -> Text:
    """The title of a kind; an unknown one is a plain error."""
    return say(f"title_{kind if kind in KINDS else 'error'}")
