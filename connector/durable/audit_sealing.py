"""Chains new entries of the audit log every second."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from datetime import timedelta

from connector.durable.context import JobContext
from connector.durable.work import Outcome, Work
from connector.store import audit_chain
from connector.store.audit_chain import ChainMoved
from connector.store.due_work import Claim

SEAL_SECONDS = 1.0


class SealWork(Work):
    """Chains what was committed since the last time. The heads of the chains are its fence."""

    name = "sealing"

    async def claim(self, owner: str, most: int) -> Sequence[Claim]:
        """Claim the only piece, when a second has passed and there are new entries."""
        context, moment = self.context, self.context.clock.monotonic()
        if moment < context.next_sealing:
            return ()
        context.next_sealing = moment + SEAL_SECONDS
        return (Claim(self.name, "", owner, 0, 0),) if await context.looks.read(audit_chain.has_unsealed) else ()

    async def do(self, piece: Claim) -> Outcome:
        """Chain all new entries."""
        return Outcome(await seal_all(self.context), self.context.now() + timedelta(seconds=SEAL_SECONDS))


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
