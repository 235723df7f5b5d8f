"""What can go wrong, sorted by what a flow should do next.

The class says the consequence, not the status code. Every error carries a message and a remedy in English and German,
says what is known of the outcome, and never holds the API key.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, ClassVar, Literal

from connector.core.messages import Text, say

Outcome = Literal["not_sent", "refused", "unknown"]
Proof = Literal["described", "assumed"]
MOST_REPORTED = 20
"""Problems of inputs that one error tells of beside the first."""


class KontorError(Exception):
    """The root of all errors that Kontor raises on purpose."""

    kind: ClassVar[str] = "error"
    exit_status: ClassVar[int] = 5
    retryable: bool = False
    default_outcome: ClassVar[Outcome] = "refused"

    def __init__(
        self,
        message: Text,
        *,
        remedy: Text | None = None,
        field: str | None = None,
        outcome: Outcome | None = None,
        retry_at: datetime | None = None,
        reconnect_url: str | None = None,
        details: Any = None,
        retryable: bool | None = None,
        reason: str | None = None,
    ) -> None:
        super().__init__(message.en)
        self.message = message
        self.remedy = remedy or say(f"{self.kind}_remedy")
        self.field = field
        self.outcome: Outcome = outcome or self.default_outcome
        self.retry_at = retry_at
        self.reconnect_url = reconnect_url
        self.details = details
        self.proof: Proof | None = None
        """Of a refused write: whether the service's description says that nothing was done, or only its form does."""
        self.reason = reason
        """The name of the message, where tests and callers in Python must tell refusals apart."""
        self.audited = False
        """Whether the audit log tells of it."""
        if retryable is not None:
            self.retryable = retryable  # the class says what is usual, an instance what is so

    def to_json(self, lang: str = "en") -> str:
        """The error as JSON text."""
        from connector.core.values import json  # a list of the command line needs none

        return json.encode_clean(self.as_dict(lang)).decode()

    def as_dict(self, lang: str = "en", platform: str | None = None) -> dict[str, Any]:
        """The error as the public surface shows it, in the words of a platform: the caller's unless one is named."""
        return {
            "kind": self.kind,
            "message": self.message.in_(lang, platform),
            "remedy": self.remedy.as_dict(platform),
            "field": self.field,
            "outcome": self.outcome,
            "proof": self.proof,
            "retryable": self.retryable,
            "retry_at": self.retry_at.isoformat(timespec="seconds") if self.retry_at else None,
            "reconnect_url": self.reconnect_url,
            "details": self.details,
        }


class InputError(KontorError):
    """The inputs are wrong; `field` says which. Nothing was sent."""

    kind = "input"
    exit_status = 2
    default_outcome = "not_sent"

    def with_others(self, others: Sequence[InputError]) -> InputError:
        """This error, with what else is wrong in its details: the fields' names, and each with its sentence."""
        if others:
            self.details = {
                "also": sorted({str(other.field) for other in others[:MOST_REPORTED]}),
                "problems": [
                    {"field": error.field, "message": error.message.as_dict()}
                    for error in (self, *others[:MOST_REPORTED])
                ],
            }
        return self


class KeyRefused(KontorError):
    """The service does not accept the API key."""

    kind = "key_refused"
    exit_status = 3


class ReconnectNeeded(KontorError):
    """The ledger connection has expired or was revoked; `reconnect_url` leads to the page that renews it."""

    kind = "reconnect_needed"
    exit_status = 3


class ServiceNotBooked(KontorError):
    """The client has not booked the provider's service that this call needs."""

    kind = "service_not_booked"
    exit_status = 3


class RightMissing(KontorError):
    """The right for this call is missing. Connecting again does not help; somebody must grant it."""

    kind = "right_missing"
    exit_status = 3


class RateLimited(KontorError):
    """The key's requests for this window are used up; `retry_at` says when to come back."""

    kind = "rate_limited"
    exit_status = 4
    retryable = True


class LikelyRepeat(KontorError):
    """The write equals one made shortly before, or one whose outcome is unknown. Nothing was sent."""

    kind = "likely_repeat"
    exit_status = 2
    default_outcome = "not_sent"


class StoreDown(KontorError):
    """The database could not record the write, so it was not sent."""

    kind = "store_down"
    retryable = True
    default_outcome = "not_sent"


class BudgetHeld(KontorError):
    """The credits do not allow this call now."""

    kind = "budget_held"
    exit_status = 4
    default_outcome = "not_sent"


class NotFound(KontorError):
    """What was asked for is not there."""

    kind = "not_found"


class Refused(KontorError):
    """The service understood, and said no."""

    kind = "refused"


class ServiceDown(KontorError):
    """The service did not answer properly; it is safe to try again."""

    kind = "service_down"
    retryable = True
    default_outcome = "unknown"


class OutcomeUnknown(KontorError):
    """A write left, and nobody knows whether the service acted. Never repeat it blindly."""

    kind = "outcome_unknown"
    exit_status = 6
    default_outcome = "unknown"


class BadReply(KontorError):
    """The service answered something that cannot be read."""

    kind = "bad_reply"
    default_outcome = "unknown"
