"""The buttons of the sandbox page and the control requests they send. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from connector.core.service_events import name_of_state

FORGED = {"payment_id": "1", "status": "settled"}


@dataclass(frozen=True, slots=True)
class SandboxControl:
    """A button: its message name and its control request."""

    message: str
    path: str
    body: dict[str, Any] = field(default_factory=dict)
    method: str = "POST"
    tone: str = ""
    begins_anew: bool = False
    """Whether the service then counts requests anew, or refuses them no longer."""


def bank_controls(bank_connection: str) -> tuple[SandboxControl, ...]:
    """Controls of a bank connection."""
    at = f"/bank-connections/{bank_connection}"
    return (
        SandboxControl("lever_arrive", f"{at}/refresh", {"transactions": 3}, tone="primary"),
        SandboxControl("lever_expire", f"{at}/expire-consent"),
        SandboxControl("lever_bank_error", f"{at}/error"),
        SandboxControl("lever_renew", f"{at}/reconnect"),
    )


def payment_controls(payment: str) -> tuple[SandboxControl, ...]:
    """Controls of a payment."""
    at = f"/payments/{payment}"
    return (
        SandboxControl("lever_step", f"{at}/step"),
        SandboxControl("lever_settle", at, {"status": "settled"}, tone="primary"),
        SandboxControl("lever_fail", at, {"status": "failed"}, tone="danger"),
    )


FAULT_CONTROLS: tuple[SandboxControl, ...] = (
    SandboxControl(
        "lever_down", "/faults", {"kind": "drop_before", "times": None, "match": {"path": "/v2/"}}, tone="danger"
    ),
    SandboxControl("lever_500", "/faults", {"kind": "error_500", "times": 20}),
    SandboxControl("lever_lost_answer", "/faults", {"kind": "drop_after", "times": 1, "match": {"method": "POST"}}),
    SandboxControl("lever_malformed", "/faults", {"kind": "malformed", "times": 3}),
    SandboxControl("lever_slow", "/faults", {"kind": "slow", "times": 3, "seconds": 8}),
    SandboxControl("lever_rate", "/faults", {"kind": "rate_limited", "times": 5}),
    SandboxControl("lever_lose_events", "/faults", {"kind": "event_lose", "times": 3}),
    SandboxControl("lever_forged", "/events", {"event": name_of_state("settled"), "data": FORGED}),
    SandboxControl("lever_poor", "/credits", {"balance": 4}),
)
RESET_CONTROLS: tuple[SandboxControl, ...] = (
    SandboxControl("lever_mend", "/faults", method="DELETE", tone="primary", begins_anew=True),
    SandboxControl("lever_rich", "/credits", {"balance": 500}),
    SandboxControl("lever_reset", "/reset", tone="danger", begins_anew=True),
)
