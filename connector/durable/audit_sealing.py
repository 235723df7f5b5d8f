"""Chains new entries of the audit log every second."""

from __future__ import annotations

import contextlib
from datetime import datetime

from connector.durable.context import JobContext
from connector.store import audit_chain
from connector.store.audit_chain import ChainMoved

SEAL_SECONDS = 1.0


async def seal_due(context: JobContext, now: datetime) -> int:
    """Chain what was committed since the last time; return how many entries."""
    moment = context.clock.monotonic()
    if moment < context.next_sealing:
        return 0
    context.next_sealing = moment + SEAL_SECONDS
    return await seal_all(context)


async def seal_all(context: JobContext) -> int:
    """Chain all committed entries, unless another host does; return how many."""
    total = 0
    while await context.read(audit_chain.has_unsealed):
        sealed = 0
        with contextlib.suppress(ChainMoved):
            sealed = await context.write(audit_chain.seal)
        if not sealed:
            break
        total += sealed
    return total
