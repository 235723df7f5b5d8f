"""Roles: what the holder of a token may do. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from connector.core.errors import RightMissing
from connector.core.messages import say

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

    def may(self, needed: Role) -> bool:
        """Whether the role includes `needed`."""
        return needed in INCLUDED[self.role]


def check_role(actor: Actor | None, needed: Role) -> None:
    """Raise unless the actor may do what needs this role; None is whoever uses Kontor alone, and may do everything."""
    if actor is not None and not actor.may(needed):
        message = say("role_missing", name=actor.name, role=actor.role, needed=needed)
        remedy = say("role_missing_remedy", needed=needed)
        details = {"role": actor.role, "needed": needed}
        raise RightMissing(message, remedy=remedy, outcome="not_sent", details=details, reason="role_missing")
