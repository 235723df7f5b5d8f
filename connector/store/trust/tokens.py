"""Tokens: what the callers of a host present. Only their digests are stored."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from sqlalchemy import ColumnElement, Connection, Row, and_, or_, select, update

from connector.core.callers import HOST_NAME, INCLUDED, Actor, Role
from connector.core.errors import InputError
from connector.core.messages import say
from connector.core.writes.person_names import SESSION
from connector.store.schema import tokens
from connector.store.trust import rights_register
from connector.store.trust.granting_rows import TOKENS

PREFIX = "kontor_"
"""Begins every token, so that scanners for leaked secrets know them."""
MAX_NAME_CHARACTERS, MAX_PERSON_CHARACTERS = 100, 200
MAX_HANDS_CHARACTERS = 200
"""Of the people who may have seen one token or invitation: whoever makes one with a token that others have made."""
HOST_WIDE = ""
MACHINE = "@"
"""Begins what stands for a machine among the people who may have seen something."""


@dataclass(frozen=True, slots=True)
class Token:
    """A row of the table: everything but the token itself."""

    name: str
    workspace: str | None
    """None: of the whole host."""
    role: Role
    person: str
    made_at: datetime
    last_used_at: datetime | None
    expires_at: datetime | None
    revoked_at: datetime | None
    agent: bool = False
    """Whether an agent holds it, so that the policy `agents` applies at every door."""
    person_id: str = ""
    """Whose it is; empty: a machine's."""
    made_by: str = ""
    """The people who may have made and seen it, by ids with commas between."""
    max_idle: timedelta | None = None
    """How long it may go unused; only a sign-in ends so."""

    @property
    def actor(self) -> Actor:
        """Who presents it."""
        return Actor(self.name, self.role, self.workspace, self.person, self.agent, self.person_id, self.made_by)

    def is_valid(self, now: datetime) -> bool:
        """Whether it is neither revoked nor expired, nor was left alone for too long."""
        if self.max_idle is not None and now - (self.last_used_at or self.made_at) > self.max_idle:
            return False
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


def new_token() -> str:
    """Return a token that nobody can guess."""
    return f"{PREFIX}{secrets.token_urlsafe(32)}"


def joined(hands: Collection[str]) -> str:
    """Return people by their ids as they are kept; raise where they are too many: none of them may be forgotten."""
    text = ",".join(sorted(hands))
    if len(text) > MAX_HANDS_CHARACTERS:
        raise InputError(say("hands_many"), remedy=say("hands_many_remedy"), field="name")
    return text


