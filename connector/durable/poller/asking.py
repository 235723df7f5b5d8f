"""Sends one call of a poll: within the budget, through the key's governor, and counted."""

from __future__ import annotations

from connector.core.client import Call, Reply
from connector.durable.poller.work import PollWork
from connector.runtime import budget
from connector.runtime.result import Credits
from connector.runtime.steps import drive_async

MOST_FLOW_CHARACTERS = 100


async def ask(work: PollWork, call: Call, flow: str) -> Reply:
    """The service's answer. `flow` is the name whose budget pays for it."""
    flow = flow[:MOST_FLOW_CHARACTERS]
    session, clock, tally = work.session, work.clock, work.connector.tally
    fingerprint = session.credential.fingerprint
    allowed = budget.check(call, fingerprint, flow, session.state, clock, budget.CachedBudget(), tally)
    await drive_async(allowed, session.client, lambda: work.database)
    reply = await session.client.call(call)
    if reply.charge.cost:
        credits = Credits(reply.charge.cost, reply.charge.balance)
        tally.count(fingerprint, flow, call.label, credits, clock)
    return reply
