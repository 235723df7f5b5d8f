"""How far a workspace is set up: from the key to the first trigger to the first platform. Pure, but for one query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, select

from connector.store import credentials, subscriptions, trial_inbox
from connector.store.schema import deliveries, tokens


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the set-up, where to do it, and whether it is done."""

    name: str
    """`key`, `trigger`, `fired` or `platform`."""
    place: str
    done: bool


@dataclass(frozen=True, slots=True)
class Known:
    """What the store knows of a workspace."""

    has_key: bool
    subscriptions: Sequence[subscriptions.Subscription]
    fired: bool
    """Whether a delivery has arrived anywhere."""
    token_used: bool
    """Whether a platform has used a token of the workspace."""


def known_of(connection: Connection, workspace: str, *, has_key: bool) -> Known:
    """Read what is known of a workspace."""
    found = subscriptions.listed(connection, workspace)
    ids = [one.id for one in found]
    done = select(deliveries.c.id).where(deliveries.c.subscription_id.in_(ids), deliveries.c.state == "done").limit(1)
    used = select(tokens.c.name).where(tokens.c.workspace == workspace, tokens.c.last_used_at.is_not(None)).limit(1)
    return Known(
        has_key or credentials.chosen(connection, workspace) is not None,
        found,
        connection.execute(done).first() is not None,
        connection.execute(used).first() is not None,
    )


def steps(known: Known, *, sandboxed: bool) -> list[Step]:
    """Return the steps in their order."""
    elsewhere = any(one.target_url != trial_inbox.ADDRESS for one in known.subscriptions)
    newest = known.subscriptions[-1].id if known.subscriptions else ""
    where = "sandbox" if sandboxed else f"subscriptions/{newest}".rstrip("/")
    return [
        Step("key", "settings/key", known.has_key),
        Step("trigger", "triggers", bool(known.subscriptions)),
        Step("fired", where, known.fired),
        Step("platform", "exports", known.token_used or elsewhere),
    ]


def next_step(found: Sequence[Step]) -> Step | None:
    """Return the first step that is not done; None when all are."""
    return next((step for step in found if not step.done), None)
