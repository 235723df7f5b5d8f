"""Sends one call of a poll within the budget and counts its cost."""

from __future__ import annotations

from connector.client import Call, Reply
from connector.durable.poller.context import PollContext
from connector.runtime import budget
from connector.runtime.result import Credits

MAX_FLOW_CHARACTERS = 100


async def send_metered(context: PollContext, call: Call, flow: str) -> Reply:
    """Check the budget, send the call and count its cost under `flow`."""
    flow = flow[:MAX_FLOW_CHARACTERS]
    session, clock, tally = context.session, context.clock, context.connector.tally
    fingerprint = session.credential.fingerprint
    await session.carry_out(session.check_budget(call, flow, budget.CachedBudget()))
    reply = await session.send(call)
    if reply.charge.cost:
        credits = Credits(reply.charge.cost, reply.charge.balance)
        tally.count(fingerprint, flow, call.label, credits, clock)
    return reply
