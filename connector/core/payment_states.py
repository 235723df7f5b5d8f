"""The states of the service's payments, as `manifests/states.yaml` declares them."""

from __future__ import annotations

from functools import lru_cache

from connector.core.manifest.load import library
from connector.core.states import States

RESERVED, CHARGED, EXPIRED = "reserved", "charged", "expired"
"""What becomes of the credits of a payment."""


@lru_cache(maxsize=1)
def payment_states() -> States:
    """The states of the service's payments."""
    return States(library()["states"]["payment"])


def payment_moves_forward(old: str | None, new: str) -> bool:
    """Whether a payment's state is news after the last known one."""
    return payment_states().moves_forward(old, new)


def credits_state(status: str) -> str:
    """What has become of the credits of a payment with this state."""
    states = payment_states()
    if status not in states.final:
        return RESERVED
    return CHARGED if status in states.succeeded else EXPIRED
