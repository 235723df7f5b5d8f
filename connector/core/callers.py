"""Who calls: roles, the face and the place that a call comes from, and what the caller means.

Roles: what the holder of a token may do. Pure.

Says who calls, through which face and from where, for the entries of the audit log.

Each face sets it when a call begins. A change of the database may run in another thread: read it before.

What a caller means by running an action. Pure.

Every adapter puts what it knows into this one structure, and every way to run an action takes it whole: in-process,
over HTTP (`POST /v1/actions/{id}/run`) and in the packages for Node platforms, whose `Intent` has the same words.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar, Token
from dataclasses import dataclass, fields
from typing import Any, Literal

from connector.core.errors import RightMissing
from connector.core.messages import ANYWHERE, READ_ON, platform_words, say

Role = Literal["viewer", "operator", "payer", "approver", "admin"]
ROLES: tuple[Role, ...] = ("viewer", "operator", "payer", "approver", "admin")
INCLUDED: Mapping[Role, frozenset[Role]] = {
    "viewer": frozenset({"viewer"}),
    "operator": frozenset({"viewer", "operator"}),
    "payer": frozenset({"viewer", "operator", "payer"}),
    "approver": frozenset({"viewer", "approver"}),
    "admin": frozenset(ROLES),
}
"""Whose work each role may do as well: who approves does not run steps, so that asking and approving stay apart."""
ROLE_TO_MOVE: Mapping[str, Role] = {"money": "payer", "webhook_url": "admin"}
"""Who may run an action that moves money or the webhook URL, as its manifest declares."""
HOST_NAME = "host"
"""The name of whoever presents the host's own token; no other token of the whole host has it."""
ACTOR = "kontor.actor"
"""The name under which a request of a host carries its actor."""


@dataclass(frozen=True, slots=True)
class Actor:
    """Who calls: the name, role and workspace of a token, and the person who holds it."""

    name: str
    role: Role
    workspace: str | None = None
    """None: the token works in every workspace of the host."""
    person: str = ""
    agent: bool = False
    """Whether an agent holds it, so that the policy `agents` applies to what it runs."""
    person_id: str = ""
    """Whose token it is; empty: a machine's, the host's own, or one that nobody is known to hold."""
    made_by: str = ""
    """Who may have made the token and so have seen it, by ids with commas between: people, and machines with an `@`
    before the names of their tokens. Of a sign-in it is oneself; empty: the owner of the machine, who hands it out."""

    @property
    def is_own(self) -> bool:
        """Whether it counts as a second person: only this person was shown it, or who owns the machine handed it out.

        Who presents the host's own token is who owns the machine.
        """
        if self.agent:
            return False
        return self.made_by in {"", self.person_id} if self.person_id else self.is_owner

    @property
    def is_owner(self) -> bool:
        """Whether it is the host's own token."""
        return self.name == HOST_NAME and self.workspace is None and not self.made_by

    @property
    def hands(self) -> frozenset[str]:
        """The people who may be behind it."""
        return frozenset({self.person_id, *self.made_by.split(",")} - {""})

    def may(self, needed: Role) -> bool:
        """Whether the role includes `needed`."""
        return needed in INCLUDED[self.role]


HOST = Actor(HOST_NAME, "admin")
"""Whoever presents the host's own token: the owner of the machine."""


def check_role(actor: Actor | None, needed: Role) -> None:
    """Raise unless the actor may do what needs this role; None is whoever uses Kontor alone, and may do everything."""
    if actor is not None and not actor.may(needed):
        names = {"role": say(f"role_{actor.role}_name"), "needed": say(f"role_{needed}_name")}
        message = say("role_missing", name=actor.name, **names)
        remedy = say("role_missing_remedy", role=names["needed"], needed=needed)
        details = {"role": actor.role, "needed": needed}
        raise RightMissing(message, remedy=remedy, outcome="not_sent", details=details, reason="role_missing")


Face = Literal["cli", "http", "console", "mcp", "python", "host"]


@dataclass(frozen=True, slots=True)
class CallSource:
    """Who calls. Without an actor it is the owner of the machine or, with the face `host`, the host itself."""

    face: Face = "python"
    origin: str = ""
    """The caller's address, or user and machine of a command line."""
    actor: Actor | None = None
    where: str = ""
    """The route, or the tool of an agent."""
    platform: str = ""
    """Over HTTP, the platform on whose forms the answer is read, where the request tells."""

    @property
    def reads_on(self) -> str:
        """On which platform the caller reads remedies."""
        return self.platform if self.face == "http" and self.platform else self.face

    @property
    def person(self) -> str:
        """Who it is, as people know them; empty for the host itself and the owner of the machine."""
        return (self.actor.person or self.actor.name) if self.actor else ""


@dataclass(frozen=True, slots=True)
class Invoker(CallSource):
    """Who has an action run, and what was said about that."""

    confirmed: bool = False
    """Whether the person behind an agent was asked, and said yes."""
    callback_url: str | None = None
    """Whom to tell what became of a run that waits for approval."""
    agent: bool = False
    """Whether the adapter says that an agent calls, whatever its token says."""

    @property
    def is_agent(self) -> bool:
        """Whether an agent calls: by its face, by what the adapter says, or by its token."""
        return self.agent or self.face == "mcp" or (self.actor is not None and self.actor.agent)

    @property
    def is_unattended_agent(self) -> bool:
        """Whether an agent runs it, and its person was not asked."""
        return self.is_agent and not self.confirmed


_SOURCE: ContextVar[CallSource] = ContextVar("kontor_call_source", default=CallSource())  # noqa: B039


def current_source() -> CallSource:
    """Return who calls now."""
    return _SOURCE.get()


def set_source(source: CallSource) -> Token[CallSource]:
    """Say who calls, until `reset_source`, or until the task or thread ends; remedies are worded for that caller."""
    READ_ON.set(source.reads_on)
    return _SOURCE.set(source)


def reset_source(token: Token[CallSource]) -> None:
    """Take back what `set_source` said."""
    _SOURCE.reset(token)
    READ_ON.set(_SOURCE.get().reads_on)


def known_platform(label: str) -> str:
    """Return the platform that a request names, by `x-kontor-platform` or by its label; empty for an unknown one."""
    name = label.strip().lower()
    return name if name != ANYWHERE and name in platform_words() else ""


@dataclass(frozen=True, slots=True)
class Intent:
    """What is meant. `guarded` and `agent` only tighten: leaving them out never holds back more."""

    key: str | None = None
    """Names the write, and stays the same over the platform's own retries."""
    again: bool = False
    """A person has said that it is meant although an equal one was made."""
    guarded: bool = False
    """The key may be a new one for something that was done: an equal write that is young or under way holds it back."""
    agent: bool = False
    """An agent runs it, whatever its token says."""

    @classmethod
    def of(cls, words: Mapping[str, Any]) -> Intent:
        """Read it out of a request, whose other fields are not meant here."""
        return cls(**{word: words[word] for word in WORDS if words.get(word) is not None})


WORDS = tuple(field.name for field in fields(Intent))
"""The words of an intent, as a request spells them."""
