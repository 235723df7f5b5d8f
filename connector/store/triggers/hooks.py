"""Webhook registrations at the service: one per credential, with our URL and the URL that was registered before."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from sqlalchemy import Connection, Row, and_, case, delete, insert, or_, select, update

from connector.store.database.statements import as_utc
from connector.store.schema import hooks
from connector.store.triggers import due_work
from connector.store.trust import sealing

State = Literal["active", "drifted", "released"]
QUEUE = "hook:"
"""The beginning of the ids of queues whose events are forwarded."""
FORWARDS = and_(hooks.c.pass_on == 1, hooks.c.former_url.is_not(None))
"""Which hooks forward events to the former URL."""


@dataclass(frozen=True, slots=True)
class Hook:
    """A webhook URL at which the service's events arrive."""

    token_digest: str
    credential_id: str
    sealed_url: str
    former_url: str | None
    pass_on: bool
    state: State
    checked_at: datetime | None
    heard_at: datetime | None
    trouble: str | None
    former_digest: str | None = None
    """Of a token that is being replaced: it is valid too."""

    def knows(self, token: str) -> bool:
        """Whether a token is this hook's, or the one that it replaces."""
        return digest(token) in {self.token_digest, self.former_digest}

    @property
    def queue_id(self) -> str:
        """The id under which its forwarded events are queued as deliveries."""
        return f"{QUEUE}{self.token_digest[:31]}"


def digest(token: str) -> str:
    """Return the digest under which a token is stored, so that the database does not reveal the URL."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def by_token(connection: Connection, token_digest: str) -> Hook | None:
    """Return the hook of a token."""
    valid = or_(hooks.c.token_digest == token_digest, hooks.c.former_digest == token_digest)
    row = connection.execute(select(hooks).where(valid)).first()
    return None if row is None else _hook(connection, row)


def of_credential(connection: Connection, credential_id: str) -> Hook | None:
    """Return the hook of a credential."""
    row = connection.execute(select(hooks).where(hooks.c.credential_id == credential_id)).one_or_none()
    return None if row is None else _hook(connection, row)


def registered(connection: Connection) -> Sequence[Hook]:
    """Return all hooks that are not released."""
    return [_hook(connection, row) for row in connection.execute(select(hooks).where(hooks.c.state != "released"))]


def forwarding(connection: Connection, queue_id: str) -> Hook | None:
    """Return the hook that forwards the events of a queue to the former URL; a released one may have some left."""
    token = queue_id.removeprefix(QUEUE)
    mine = and_(hooks.c.token_digest >= token, hooks.c.token_digest < f"{token}g")  # digests are hexadecimal
    row = connection.execute(select(hooks).where(mine, FORWARDS)).first()
    return None if row is None else _hook(connection, row)


def save(connection: Connection, hook: Hook) -> None:
    """Store a hook, replacing the credential's former one."""
    connection.execute(delete(hooks).where(hooks.c.credential_id == hook.credential_id))
    connection.execute(
        insert(hooks).values(
            token_digest=hook.token_digest,
            credential_id=hook.credential_id,
            sealed_url=hook.sealed_url,
            former_url=sealing.seal(connection, hook.former_url) if hook.former_url else None,
            pass_on=int(hook.pass_on),
            state=hook.state,
            checked_at=hook.checked_at,
            heard_at=hook.heard_at,
            trouble=hook.trouble,
            former_digest=hook.former_digest,
        )
    )
    due_work.schedule(connection, due_work.WEBHOOK_URLS, hook.credential_id, hook.checked_at or datetime.now(UTC))


def record_check(connection: Connection, token_digest: str, state: State, trouble: str | None, now: datetime) -> None:
    """Record the result of checking the service's webhook URL."""
    mine = hooks.c.token_digest == token_digest
    connection.execute(update(hooks).where(mine).values(state=state, trouble=trouble, checked_at=now))


def pull_back(connection: Connection, late: datetime, now: datetime) -> int:
    """Correct times after `late`, which lie in the future, so that the hooks are checked again."""
    ahead = and_(hooks.c.state != "released", hooks.c.checked_at > late)
    heard_at = case((hooks.c.heard_at > now, now), else_=hooks.c.heard_at)
    return connection.execute(update(hooks).where(ahead).values(checked_at=None, heard_at=heard_at)).rowcount


def record_event_time(connection: Connection, token_digest: str, now: datetime) -> None:
    """Record when the last events arrived."""
    connection.execute(update(hooks).where(hooks.c.token_digest == token_digest).values(heard_at=now))


def stop_forwarding(connection: Connection, token_digest: str) -> None:
    """Stop forwarding events to the former URL."""
    connection.execute(update(hooks).where(hooks.c.token_digest == token_digest).values(pass_on=0))


def _hook(connection: Connection, row: Row[Any]) -> Hook:
    return Hook(
        row.token_digest,
        row.credential_id,
        row.sealed_url,
        sealing.opened(connection, row.former_url) if row.former_url else None,
        bool(row.pass_on),
        row.state,
        as_utc(row.checked_at),
        as_utc(row.heard_at),
        row.trouble,
        row.former_digest,
    )