def digest(token: str) -> str:
    """Return the digest under which a token is stored. One hash is enough: a token is random, not a password."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def create(connection: Connection, token: Token, text: str) -> None:
    """Store a token; raise when its name was used before, since entries about the earlier one name it."""
    for value, least, most, field in (
        (token.name, 1, MAX_NAME_CHARACTERS, "name"),
        (token.person, 0, MAX_PERSON_CHARACTERS, "person"),
    ):
        if not least <= len(value.strip()) <= len(value) <= most or not value.isprintable():
            raise InputError(say("token_text_invalid", least=least, most=most), field=field)
    if token.name.startswith(SESSION) or (token.workspace is None and token.name == HOST_NAME):
        raise InputError(say("token_name_taken", name=token.name), field="name")
    row = {
        "workspace": token.workspace or HOST_WIDE,
        "name": token.name,
        "role": token.role,
        "person": token.person,
        "digest": digest(text),
        "made_at": token.made_at.timestamp(),
        "expires_at": None if token.expires_at is None else token.expires_at.timestamp(),
        "agent": int(token.agent),
        "person_id": token.person_id,
        "made_by": token.made_by,
    }
    if not rights_register.add(connection, TOKENS, row):
        raise InputError(say("token_name_taken", name=token.name), field="name")


def find(connection: Connection, token_digest: str) -> Token | None:
    """Return the token with this digest, valid or not."""
    return find_all(connection, [token_digest]).get(token_digest)


def find_all(connection: Connection, digests: Sequence[str]) -> dict[str, Token]:
    """Return the tokens with these digests, valid or not; there is none for a digest that is left out."""
    query = select(tokens).where(tokens.c.digest.in_(digests))
    return {row.digest: _token(row) for row in rights_register.find_all(connection, TOKENS, query)}


def listed(connection: Connection, workspace: str | None) -> Sequence[Token]:
    """Return the tokens of a workspace; with None all of the host."""
    found = select(tokens).where(_visible(workspace)).order_by(tokens.c.workspace, tokens.c.name)
    return [_token(row) for row in rights_register.find_all(connection, TOKENS, found)]


def of_person(connection: Connection, workspace: str, name: str, person: str) -> Sequence[Token]:
    """Return the tokens, valid or not, by which a person of this name may have called in a workspace.

    Raise `Unverified` when one of them is not as Kontor has left it.
    """
    rows = (rights_register.find(connection, TOKENS, (home, name)) for home in (workspace, HOST_WIDE))
    found = (_token(row) for row in rows if row is not None)
    return [token for token in found if (token.person or token.name) == person]


def revoke(connection: Connection, name: str, workspace: str | None, now: datetime) -> Token:
    """Revoke a token by its name; raise when there is none, or several of other workspaces. None: any workspace."""
    which = and_(tokens.c.name == name, tokens.c.revoked_at.is_(None), _visible(workspace))
    found = [_token(row) for row in connection.execute(select(tokens).where(which))]
    if len(found) != 1:
        message = say("token_unknown", name=name[:100]) if not found else say("token_ambiguous", name=name[:100])
        raise InputError(message, field="name" if not found else "workspace", reason="token_unknown")
    mine = (found[0].workspace or HOST_WIDE, name)
    rights_register.end(connection, TOKENS, mine, {"revoked_at": now.timestamp()})
    return found[0]


def revoke_all_of(
    connection: Connection, person_id: str, now: datetime, *, beyond: Role | None = None
) -> Sequence[Token]:
    """Revoke the tokens of a person, all or those that may do more than a role; return them."""
    which = and_(tokens.c.person_id == person_id, tokens.c.revoked_at.is_(None))
    rows = connection.execute(select(tokens).where(which).order_by(tokens.c.name))
    found = [token for token in map(_token, rows) if beyond is None or token.role not in INCLUDED[beyond]]
    for token in found:
        identity = (token.workspace or HOST_WIDE, token.name)
        rights_register.end(connection, TOKENS, identity, {"revoked_at": now.timestamp()})
    return found


def made_for_others(connection: Connection, person_id: str, now: datetime) -> Sequence[Token]:
    """Return the valid tokens that a person has made and thus seen, without their own."""
    which = and_(tokens.c.made_by.contains(person_id, autoescape=True), tokens.c.person_id != person_id)
    rows = rights_register.find_all(connection, TOKENS, select(tokens).where(which).order_by(tokens.c.name))
    return [token for token in map(_token, rows) if token.is_valid(now)]


def without_person(connection: Connection) -> Sequence[Token]:
    """Return the tokens from before people had ids that name one."""
    which = and_(tokens.c.person != "", tokens.c.person_id == "", tokens.c.revoked_at.is_(None))
    rows = rights_register.find_all(connection, TOKENS, select(tokens).where(which).order_by(tokens.c.made_at))
    return [_token(row) for row in rows]


def give_to(connection: Connection, token: Token, person_id: str) -> None:
    """Record whose token it is."""
    identity = (token.workspace or HOST_WIDE, token.name)
    rights_register.change(connection, TOKENS, identity, {"person_id": person_id})


def record_use(connection: Connection, used: Mapping[str, float]) -> None:
    """Record when tokens were last used, by their digests."""
    for token_digest, at in used.items():
        older = or_(tokens.c.last_used_at.is_(None), tokens.c.last_used_at < at)
        connection.execute(update(tokens).where(tokens.c.digest == token_digest, older).values(last_used_at=at))


def _visible(workspace: str | None) -> ColumnElement[bool]:
    return tokens.c.name.is_not(None) if workspace is None else tokens.c.workspace == workspace


def _token(row: Row[Any]) -> Token:
    times = [
        None if at is None else datetime.fromtimestamp(at, UTC)
        for at in (row.made_at, row.last_used_at, row.expires_at, row.revoked_at)
    ]
    made_at, last_used_at, expires_at, revoked_at = times
    assert made_at is not None
    return Token(
        row.name,
        row.workspace or None,
        cast("Role", row.role),
        row.person,
        made_at,
        last_used_at,
        expires_at,
        revoked_at,
        bool(row.agent),
        row.person_id,
        row.made_by,
    )
