"""People: who has access, inviting them by a link that ends, their roles, and ending all that they can do."""

from __future__ import annotations

import os
from datetime import datetime, timedelta
from typing import Annotated, Any

from pydantic import Field
from sqlalchemy import Connection

from connector.core.callers import ROLES, Actor, Role, current_source
from connector.core.errors import InputError, NotFound
from connector.core.messages import say
from connector.durable.context import JobContext
from connector.operations.operation import (
    Answer,
    Count,
    Document,
    Ok,
    Operation,
    Workspace,
    ok,
    operation,
)
from connector.operations.people import HOST_WIDE, RoleName, check_workspace, named_workspace, seen_by
from connector.store.people import people
from connector.store.people.people import Person
from connector.store.trust import audit, tokens

INVITED_DAYS, MAX_INVITED_DAYS = 3, 14
CONSOLE, ACCEPT = "/console", "/invitation"
"""Where an invitation is accepted; the console is served there."""


class SignInAnswer(Ok):
    """What to present as a bearer token from now on, and who that is."""

    token: str
    person: str
    role: str
    workspace: str | None


class SignInGiven(Answer):
    """Who signs in."""

    name: str
    passphrase: str
    workspace: str | None = None


class InvitationGiven(Answer):
    """An invitation and the passphrase that the person chooses."""

    invitation: str
    passphrase: str


class KnownPerson(Answer):
    """Somebody who holds tokens or signs in."""

    id: str
    name: str
    role: str | None
    workspace: str | None
    state: Annotated[str, Field(json_schema_extra={"enum": ["named", "invited", "active", "expired", "revoked"]})]
    made_at: datetime
    invited_by: str | None
    invited_until: datetime | None
    accepted_at: datetime | None
    revoked_at: datetime | None


# The host does these itself: whoever calls them has no token yet, and wrong passphrases are counted by address.
sign_in = Operation[...](
    "POST /v1/sign-in", None, SignInAnswer, "sign_in", "Signs a person in by name and passphrase", no_store=True
)
accept_invitation = Operation[...](
    "POST /v1/invitations/accept",
    None,
    SignInAnswer,
    "accept_invitation",
    "Accepts an invitation with a passphrase of one's own, and signs in",
    no_store=True,
)
sign_out = Operation[...]("DELETE /v1/sign-in", "viewer", ok("SignedOut"), "sign_out", "Ends the sign-in presented")


@operation(
    "GET /v1/me",
    "viewer",
    ok("WhoAmI", name=str, person=str | None, role=str, workspace=str | None, agent=bool, second_person=bool),
    no_store=True,
)
async def show_me(context: JobContext, actor: Actor | None) -> Document:
    """Who calls, and whether that counts as a second person."""
    if actor is None:
        who = {"name": "", "person": None, "role": "admin", "workspace": None, "agent": False, "second_person": False}
        return {"ok": True, **who}
    return {
        "ok": True,
        "name": actor.name,
        "person": actor.person or None,
        "role": actor.role,
        "workspace": actor.workspace,
        "agent": actor.agent,
        "second_person": actor.is_own,
    }


@operation("GET /v1/people", "admin", ok("PeopleList", people=list[KnownPerson]))
async def list_people(context: JobContext, actor: Actor | None, workspace: Workspace = None) -> Document:
    """People, with their roles and sign-ins."""
    scope: str | None = actor.workspace if actor else None
    if workspace:
        scope = tokens.HOST_WIDE if workspace == HOST_WIDE else await named_workspace(context, actor, workspace)
    now = context.now()
    listed = await context.read(lambda connection: people.listed(connection, scope))
    return {"ok": True, "people": [_shown(person, now) for person in listed]}


