"""Kontor: one accounting-and-banking service, in every low-code platform.

from connector import Connector, Credential

connector = Connector()
with connector.open(Credential("https://service.example", "the key", quelle="n8n")) as kontor:
    print(kontor.invoke("an action's id", {"an input": "its value"}).output)
"""

from __future__ import annotations

from connector.version import __version__

TYPE_CHECKING = False  # as in `typing`, whose import alone would take a third of the command line's start
if TYPE_CHECKING:
    from typing import Any

    from connector.core.credential import Credential
    from connector.core.errors import (
        BadReply,
        BudgetHeld,
        InputError,
        KeyRefused,
        KontorError,
        LikelyRepeat,
        NotFound,
        OutcomeUnknown,
        RateLimited,
        ReconnectNeeded,
        Refused,
        RightMissing,
        ServiceDown,
        ServiceNotBooked,
        StoreDown,
    )
    from connector.durable.sending.signing import verify_delivery
    from connector.runtime.connector import Connector

__all__ = [
    "BadReply",
    "BudgetHeld",
    "Connector",
    "Credential",
    "InputError",
    "KeyRefused",
    "KontorError",
    "LikelyRepeat",
    "NotFound",
    "OutcomeUnknown",
    "RateLimited",
    "ReconnectNeeded",
    "Refused",
    "RightMissing",
    "ServiceDown",
    "ServiceNotBooked",
    "StoreDown",
    "__version__",
    "verify_delivery",
]

_HOMES = {
    **dict.fromkeys(__all__, "connector.core.errors"),
    "Connector": "connector.runtime.connector",
    "Credential": "connector.core.credential",
    "verify_delivery": "connector.durable.sending.signing",
}


def __getattr__(name: str) -> Any:
    """Loads a public name when it is first used: `kontor --version` needs none of them."""
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
