"""Says who calls, through which face and from where, for the entries of the audit log.

Each face sets it when a call begins. A change of the database may run in another thread: read it before.
"""

from __future__ import annotations

from contextvars import ContextVar, Token
from dataclasses import dataclass
from typing import Literal

from connector.core.roles import Actor

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
    """Say who calls, until `reset_source`, or until the task or thread ends."""
    return _SOURCE.set(source)


def reset_source(token: Token[CallSource]) -> None:
    """Take back what `set_source` said."""
    _SOURCE.reset(token)
