"""What is wrong, by the name of its sentence: problems of values and inputs, and kinds of errors."""

from __future__ import annotations

from typing import Any

from connector.core.messages import Text, say


class Problem(ValueError):
    """Why a value, an input or a document is refused. `values` fill the blanks of its sentence.

    `name` is a sentence of Kontor; where a handler's `check` raises it, also a key of its manifest's `messages`.
    """

    def __init__(self, name: str, /, *, field: str | None = None, **values: Any) -> None:
        super().__init__(name)
        self.name = name
        self.field = field
        self.values = values

    @property
    def text(self) -> Text:
        """The sentence as far as it is known here: one that names a field is said by whoever knows the field."""
        try:
            return say(self.name, **self.values)
        except KeyError:
            return say("reason_other", why=self.name)

    def __str__(self) -> str:
        return self.text.en


def reason_of(error: Exception) -> Text:
    """Return why something failed; of an error without a sentence, that its parts do not fit, and in English how."""
    return error.text if isinstance(error, Problem) else say("reason_other", why=f"{type(error).__name__}: {error}")


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
