"""Kontor: one accounting-and-banking service, in every low-code platform.

from connector import Connector, Credential

connector = Connector()
with connector.open(Credential("https://service.example", "the-key", quelle="n8n")) as kontor:
    print(kontor.invoke("an action's id", {"an input": "its value"}).output)
"""

from __future__ import annotations

from connector.core import lazy_names
from connector.version import __version__

TYPE_CHECKING = False  # as in `typing`, whose import alone would take a third of the command line's start
if TYPE_CHECKING:
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
    from connector.core.manifest.model import ActionId
    from connector.core.service.credential import Credential
    from connector.durable.sending.signing import verify_delivery
    from connector.runtime.connector import Connector

__all__ = [
    "ActionId",
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

__getattr__ = lazy_names(
    __name__,
    {
        **dict.fromkeys(__all__, "connector.core.errors"),
        "ActionId": "connector.core.manifest.model",
        "Connector": "connector.runtime.connector",
        "Credential": "connector.core.service.credential",
        "verify_delivery": "connector.durable.sending.signing",
    },
)
