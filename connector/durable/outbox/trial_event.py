"""Sends a test event to the target of a subscription: signed like any delivery, marked, and never queued.

It goes out at once, also while the subscription is paused or a delivery before it fails, so that a person can see
whether the target takes deliveries. It is no delivery: nothing is counted, retried or replayed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from connector.core.callers import CallSource
from connector.core.values import json
from connector.durable import subscriptions
from connector.durable.sending import signing
from connector.durable.sending.sender import Attempt
from connector.store.triggers import trial_inbox

if TYPE_CHECKING:
    from connector.durable.context import JobContext
    from connector.store.triggers.subscriptions import Subscription

MARK = "_test"


def marked_body(sample: Mapping[str, Any], id: str) -> dict[str, Any]:
    """Return the sample of a trigger as a test event."""
    return {**sample, "_id": id, MARK: True}


async def send_test_event(context: JobContext, by: CallSource, subscription: Subscription) -> Attempt:
    """Send a test event now, and record that it was sent."""
    known = context.connector.triggers.get(subscription.trigger)
    sample = known.sample if known is not None else {}
    sample = sample[0] if isinstance(sample, list) and sample else sample
    id = f"test-{uuid4()}"
    body = json.encode(marked_body(sample if isinstance(sample, dict) else {}, id)).decode()
    secret, *more = [context.vault.open(sealed) for sealed in subscription.sealed_secrets(context.now())]
    headers = signing.headers(secret, signing.message_id(subscription.id, id), body, context.own_now(), *more)
    if subscription.target_url == trial_inbox.ADDRESS:
        arrived = context.now()
        await context.write(lambda connection: trial_inbox.add(connection, subscription, body, arrived))
        attempt = Attempt(200)
    else:
        attempt = await context.sender().send(subscription.target_url, body.encode(), headers)
    now, details = context.now(), {"status": attempt.status, "error": attempt.own_error, "accepted": attempt.delivered}
    record = subscriptions.record
    await context.write(lambda connection: record(connection, by, "tested", subscription.id, now, details))
    return attempt
