"""The kinds of errors, and a short title for each, as RFC 9457 wants one."""

from __future__ import annotations

from connector.core.messages import Text, say

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
