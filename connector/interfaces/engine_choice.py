"""Which engine works: the embedded one, or the one that `KONTOR_ENGINE` and `KONTOR_TEMPORAL` name."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from connector.core.errors import InputError
from connector.core.messages import say
from connector.core.service import environment
from connector.durable.loop import Engine

if TYPE_CHECKING:
    from connector.runtime.connector import Connector
    from connector.store.trust.vault import Vault

EMBEDDED, TEMPORAL = environment.default("KONTOR_ENGINE"), "temporal"


def temporal_address(env: Mapping[str, str]) -> str | None:
    """Return the address of Temporal's server; None for the embedded engine. Raise when it cannot be used."""
    chosen = env.get("KONTOR_ENGINE", "").strip() or EMBEDDED
    if chosen == EMBEDDED:
        return None
    if chosen != TEMPORAL:
        raise InputError(say("engine_unknown", engine=chosen), remedy=say("engine_remedy"), field="KONTOR_ENGINE")
    return required_address(env)


def required_address(env: Mapping[str, str]) -> str:
    """Return `KONTOR_TEMPORAL`; raise without it, or where the extra is not installed."""
    address = env.get("KONTOR_TEMPORAL", "").strip()
    if not address:
        raise InputError(say("temporal_missing"), remedy=say("engine_remedy"), field="KONTOR_TEMPORAL")
    if importlib.util.find_spec("temporalio") is None:
        raise InputError(say("extra_missing", extra=TEMPORAL), remedy=say("extra_missing_remedy", extra=TEMPORAL))
    return address


def build_engine(address: str | None, connector: Connector, vault: Vault, **settings: Any) -> Engine:
    """Return the engine that works at `address`, or the embedded one."""
    if address is None:
        return Engine(connector, connector.database, vault, **settings)
    from connector.durable.temporal.engine import TemporalEngine

    return TemporalEngine(address, connector, connector.database, vault, **settings)
