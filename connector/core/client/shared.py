"""What all clients of one API key share: the governor and the credit ledger."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from connector.core.client.credits import CreditLedger
from connector.core.client.governor import Governor
from connector.core.credential import Credential


@dataclass(eq=False)
class KeyState:
    """The service counts requests and credits per key, so do we."""

    governor: Governor = field(default_factory=Governor)
    credits: CreditLedger = field(default_factory=CreditLedger)


# The one piece of process-wide state: two clients that were opened apart, or one after the other, with the same key
# must still not exceed the limit together. It is keyed by fingerprint and holds no key text.
_by_key: dict[str, KeyState] = {}
_lock = threading.Lock()
MOST_KEYS = 4096


def key_state(credential: Credential) -> KeyState:
    """The state of this credential's key in this process."""
    with _lock:
        state = _by_key.pop(credential.fingerprint, None) or KeyState()
        _by_key[credential.fingerprint] = state
        if len(_by_key) > MOST_KEYS:
            del _by_key[next(iter(_by_key))]  # the one not asked for longest
        return state
