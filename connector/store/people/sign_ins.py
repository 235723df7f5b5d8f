"""Sign-ins of people: each has a secret of its own, ends after some idle hours, after half a day, or at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import cast

from sqlalchemy import Connection, and_, delete, or_, select, update

from connector.core.callers import Role
from connector.core.writes.person_names import SESSION
from connector.store.schema import people, sign_ins
from connector.store.trust import rights_register
from connector.store.trust.granting_rows import PEOPLE, SIGN_INS
from connector.store.trust.tokens import HOST_WIDE, Token

LONGEST, LONGEST_IDLE = timedelta(hours=12), timedelta(hours=2)


def begin(connection: Connection, person_id: str, workspace: str | None, digest: str, now: datetime) -> None:
    """Record that a person has signed in."""
    _drop_ended(connection, person_id, now)
    row = {
        "digest": digest,
        "workspace": workspace or HOST_WIDE,
        "person_id": person_id,
        "began_at": now.timestamp(),
        "ends_at": (now + LONGEST).timestamp(),
    }
    rights_register.add(connection, SIGN_INS, row)


def find_all(connection: Connection, digests: Sequence[str]) -> dict[str, Token]:
    """Return what stands for the sign-ins with these digests, as tokens of their people."""
    query = select(sign_ins).where(sign_ins.c.digest.in_(digests), sign_ins.c.ended_at.is_(None))
    rows = rights_register.find_all(connection, SIGN_INS, query)
    if not rows:
        return {}
    wanted = select(people).where(people.c.id.in_({row.person_id for row in rows}))
    holders = {row.id: row for row in rights_register.find_all(connection, PEOPLE, wanted)}
    tokens_by_digest = dict[str, Token]()
    for row in rows:
        holder = holders.get(row.person_id)
        if holder is None or holder.revoked_at is not None or holder.accepted_at is None or not holder.role:
            continue
        began_at, ends_at = (datetime.fromtimestamp(at, UTC) for at in (row.began_at, row.ends_at))
        used_at = None if row.used_at is None else datetime.fromtimestamp(row.used_at, UTC)
        tokens_by_digest[row.digest] = Token(
            name=f"{SESSION}{holder.id}",
            workspace=holder.workspace or None,
            role=cast("Role", holder.role),
            person=holder.name,
            made_at=began_at,
            last_used_at=used_at,
            expires_at=ends_at,
            revoked_at=None,
            person_id=holder.id,
            made_by=holder.id,
            max_idle=LONGEST_IDLE,
        )
    return tokens_by_digest


def end(connection: Connection, digest: str, now: datetime) -> None:
    """End a sign-in."""
    rights_register.end(connection, SIGN_INS, (digest,), {"ended_at": now.timestamp()})


def end_all_of(connection: Connection, person_id: str, now: datetime) -> None:
    """End all sign-ins of a person."""
    mine = and_(sign_ins.c.person_id == person_id, sign_ins.c.ended_at.is_(None))
    for digest in connection.execute(select(sign_ins.c.digest).where(mine)).scalars().all():
        end(connection, digest, now)


def record_use(connection: Connection, used: Mapping[str, float]) -> None:
    """Record when sign-ins were last used, by their digests."""
    for digest, at in used.items():
        older = or_(sign_ins.c.used_at.is_(None), sign_ins.c.used_at < at)
        connection.execute(update(sign_ins).where(sign_ins.c.digest == digest, older).values(used_at=at))


def _drop_ended(connection: Connection, person_id: str, now: datetime) -> None:
    """Delete what has ended, so that the table stays as small as there are people."""
    mine = sign_ins.c.person_id == person_id
    over = and_(mine, sign_ins.c.ended_at.is_(None), sign_ins.c.ends_at <= now.timestamp())
    for digest in connection.execute(select(sign_ins.c.digest).where(over)).scalars().all():
        end(connection, digest, now)
    connection.execute(delete(sign_ins).where(mine, sign_ins.c.ended_at.is_not(None)))
