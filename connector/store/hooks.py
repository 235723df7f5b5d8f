"""The hub's addresses at the service: one token per credential, whose URL it is, and what stood there before."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Connection, Row, delete, insert, select, update

from connector.store.moments import aware
from connector.store.schema import hooks

State = Literal["active", "drifted", "released"]


@dataclass(frozen=True, slots=True)
class Hook:
    """An address at which the service's events come in."""

    token_digest: str
    credential_id: str
    sealed_url: str
    former_url: str | None
    pass_on: bool
    state: State
    checked_at: datetime | None
    heard_at: datetime | None
    trouble: str | None

    @property
    def line(self) -> str:
        """Under what name its passed-on events stand among the deliveries."""
        return f"hook:{self.token_digest[:31]}"


def digest(token: str) -> str:
    """How a token is kept: whoever reads the database cannot call the address."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def by_token(connection: Connection, token_digest: str) -> Hook | None:
    """The hook of a token."""
    row = connection.execute(select(hooks).where(hooks.c.token_digest == token_digest)).one_or_none()
    return None if row is None else _hook(row)


def of_credential(connection: Connection, credential_id: str) -> Hook | None:
    """The hook of a credential."""
    row = connection.execute(select(hooks).where(hooks.c.credential_id == credential_id)).one_or_none()
    return None if row is None else _hook(row)


def standing(connection: Connection) -> Sequence[Hook]:
    """All hooks that have not been released."""
    return [_hook(row) for row in connection.execute(select(hooks).where(hooks.c.state != "released"))]


def passing_on(connection: Connection) -> Sequence[Hook]:
    """The hooks whose events go on to whoever stood there before, the last ones of a released hook included."""
    passing = (hooks.c.pass_on == 1) & hooks.c.former_url.is_not(None)
    return [_hook(row) for row in connection.execute(select(hooks).where(passing))]


def keep(connection: Connection, hook: Hook) -> None:
    """Enters a hook in place of the credential's former one."""
    connection.execute(delete(hooks).where(hooks.c.credential_id == hook.credential_id))
    connection.execute(
        insert(hooks).values(
            token_digest=hook.token_digest,
            credential_id=hook.credential_id,
            sealed_url=hook.sealed_url,
            former_url=hook.former_url,
            pass_on=int(hook.pass_on),
            state=hook.state,
            checked_at=hook.checked_at,
            heard_at=hook.heard_at,
            trouble=hook.trouble,
        )
    )


def checked(connection: Connection, token_digest: str, state: State, trouble: str | None, now: datetime) -> None:
    """Enters what a look at the service's webhook URL has shown."""
    mine = hooks.c.token_digest == token_digest
    connection.execute(update(hooks).where(mine).values(state=state, trouble=trouble, checked_at=now))


def heard(connection: Connection, token_digest: str, now: datetime) -> None:
    """Enters that events came in."""
    connection.execute(update(hooks).where(hooks.c.token_digest == token_digest).values(heard_at=now))


def stop_passing_on(connection: Connection, token_digest: str) -> None:
    """Whoever stood there before wants no more events."""
    connection.execute(update(hooks).where(hooks.c.token_digest == token_digest).values(pass_on=0))


def _hook(row: Row[Any]) -> Hook:
    return Hook(
        row.token_digest,
        row.credential_id,
        row.sealed_url,
        row.former_url,
        bool(row.pass_on),
        row.state,
        aware(row.checked_at),
        aware(row.heard_at),
        row.trouble,
    )
