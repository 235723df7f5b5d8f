"""The sandbox's levers: what a person can let happen in the demo world, and how the control interface is told. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from connector.core.service_events import name_of_state


@dataclass(frozen=True, slots=True)
class Lever:
    """One button: the name of its message, and the order it gives."""

    word: str
    path: str
    body: dict[str, Any] = field(default_factory=dict)
    method: str = "POST"
    tone: str = ""


def of_bank(bank_connection: str) -> tuple[Lever, ...]:
    """What can happen at a bank connection."""
    at = f"/bank-connections/{bank_connection}"
    return (
        Lever("lever_arrive", f"{at}/refresh", {"transactions": 3}, tone="primary"),
        Lever("lever_expire", f"{at}/expire-consent"),
        Lever("lever_bank_error", f"{at}/error"),
        Lever("lever_renew", f"{at}/reconnect"),
    )


def of_payment(payment: str) -> tuple[Lever, ...]:
    """What can become of a payment."""
    at = f"/payments/{payment}"
    return (
        Lever("lever_step", f"{at}/step"),
        Lever("lever_settle", at, {"status": "settled"}, tone="primary"),
        Lever("lever_fail", at, {"status": "failed"}, tone="danger"),
    )


FORGED = {"payment_id": "1", "status": "settled"}
BREAKING: tuple[Lever, ...] = (
    Lever("lever_down", "/faults", {"kind": "drop_before", "times": None, "match": {"path": "/v2/"}}, tone="danger"),
    Lever("lever_500", "/faults", {"kind": "error_500", "times": 20}),
    Lever("lever_lost_answer", "/faults", {"kind": "drop_after", "times": 1, "match": {"method": "POST"}}),
    Lever("lever_malformed", "/faults", {"kind": "malformed", "times": 3}),
    Lever("lever_slow", "/faults", {"kind": "slow", "times": 3, "seconds": 8}),
    Lever("lever_rate", "/faults", {"kind": "rate_limited", "times": 5}),
    Lever("lever_lose_events", "/faults", {"kind": "event_lose", "times": 3}),
    Lever("lever_forged", "/events", {"event": name_of_state("settled"), "data": FORGED}),
    Lever("lever_poor", "/credits", {"balance": 4}),
)
MENDING: tuple[Lever, ...] = (
    Lever("lever_mend", "/faults", method="DELETE", tone="primary"),
    Lever("lever_rich", "/credits", {"balance": 500}),
    Lever("lever_reset", "/reset", tone="danger"),
)