@operation(
    "POST /v1/people",
    "admin",
    ok(
        "PersonInvited",
        **{"id": str, "name": str, "role": str, "workspace": str | None, "invitation": str, "link": str},
        until=datetime,
        tokens=list[str],
    ),
    status=201,
    no_store=True,
)
async def invite_person(
    context: JobContext,
    actor: Actor | None,
    *,
    name: str,
    role: RoleName,
    workspace: Annotated[str | None, Field(description="`*`: the whole host")] = None,
    days: Count = INVITED_DAYS,
) -> Document:
    """Invites a person by a link that is valid once and ends; it is shown only here.

    `tokens` are those of a known person that ended, since they could do more than a new role.
    """
    check_workspace(actor, workspace)
    known = known_role(role)
    if not 1 <= days <= MAX_INVITED_DAYS:
        raise InputError(say("invited_days_invalid", most=MAX_INVITED_DAYS), field="days")
    home = None if workspace == HOST_WIDE else await named_workspace(context, actor, workspace)
    code, now, by = people.new_code(), context.now(), current_source()
    until = now + timedelta(days=days)
    inviting, hands = (actor.person or actor.name) if actor else "", seen_by(actor)

    def invite(connection: Connection) -> tuple[Person, list[str]]:
        person, tokens = people.invite(connection, home, name, known, code, until, inviting, now, hands)
        ended = [token.name for token in tokens]
        details = {"person": person.name, "role": known, "until": until, **({"tokens": ended} if ended else {})}
        what = "person.invited"
        audit.record_by(connection, by, workspace=home, what=what, subject=person.id, details=details, now=now)
        return person, ended

    person, ended = await context.write(invite)
    return {
        "ok": True,
        "id": person.id,
        "name": person.name,
        "role": known,
        "workspace": home,
        "invitation": code,
        "link": f"{_address(context)}{CONSOLE}{ACCEPT}?code={code}",
        "until": until,
        "tokens": ended,
    }


def known_role(role: str) -> Role:
    """Return a role by its name; raise when there is none."""
    known = next((known for known in ROLES if known == role), None)
    if known is None:
        raise InputError(say("role_unknown", roles=", ".join(ROLES)), field="role")
    return known


@operation("PUT /v1/people/{id}", "admin", ok("PersonChanged", id=str, name=str, role=str, tokens=list[str]))
async def change_role(context: JobContext, actor: Actor | None, id: str, *, role: RoleName) -> Document:
    """Changes what a person may do, from the next request on; `tokens` of theirs end that could do more."""
    known, now, by = known_role(role), context.now(), current_source()

    def change(connection: Connection) -> tuple[Person, list[str]]:
        person = _managed(connection, actor, id)
        if person.role is None:
            raise InputError(say("person_not_invited", name=person.name), field="id")
        ended = [token.name for token in people.set_role(connection, id, known, now)]
        details = {"person": person.name, "role": known, "former": person.role, "tokens": ended}
        what = "person.role_changed"
        audit.record_by(connection, by, workspace=person.workspace, what=what, subject=id, details=details, now=now)
        return person, ended

    person, ended = await context.write(change)
    return {"ok": True, "id": id, "name": person.name, "role": known, "tokens": ended}


@operation(
    "DELETE /v1/people/{id}",
    "admin",
    ok("PersonRevoked", id=str, name=str, revoked=bool, tokens=list[str], seen_tokens=list[str]),
)
async def revoke_person(context: JobContext, actor: Actor | None, id: str) -> Document:
    """Ends all that a person can do: sign-ins, tokens and invitations.

    `seen_tokens` are valid tokens of others that this person has made, and may have kept: replace them.
    """
    now, by = context.now(), current_source()

    def revoke(connection: Connection) -> tuple[Person, list[str], list[str]]:
        person = _managed(connection, actor, id)
        ended = [token.name for token in people.revoke(connection, id, now)]
        seen = [token.name for token in tokens.made_for_others(connection, id, now)]
        details = {"person": person.name, "tokens": ended, "seen_tokens": seen}
        what = "person.revoked"
        audit.record_by(connection, by, workspace=person.workspace, what=what, subject=id, details=details, now=now)
        return person, ended, seen

    person, ended, seen = await context.write(revoke)
    return {"ok": True, "id": id, "name": person.name, "revoked": True, "tokens": ended, "seen_tokens": seen}


def _managed(connection: Connection, actor: Actor | None, id: str) -> Person:
    """Return a person whom the actor may manage; raise for one of another workspace, as if there were none."""
    person = people.find(connection, id)
    if person is None or (actor is not None and actor.workspace not in {None, person.workspace}):
        remedy = say("person_unknown_remedy")
        raise NotFound(say("person_unknown", name=id[:40]), remedy=remedy, outcome="not_sent")
    return person


def _shown(person: Person, now: datetime) -> dict[str, Any]:
    return {
        "id": person.id,
        "name": person.name,
        "role": person.role,
        "workspace": person.workspace,
        "state": person.state(now),
        "made_at": person.made_at,
        "invited_by": person.invited_by,
        "invited_until": person.invited_until,
        "accepted_at": person.accepted_at,
        "revoked_at": person.revoked_at,
    }


def _address(context: JobContext) -> str:
    """Return the host's address as others reach it, as far as it is known."""
    address = context.public_url or os.environ.get("KONTOR_PUBLIC_URL", "") or os.environ.get("KONTOR_HOST_URL", "")
    return address.strip().rstrip("/")
