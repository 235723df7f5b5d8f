"""Lets a host take up at once what it put off because the service refused it, after the service was restored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import Connection

from connector.core.errors import RateLimited, ServiceDown
from connector.store import cursors, due_work

if TYPE_CHECKING:
    from connector.durable.context import JobContext

PUT_OFF = frozenset({RateLimited.kind, ServiceDown.kind})
"""The kinds of errors after which a poll waits, and which a restored service no longer gives."""


async def forget_refusals(context: JobContext, credential_id: str) -> None:
    """Begin with an empty rate window, and poll now what waits after a refusal."""
    session = await context.session(credential_id)
    session.state.governor.forget()
    session.state.governor.flush(session.clock.monotonic(), session.clock.speed)
    fingerprint, now = session.credential.fingerprint, context.now()

    def make_due(connection: Connection) -> None:
        waiting = [
            one.name
            for one in cursors.scheduled(connection, fingerprint)
            if one.trouble is not None and one.trouble.get("kind") in PUT_OFF
        ]
        if waiting:
            cursors.make_due(connection, waiting, now)
            due_work.tell_polls(connection, fingerprint, now)

    await context.write(make_due)
    context.wake()
