"""A paused subscription loses nothing: deliveries wait, and go out in order when it is resumed."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select

from connector.core.callers import Actor, CallSource
from connector.durable import subscriptions as subscription_changes
from connector.durable.outbox.trial_event import send_test_event
from connector.durable.subscriptions import Health, health_of
from connector.durable.upkeep.due_times import notify_overdue
from connector.store.schema import audit
from connector.store.triggers import deliveries, due_work, hooks, subscriptions, timeline
from tests.durable.inbox.hub_host import HubHost, Subscriber

BY = CallSource("http", "127.0.0.1", Actor("sandbox", "operator", None, "Anke Petersen"))


def change(hub_host: HubHost, name: str, *arguments: Any) -> Any:
    now = hub_host.clock.utcnow()
    return hub_host.write(lambda connection: getattr(subscription_changes, name)(connection, BY, *arguments, now))


def health(hub_host: HubHost, id: str) -> Health:
    def read(connection: Any) -> Health:
        subscription = subscriptions.get(connection, id)
        assert subscription is not None
        return health_of(connection, hub_host.connector.triggers, subscription)

    return hub_host.database.read(read)


def told(hub_host: HubHost, id: str) -> list[str]:
    return [
        happening.what for happening in hub_host.database.read(lambda connection: timeline.listed(connection, [id]))
    ][::-1]


async def test_what_comes_while_paused_waits_and_goes_out_in_order(hub_host: HubHost, subscriber: Subscriber) -> None:
    id, _ = hub_host.subscribe("payment_settled", subscriber.url)
    hub_host.enqueue(id, "1")
    await hub_host.deliver()
    assert change(hub_host, "pause", id)
    assert not change(hub_host, "pause", id), "it is paused already"
    hub_host.enqueue(id, "2", "3")
    assert await hub_host.deliver() == 0
    hub_host.clock.advance(2 * 86_400)
    assert await hub_host.deliver() == 0
    assert health(hub_host, id).waiting == 2
    assert health(hub_host, id).state == "paused"
    assert change(hub_host, "resume", id)
    assert await hub_host.deliver() == 2
    assert subscriber.ids() == ["1", "2", "3"]
    assert told(hub_host, id) == ["subscription.paused", "subscription.resumed"]


async def test_a_sweep_leaves_paused_queues_alone(hub_host: HubHost, subscriber: Subscriber) -> None:
    id, _ = hub_host.subscribe("payment_settled", subscriber.url)
    change(hub_host, "pause", id)
    hub_host.enqueue(id, "1")
    await hub_host.deliver()
    hub_host.clock.advance(60)
    now = hub_host.clock.utcnow()
    hub_host.write(lambda connection: notify_overdue(connection, now, now))
    assert not hub_host.database.read(lambda connection: due_work.is_due(connection, due_work.DELIVERIES, now))


async def test_a_failing_one_is_red_with_its_reason_and_next_try_and_recovers_with_another_target(
    hub_host: HubHost, subscriber: Subscriber
) -> None:
    id, _ = hub_host.subscribe("payment_settled", "http://127.0.0.1:9/nobody")
    hub_host.enqueue(id, "1", "2")
    await hub_host.deliver()
    failing = health(hub_host, id)
    assert (failing.state, failing.waiting) == ("failing", 2)
    assert failing.reason is not None
    assert failing.reason.de == "Die Adresse ist nicht erreichbar."
    assert failing.next_try is not None
    assert failing.next_try > hub_host.clock.utcnow()
    assert change(hub_host, "change_target", id, subscriber.url)
    assert await hub_host.deliver() == 2
    assert subscriber.ids() == ["1", "2"]
    assert health(hub_host, id).state == "active"
    expected = ["delivery.failed", "subscription.target_changed", "delivery.recovered"]
    assert told(hub_host, id) == expected


async def test_pausing_and_the_like_are_in_the_audit_log_with_who_did_it(hub_host: HubHost) -> None:
    id, _ = hub_host.subscribe("payment_settled")
    change(hub_host, "pause", id)
    change(hub_host, "resume", id)
    change(hub_host, "end", id, "console")
    assert not change(hub_host, "resume", id), "it has ended"
    rows = hub_host.database.read(
        lambda connection: connection.execute(select(audit.c.what, audit.c.person).order_by(audit.c.id)).all()
    )
    assert [tuple(row) for row in rows] == [
        ("rights.sealed", ""),  # when the host first opened its database
        ("subscription.paused", "Anke Petersen"),
        ("subscription.resumed", "Anke Petersen"),
        ("subscription.ended", "Anke Petersen"),
    ]


async def test_a_test_event_is_signed_and_marked_and_is_no_delivery(hub_host: HubHost, subscriber: Subscriber) -> None:
    id, secret = hub_host.subscribe("payment_settled", subscriber.url)
    subscriber.secret = secret  # it verifies the signature
    change(hub_host, "pause", id)  # it goes out at once all the same
    subscription = hub_host.database.read(lambda connection: subscriptions.get(connection, id))
    attempt = await send_test_event(hub_host.context, BY, subscription)
    assert attempt.delivered
    sent = subscriber.taken.get(timeout=20)
    assert sent["_test"] is True
    assert sent["_id"].startswith("test-")
    assert hub_host.deliveries(id) == []
    assert hub_host.database.read(lambda connection: deliveries.count_waiting(connection, id)) == 0
    assert told(hub_host, id) == ["subscription.paused", "subscription.tested"]


async def test_an_equal_subscription_at_the_new_target_is_not_doubled(hub_host: HubHost) -> None:
    url = "http://127.0.0.1:9/other"
    other, _ = hub_host.subscribe("payment_settled", url)
    id, _ = hub_host.subscribe("payment_settled")
    digest = subscription_changes.subscription_digest("payment_settled", {}, url)
    hub_host.write(lambda connection: subscriptions.change_target(connection, other, url, digest))
    assert not change(hub_host, "change_target", id, url)


async def test_a_lost_webhook_url_fails_only_what_the_service_tells(hub: HubHost) -> None:
    told_by_service, _ = hub.subscribe("payment_settled")
    told_by_kontor, _ = hub.subscribe("run_finished")
    hook = hub.database.read(lambda connection: hooks.of_credential(connection, hub.credential_id))
    assert hook is not None
    hub.write(lambda c: hooks.record_check(c, hook.token_digest, "drifted", None, hub.clock.utcnow()))
    assert health(hub, told_by_service).state == "failing"
    assert health(hub, told_by_kontor).state == "active"
