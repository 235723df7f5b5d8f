"""People: who holds tokens and signs in. A person is an id; the name is for people, and no two look alike.

| state | meaning |
|---|---|
| named | a token names the person, who was never invited |
| invited | the link of an invitation was not used yet |
| active | has a sign-in of their own, and counts as a second person |
| expired | nobody used the link in time |
| revoked | may do nothing any more |
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, cast

from sqlalchemy import Connection, Row, or_, select

from connector.core.callers import Role
from connector.core.errors import InputError, NotFound
from connector.core.messages import say
from connector.core.writes import person_names
from connector.store.database.database import Database
from connector.store.people import sign_ins
from connector.store.schema import people
from connector.store.trust import rights_register, tokens
from connector.store.trust.granting_rows import PEOPLE
from connector.store.trust.tokens import HOST_WIDE, Token

State = Literal["named", "invited", "active", "expired", "revoked"]


@dataclass(frozen=True, slots=True)
class Person:
    """A row of the table, without what only signing in needs."""

    id: str
    workspace: str | None
    """None: of the whole host."""
    name: str
    role: Role | None
    """None: was never invited."""
    made_at: datetime
    invited_by: str | None
    invited_until: datetime | None
    """Until when an invitation that nobody has used yet can be."""
    accepted_at: datetime | None
    revoked_at: datetime | None
    inviters: frozenset[str] = frozenset()
    """The people who may have seen an invitation, by ids; none: whoever owns the machine has handed it out."""

    def state(self, now: datetime) -> State:
        """Return what has become of the person."""
        if self.revoked_at is not None:
            return "revoked"
        if self.accepted_at is not None:
            return "active"
        if self.invited_until is None:
            return "named"
        return "invited" if now < self.invited_until else "expired"

    @property
    def is_active(self) -> bool:
        """Whether the person has a sign-in of their own."""
        return self.accepted_at is not None and self.revoked_at is None and self.role is not None


def new_code() -> str:
    """Return the code of an invitation, which nobody can guess."""
    return secrets.token_urlsafe(24)


def code_digest(code: str) -> str:
    """Return the digest under which the code of an invitation is stored."""
    return hashlib.sha256(code.encode("utf-8", "surrogatepass")).hexdigest()


def find(connection: Connection, id: str, *, lock: bool = False) -> Person | None:
    """Return a person; raise `Unverified` when the row is not as Kontor has left it."""
    row = rights_register.find(connection, PEOPLE, (id,), lock=lock)
    return None if row is None else _person(row)


def listed(connection: Connection, workspace: str | None) -> Sequence[Person]:
    """Return the people of a workspace by name; with None all of the host."""
    query = select(people).order_by(people.c.workspace, people.c.normal_form)
    if workspace is not None:
        query = query.where(people.c.workspace == workspace)
    return [_person(row) for row in rights_register.find_all(connection, PEOPLE, query)]


def called(connection: Connection, workspace: str | None, text: str) -> Person | None:
    """Return whom a name means in a workspace, or anywhere with None; raise when it only looks like a known one."""
    name = person_names.checked(text)
    alike = _alike(connection, workspace, person_names.skeleton(name))
    same = [row for row in alike if row.normal_form == person_names.normal_form(name)]
    exact = [row for row in same if (row.workspace or None) == workspace] or same
    if len(exact) > 1:
        raise InputError(say("person_ambiguous", name=name), field="person")
    if exact:
        return _person(exact[0])
    if alike:
        message = say("person_looks_like", name=alike[0].name)
        raise InputError(message, remedy=say("person_looks_like_remedy", name=alike[0].name), field="person")
    return None


def of_token(connection: Connection, workspace: str | None, text: str, now: datetime) -> Person:
    """Return whom a new token names; a name that is new here becomes a person who has no sign-in yet."""
    known = called(connection, workspace, text)
    if known is not None and known.revoked_at is not None:
        raise InputError(say("person_revoked", name=known.name), field="person")
    return known or _add(connection, workspace, person_names.checked(text), None, now)


def invite(
    connection: Connection,
    workspace: str | None,
    text: str,
    role: Role,
    code: str,
    until: datetime,
    by: str,
    now: datetime,
    hands: str = "",
) -> tuple[Person, Sequence[Token]]:
    """Invite somebody, known by name or not, by a code that is valid once; an earlier code opens nothing any more.

    Return the person, and the tokens that end since they may do more than a new role. `hands` are the people who may
    see the code; where it is only whoever owns the machine, what others may have seen before is forgotten.
    """
    person = called(connection, workspace, text)
    if person is None:
        person = _add(connection, workspace, person_names.checked(text), role, now)
    elif person.workspace != workspace:
        raise InputError(say("person_elsewhere", name=person.name), field="person")
    before = person.inviters if person.revoked_at is None else frozenset[str]()
    values = {
        "role": role,
        "inviters": tokens.joined({*before, *hands.split(",")}) if hands else "",
        "invitation": code_digest(code),
        "invited_until": until.timestamp(),
        "invited_by": by[:100],
        "revoked_at": None,
    }
    rights_register.change(connection, PEOPLE, (person.id,), values)
    has_new_role = person.role not in {None, role}
    ended = tokens.revoke_all_of(connection, person.id, now, beyond=role) if has_new_role else ()
    return _known(connection, person.id), ended


def invited_by_code(connection: Connection, code: str, now: datetime) -> Person | None:
    """Return whom a code invites; None when it is unknown, was used or has run out."""
    query = select(people).where(people.c.invitation == code_digest(code))
    rows = rights_register.find_all(connection, PEOPLE, query)
    person = _person(rows[0]) if rows else None
    in_time = person is not None and person.invited_until is not None and now < person.invited_until
    return person if in_time and person is not None and person.revoked_at is None else None


def accept(connection: Connection, code: str, passphrase: str, now: datetime) -> Person | None:
    """Use a code: keep the hashed passphrase, and end whatever was signed in before; None when it opens nothing."""
    person = invited_by_code(connection, code, now)
    values = {
        "invitation": None,
        "invited_until": None,
        "passphrase": passphrase,
        "accepted_at": now.timestamp(),
    }
    same = people.c.invitation == code_digest(code)
    if person is None or not rights_register.change(connection, PEOPLE, (person.id,), values, same):
        return None
    sign_ins.end_all_of(connection, person.id, now)
    return _known(connection, person.id)


def set_role(connection: Connection, id: str, role: Role, now: datetime) -> Sequence[Token]:
    """Change what a person may do, from the next request on; return the tokens that end since they may do more."""
    rights_register.change(connection, PEOPLE, (id,), {"role": role})
    return tokens.revoke_all_of(connection, id, now, beyond=role)


def revoke(connection: Connection, id: str, now: datetime) -> Sequence[Token]:
    """End all that a person can do: sign-ins, tokens and an invitation; return the tokens."""
    values = {"revoked_at": now.timestamp(), "invitation": None, "invited_until": None, "passphrase": None}
    rights_register.end(connection, PEOPLE, (id,), {**values, "accepted_at": None})
    sign_ins.end_all_of(connection, id, now)
    return tokens.revoke_all_of(connection, id, now)


def hands_behind(connection: Connection, ids: Collection[str]) -> frozenset[str]:
    """Return people with whoever has invited them, and so on: whoever sees an invitation may have accepted it."""
    hands, new = set[str](), set(ids)
    while new:
        hands |= new
        known = (find(connection, id) for id in sorted(new) if not id.startswith(tokens.MACHINE))
        new = {inviter for person in known if person is not None for inviter in person.inviters} - hands
    return frozenset(hands)


def passphrases_of(connection: Connection, workspace: str | None, text: str) -> Sequence[tuple[Person, str]]:
    """Return who may be meant by a name typed to sign in, each with the hashed passphrase."""
    query = select(people).where(
        people.c.normal_form == person_names.normal_form(text)[: person_names.MAX_SKELETON],
        people.c.passphrase.is_not(None),
        people.c.revoked_at.is_(None),
    )
    if workspace is not None:
        query = query.where(people.c.workspace == workspace)
    rows = rights_register.find_all(connection, PEOPLE, query.order_by(people.c.workspace))
    return [(_person(row), str(row.passphrase)) for row in rows]


def has_passphrase(connection: Connection, id: str, stored: str) -> bool:
    """Whether a person still has this hashed passphrase; whoever changes the person meanwhile waits."""
    row = rights_register.find(connection, PEOPLE, (id,), lock=True)
    return row is not None and row.passphrase == stored


def take_over(database: Database, now: datetime) -> None:
    """Make people of those whom tokens from before name; what looks alike becomes one person. Done once."""
    if database.read(tokens.without_person):
        database.write(lambda connection: _take_over(connection, now)).result()


def _take_over(connection: Connection, now: datetime) -> None:
    rights_register.lock(connection, PEOPLE, ("",))  # of two hosts that start at the same moment, one does it
    for token in tokens.without_person(connection):
        name = person_names.tidy(token.person)[: person_names.MAX_CHARACTERS] or token.name
        alike = _alike(connection, token.workspace, _skeleton(name))
        id = str(alike[0].id) if alike else _add(connection, token.workspace, name, None, now).id
        tokens.give_to(connection, token, id)


def _add(connection: Connection, workspace: str | None, name: str, role: Role | None, now: datetime) -> Person:
    id, skeleton = secrets.token_hex(8), _skeleton(name)
    row = {
        "id": id,
        "workspace": workspace or HOST_WIDE,
        "name": name,
        "normal_form": person_names.normal_form(name)[: person_names.MAX_SKELETON],
        "skeleton": skeleton,
        "role": role or "",
        "made_at": now.timestamp(),
    }
    added = rights_register.add(connection, PEOPLE, row)
    # The register is locked by now: whoever was added at the same moment is seen.
    if not added or len(_alike(connection, workspace, skeleton)) > 1:
        message = say("person_looks_like", name=name)
        raise InputError(message, remedy=say("person_looks_like_remedy", name=name), field="person")
    return _known(connection, id)


def _skeleton(name: str) -> str:
    """Return under which skeleton somebody is stored; a name of signs only, as earlier versions took, is its own."""
    return person_names.skeleton(name) or name.casefold()


def _alike(connection: Connection, workspace: str | None, skeleton: str) -> list[Row[Any]]:
    """Return everybody in reach of a workspace whose name looks like this one; whoever is host-wide is in all."""
    query = select(people).where(people.c.skeleton == skeleton).order_by(people.c.workspace)
    if workspace is not None:
        query = query.where(or_(people.c.workspace == workspace, people.c.workspace == HOST_WIDE))
    return list(connection.execute(query))


def _known(connection: Connection, id: str) -> Person:
    person = find(connection, id)
    if person is None:
        raise NotFound(say("person_unknown", name=id), outcome="not_sent")
    return person


def _person(row: Row[Any]) -> Person:
    made_at, invited_until, accepted_at, revoked_at = (
        None if at is None else datetime.fromtimestamp(at, UTC)
        for at in (row.made_at, row.invited_until, row.accepted_at, row.revoked_at)
    )
    assert made_at is not None
    role = cast("Role", row.role) if row.role else None
    return Person(
        *(row.id, row.workspace or None, row.name, role, made_at),
        *(row.invited_by, invited_until, accepted_at, revoked_at),
        frozenset(row.inviters.split(",")) - {""},
    )
