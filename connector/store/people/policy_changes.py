"""What would loosen a policy and waits for a second person, with the value of each setting before and after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, cast
from uuid import uuid4

from sqlalchemy import Connection, Row, select

from connector.core.callers import Actor
from connector.core.values import json
from connector.store.schema import policy_changes
from connector.store.trust import rights_register
from connector.store.trust.granting_rows import POLICY_CHANGES

State = Literal["open", "approved", "rejected"]


@dataclass(frozen=True, slots=True)
class PolicyChange:
    """A row of the table."""

    id: str
    workspace: str
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    state: State
    asked_by: str | None
    asked_person: str | None
    asked_id: str
    hands: frozenset[str]
    """The people who may have asked."""
    asked_at: datetime
    expires_at: datetime

    @property
    def asker(self) -> Actor:
        """Who has asked; without a name the owner of the machine."""
        return Actor(self.asked_by or "", "viewer", None, self.asked_person or "", person_id=self.asked_id)

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON for the public interfaces."""
        return {
            "id": self.id,
            "workspace": self.workspace,
            "before": dict(self.before),
            "after": dict(self.after),
            "asked_by": self.asked_by,
            "asked_person": self.asked_person,
            "asked_at": self.asked_at,
            "expires_at": self.expires_at,
        }


def ask(
    connection: Connection,
    workspace: str,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    actor: Actor | None,
    now: datetime,
    until: datetime,
) -> PolicyChange:
    """Record a change that waits."""
    id = uuid4().hex
    row = {
        "id": id,
        "workspace": workspace,
        "settings": json.encode_clean({"before": before, "after": after}).decode(),
        "state": "open",
        "asked_by": actor.name if actor else None,
        "asked_person": actor.person or actor.name if actor else None,
        "asked_id": actor.person_id if actor else "",
        "asked_maker": actor.made_by if actor else "",
        "asked_at": now.timestamp(),
        "expires_at": until.timestamp(),
    }
    rights_register.add(connection, POLICY_CHANGES, row)
    asked = find(connection, workspace, id)
    assert asked is not None
    return asked


def find(connection: Connection, workspace: str | None, id: str) -> PolicyChange | None:
    """Return a change of a workspace, or with None of any; raise `Unverified` when it is not as Kontor has left it."""
    row = rights_register.find(connection, POLICY_CHANGES, (id,))
    change = None if row is None else _change(row)
    return change if change is not None and workspace in {None, change.workspace} else None


def waiting(connection: Connection, workspace: str | None, now: datetime) -> Sequence[PolicyChange]:
    """Return the changes that wait, the oldest first."""
    query = select(policy_changes).where(
        policy_changes.c.state == "open", policy_changes.c.expires_at > now.timestamp()
    )
    if workspace is not None:
        query = query.where(policy_changes.c.workspace == workspace)
    rows = rights_register.find_all(connection, POLICY_CHANGES, query.order_by(policy_changes.c.asked_at))
    return [_change(row) for row in rows]


def decide(connection: Connection, id: str, state: State, actor: Actor | None, now: datetime) -> bool:
    """Record what a person has decided; False when it does not wait any more."""
    values = {
        "state": state,
        "decided_person": actor.person or actor.name if actor else None,
        "decided_at": now.timestamp(),
    }
    return rights_register.change(connection, POLICY_CHANGES, (id,), values, policy_changes.c.state == "open")


def _change(row: Row[Any]) -> PolicyChange:
    settings = json.decode(row.settings)
    hands = frozenset({row.asked_id, *row.asked_maker.split(",")} - {""})
    asked_at, expires_at = (datetime.fromtimestamp(at, UTC) for at in (row.asked_at, row.expires_at))
    return PolicyChange(
        *(row.id, row.workspace, settings["before"], settings["after"], cast("State", row.state)),
        *(row.asked_by, row.asked_person, row.asked_id),
        *(hands, asked_at, expires_at),
    )
