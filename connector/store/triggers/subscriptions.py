"""Webhook subscriptions to triggers: trigger, inputs and target URL; and one per workspace for its alerts.

Conditions by which queries find only what belongs to a workspace; None is the owner of the machine, who sees all.

Keys of subscription requests: a request repeated under its key gets the subscription of the first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import uuid4

from sqlalchemy import ColumnElement, Connection, and_, delete, select, true, update

from connector.core.values import json
from connector.store.database.statements import as_utc, insert_if_absent
from connector.store.schema import credentials, subscription_keys, subscriptions
from connector.store.triggers import cursors, due_work
from connector.store.trust import rights_register, sealing
from connector.store.trust.granting_rows import TARGETS
from connector.store.trust.rights_register import Unverified


def by_credential(column: ColumnElement[Any], workspace: str | None) -> ColumnElement[bool]:
    """Rows whose credential id is one of the workspace's."""
    if workspace is None:
        return true()
    return column.in_(select(credentials.c.id).where(credentials.c.workspace == workspace))


def by_subscription(column: ColumnElement[Any], workspace: str | None) -> ColumnElement[bool]:
    """Rows whose subscription id is one of the workspace's."""
    if workspace is None:
        return true()
    own = by_credential(subscriptions.c.credential_id, workspace)
    return column.in_(select(subscriptions.c.id).where(own))


SECRETS = ("sealed_secret", "sealed_former_secret", "former_secret_until")
"""What no face shows of a subscription."""
ACTIVE = "active"
ENDED = "ended"
ALERTS = "alerts"
"""What stands in the place of a trigger's id in the subscription that carries a workspace's alerts."""
TO_TRIGGERS = subscriptions.c.trigger != ALERTS


@dataclass(frozen=True, slots=True)
class Subscription:
    """A webhook subscription."""

    id: str
    credential_id: str
    trigger: str
    inputs: dict[str, Any]
    cursor_name: str | None
    """For poll triggers only."""
    target_url: str
    sealed_secret: str
    state: str
    why_ended: str | None
    created_at: datetime
    ended_at: datetime | None
    sealed_former_secret: str | None = None
    """The secret that is being replaced: it signs too, until `former_secret_until`."""
    former_secret_until: float | None = None
    paused_at: datetime | None = None
    """Since when its deliveries wait for a person to resume it."""

    @property
    def carries_alerts(self) -> bool:
        """Whether it carries the alerts of a workspace, and no trigger fires it."""
        return self.trigger == ALERTS

    def sealed_secrets(self, now: datetime) -> tuple[str, ...]:
        """Return the secrets that are valid now, the newest first."""
        until = self.former_secret_until
        if self.sealed_former_secret is None or until is None or now.timestamp() >= until:
            return (self.sealed_secret,)
        return self.sealed_secret, self.sealed_former_secret


def create_once(
    connection: Connection,
    *,
    digest: str | None,
    credential_id: str,
    trigger: str,
    inputs: Mapping[str, Any],
    target_url: str,
    sealed_secret: str,
    now: datetime,
    cursor_name: str | None = None,
) -> Subscription | None:
    """Create an active subscription; None when the credential has an active one with the same digest.

    The caller creates the cursor of a poll trigger.
    """
    id = str(uuid4())
    row = {
        "id": id,
        "credential_id": credential_id,
        "trigger": trigger,
        "inputs": json.encode(dict(inputs)).decode(),
        "cursor_name": cursor_name,
        "target_url": sealing.seal(connection, target_url),
        "sealed_secret": sealed_secret,
        "state": ACTIVE,
        "created_at": now,
        "digest": digest,
    }
    if not rights_register.add(connection, TARGETS, row):
        return None
    if cursor_name is None and trigger != ALERTS:
        due_work.schedule(connection, due_work.RECONCILIATIONS, credential_id, now)
    return get(connection, id)


def find_equal(
    connection: Connection, credential_id: str, trigger: str, inputs: Mapping[str, Any], target_url: str
) -> Subscription | None:
    """Return the credential's oldest active subscription with this trigger, these inputs and this target."""
    stored = json.decode(json.encode(dict(inputs)))
    same = and_(
        subscriptions.c.credential_id == credential_id,
        subscriptions.c.state == ACTIVE,
        subscriptions.c.trigger == trigger,
    )
    equal = (row for row in _select(connection, same) if row.target_url == target_url and row.inputs == stored)
    return next(equal, None)


def get(connection: Connection, id: str) -> Subscription | None:
    """Return one subscription, active or ended, for the host's own work."""
    rows = _select(connection, subscriptions.c.id == id)
    return rows[0] if rows else None


def active(connection: Connection, credential_id: str, *, with_alerts: bool = False) -> Sequence[Subscription]:
    """Return the credential's active subscriptions to triggers, oldest first; on request also that of its alerts."""
    mine = and_(subscriptions.c.credential_id == credential_id, subscriptions.c.state == ACTIVE)
    return _select(connection, mine if with_alerts else and_(mine, TO_TRIGGERS))


def of_cursor(connection: Connection, cursor_name: str) -> Sequence[Subscription]:
    """Return the active subscriptions to a cursor's items."""
    return _select(connection, and_(subscriptions.c.cursor_name == cursor_name, subscriptions.c.state == ACTIVE))


def find(connection: Connection, workspace: str | None, id: str) -> Subscription | None:
    """Return one subscription of a workspace, active or ended; with None of any."""
    rows = _select(connection, and_(subscriptions.c.id == id, by_credential(subscriptions.c.credential_id, workspace)))
    return rows[0] if rows else None


def listed(connection: Connection, workspace: str | None, *, with_alerts: bool = False) -> Sequence[Subscription]:
    """Return a workspace's subscriptions to triggers, including ended ones, oldest first; with None all of the host.

    On request also those that carry alerts.
    """
    mine = by_credential(subscriptions.c.credential_id, workspace)
    return _select(connection, mine if with_alerts else and_(mine, TO_TRIGGERS))


def replace_secret(connection: Connection, id: str, sealed_secret: str, until: datetime) -> bool:
    """Replace the secret of an active subscription; the former one is valid until then."""
    running = and_(subscriptions.c.id == id, subscriptions.c.state == ACTIVE)
    former = {"sealed_former_secret": subscriptions.c.sealed_secret, "former_secret_until": until.timestamp()}
    changed = update(subscriptions).where(running).values(**former, sealed_secret=sealed_secret)
    return connection.execute(changed).rowcount == 1


def is_as_left(connection: Connection, id: str) -> bool:
    """Whether nobody without the data key has changed what goes where: else nothing is delivered."""
    try:
        return rights_register.find(connection, TARGETS, (id,)) is not None
    except Unverified:
        return False


def pause(connection: Connection, id: str, now: datetime) -> bool:
    """Let the deliveries of an active subscription wait; False when it has ended or is paused already.

    Polls and events go on, so that nothing is lost meanwhile.
    """
    running = and_(subscriptions.c.id == id, subscriptions.c.state == ACTIVE, subscriptions.c.paused_at.is_(None))
    return connection.execute(update(subscriptions).where(running).values(paused_at=now)).rowcount == 1


def resume(connection: Connection, id: str) -> bool:
    """Let the deliveries of a paused subscription go out again; False when it is not paused."""
    paused = and_(subscriptions.c.id == id, subscriptions.c.state == ACTIVE, subscriptions.c.paused_at.is_not(None))
    return connection.execute(update(subscriptions).where(paused).values(paused_at=None)).rowcount == 1


def change_target(connection: Connection, id: str, target_url: str, digest: str) -> bool:
    """Send the deliveries of an active subscription to another URL; False when an equal one goes there already."""
    own = select(subscriptions.c.credential_id).where(subscriptions.c.id == id).scalar_subquery()
    equal = and_(
        subscriptions.c.credential_id == own, subscriptions.c.digest == digest, subscriptions.c.state == ACTIVE
    )
    if connection.execute(select(subscriptions.c.id).where(equal, subscriptions.c.id != id)).first() is not None:
        return False
    running = and_(subscriptions.c.id == id, subscriptions.c.state == ACTIVE)
    moved = {"target_url": sealing.seal(connection, target_url), "digest": digest}
    return rights_register.change(connection, TARGETS, (id,), moved, running)


def end(connection: Connection, id: str, why: str, now: datetime) -> bool:
    """End a subscription; False when it had already ended. A cursor without other subscriptions is no longer polled."""
    running = and_(subscriptions.c.id == id, subscriptions.c.state == ACTIVE)
    if not rights_register.end(
        connection, TARGETS, (id,), {"state": ENDED, "why_ended": why, "ended_at": now}, running
    ):
        return False
    subscription = get(connection, id)
    if subscription and subscription.cursor_name and not of_cursor(connection, subscription.cursor_name):
        cursors.unschedule(connection, [subscription.cursor_name])
    return True


def _select(connection: Connection, which: ColumnElement[bool]) -> Sequence[Subscription]:
    rows = connection.execute(
        select(subscriptions).where(which).order_by(subscriptions.c.created_at, subscriptions.c.id)
    )
    return [
        Subscription(
            row.id,
            row.credential_id,
            row.trigger,
            json.decode(row.inputs),
            row.cursor_name,
            sealing.opened(connection, row.target_url),
            row.sealed_secret,
            row.state,
            row.why_ended,
            as_utc(row.created_at),
            as_utc(row.ended_at),
            row.sealed_former_secret,
            row.former_secret_until,
            as_utc(row.paused_at),
        )
        for row in rows
    ]


class KeyedRequest(NamedTuple):
    """The request that used a key first, and its subscription."""

    digest: str
    subscription_id: str


def find_keyed(connection: Connection, credential_id: str, key: str) -> KeyedRequest | None:
    """Return the first request under a key."""
    columns = subscription_keys.c.digest, subscription_keys.c.subscription_id
    row = connection.execute(select(*columns).where(_is(credential_id, key))).one_or_none()
    return None if row is None else KeyedRequest(row.digest, row.subscription_id)


def save_keyed(
    connection: Connection,
    credential_id: str,
    key: str,
    request: KeyedRequest,
    before: KeyedRequest | None,
    now: datetime,
) -> bool:
    """Record a request under a key, in place of `before`; False when another host has just used the key."""
    values = {**request._asdict(), "made_at": now}
    if before is None:
        return insert_if_absent(connection, subscription_keys, {"credential_id": credential_id, "key": key, **values})
    unchanged = and_(_is(credential_id, key), subscription_keys.c.subscription_id == before.subscription_id)
    return connection.execute(update(subscription_keys).where(unchanged).values(values)).rowcount == 1


def delete_old_keys(connection: Connection, before: datetime) -> int:
    """Delete keys made before `before` whose subscription has ended."""
    active = select(subscriptions.c.id).where(subscriptions.c.state == "active")
    past = and_(subscription_keys.c.made_at < before, subscription_keys.c.subscription_id.not_in(active))
    return connection.execute(delete(subscription_keys).where(past)).rowcount


def _is(credential_id: str, key: str) -> ColumnElement[bool]:
    return and_(subscription_keys.c.credential_id == credential_id, subscription_keys.c.key == key)
