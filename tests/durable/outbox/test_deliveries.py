"""Deliveries: signed, retried, ended, dead and replayed; a failing one holds up nothing else."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from connector.core.callers import CallSource
from connector.core.timing import BeatObserver
from connector.durable import subscriptions as subscription_changes
from connector.durable.outbox.deliver_due import DeliverWork, SlowDeliverWork
from connector.durable.outbox.schedule import FAILURES_BEFORE_REST, RETRY_DELAYS, next_attempt
from connector.durable.sending import signing
from connector.durable.sending.sender import Sender
from connector.durable.upkeep import due_times
from connector.store.database import leases
from connector.store.triggers import deliveries, subscriptions
from tests.durable.inbox.hub_host import MAX_HOLD_SECONDS, HubHost, Subscriber

NOW = datetime(2026, 11, 15, 10, 0, tzinfo=UTC)


def states(hub_host: HubHost, subscription: str) -> list[str]:
    return [delivery.state for delivery in hub_host.deliveries(subscription)]


def subscription_of(hub_host: HubHost, id: str) -> subscriptions.Subscription:
    subscription = hub_host.database.read(lambda connection: subscriptions.get(connection, id))
    assert subscription is not None
    return subscription


async def test_a_delivery_is_signed_so_that_the_librarys_own_verifier_accepts_it(hub_host, subscriber):
    subscription, secret = hub_host.subscribe("payment_settled", subscriber.url)
    subscriber.secret = secret
    hub_host.enqueue(subscription, "5012:settled")
    assert await hub_host.deliver() == 1
    assert subscriber.ids() == ["5012:settled"]
    assert secret.startswith("whsec_")
    (done,) = hub_host.deliveries(subscription)
    assert (done.state, done.attempts, done.last_status) == ("done", 1, 200)


def test_a_body_that_was_changed_on_the_way_is_not_verified():
    secret = signing.new_secret()
    headers = signing.headers(secret, "msg_1", '{"amount": 1}', datetime.now(UTC))
    Webhook(secret).verify('{"amount": 1}', headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(secret).verify('{"amount": 2}', headers)


async def test_every_attempt_at_an_item_carries_the_same_id(hub_host, subscriber):
    subscription, _ = hub_host.subscribe("payment_settled", subscriber.url)
    subscriber.answers = [(500, {}), (200, {})]
    hub_host.enqueue(subscription, 'odd\r\nid: "ä"')
    await hub_host.deliver()
    hub_host.clock.advance(6)
    await hub_host.deliver()
    first, second = subscriber.headers
    assert first["webhook-id"] == second["webhook-id"]
    assert states(hub_host, subscription) == ["done"]


async def test_the_same_item_is_owed_once(hub_host, subscriber):
    subscription, _ = hub_host.subscribe("payment_settled", subscriber.url)
    assert hub_host.write(lambda c: deliveries.enqueue(c, subscription, "1", "{}", NOW))
    assert not hub_host.write(lambda c: deliveries.enqueue(c, subscription, "1", "{}", NOW))
    assert hub_host.write(lambda c: deliveries.enqueue(c, "another", "1", "{}", NOW))


async def test_a_failed_one_steps_aside_and_the_next_ones_go_on(hub_host, subscriber):
    subscription, _ = hub_host.subscribe("payment_settled", subscriber.url)
    hub_host.enqueue(subscription, "1", "2", "3")
    subscriber.answers = [(200, {}), (500, {})]
    assert await hub_host.deliver() == 2
    assert subscriber.ids() == ["1", "3"]
    assert states(hub_host, subscription) == ["done", "waiting", "done"]
    assert await hub_host.deliver() == 0, "it is not due yet"
    hub_host.clock.advance(2)
    assert await hub_host.deliver() == 1
    assert subscriber.ids() == ["1", "3", "2"]


async def test_items_of_one_subject_keep_their_order_and_those_of_others_go_on(hub_host, subscriber):
    subscription, _ = hub_host.subscribe("payment_update", subscriber.url)
    subscriber.answers = [(500, {})]
    trigger = hub_host.connector.trigger("payment_update")
    for id in ("1:processing", "1:settled", "2:processing"):
        subject = trigger.subject({"payment_id": id.partition(":")[0]})
        body = f'{{"_id": "{id}"}}'
        hub_host.write(
            lambda c, id=id, body=body, about=subject: deliveries.enqueue(c, subscription, id, body, NOW, about)
        )
    assert await hub_host.deliver() == 1
    assert subscriber.ids() == ["2:processing"]
    hub_host.clock.advance(2)
    assert await hub_host.deliver() == 2
    assert subscriber.ids() == ["2:processing", "1:processing", "1:settled"]


async def test_a_target_that_fails_again_and_again_rests_and_is_tried_with_one_delivery(hub_host, subscriber):
    subscription, _ = hub_host.subscribe("payment_settled", subscriber.url)
    hub_host.enqueue(subscription, *map(str, range(20)))
    subscriber.answers = [(500, {})] * (FAILURES_BEFORE_REST + 1)
    assert await hub_host.deliver() == 0
    assert len(subscriber.headers) == FAILURES_BEFORE_REST
    hub_host.clock.advance(2)
    assert await hub_host.deliver() == 0
    assert len(subscriber.headers) == FAILURES_BEFORE_REST + 1, "one delivery has tried it again"
    hub_host.clock.advance(6)
    assert await hub_host.deliver() == 20


async def test_an_answer_that_takes_long_holds_up_no_other_item_of_its_queue(hub_host, subscriber):
    subscription, _ = hub_host.subscribe("payment_settled", subscriber.url)
    subscriber.slow_ids = {"1"}
    hub_host.enqueue(subscription, "1", "2", "3")
    job = asyncio.create_task(hub_host.deliver())
    assert [(await asyncio.to_thread(subscriber.taken.get, True, 10))["_id"] for _ in range(2)] == ["2", "3"]
    subscriber.slow_ids = set()
    assert await job == 3


async def test_hanging_targets_cannot_take_all_senders(hub_host, subscriber, monkeypatch):
    monkeypatch.setattr(DeliverWork, "most", 4)
    monkeypatch.setattr(SlowDeliverWork, "most", 1)
    hanging = Subscriber()
    hanging.hold.clear()
    ids = [hub_host.subscribe("payment_settled", hanging.url)[0] for _ in range(8)]
    for id in ids:
        hub_host.enqueue(id, "1")
    job = asyncio.create_task(hub_host.deliver())
    await asyncio.to_thread(hanging.met.wait, 10)
    good, _ = hub_host.subscribe("payment_settled", subscriber.url)
    hub_host.enqueue(good, "1")
    await asyncio.to_thread(subscriber.taken.get, True, 10)  # before any attempt has waited for its 15 seconds
    assert not any("15 seconds" in (delivery.last_error or "") for id in ids for delivery in hub_host.deliveries(id))
    hanging.hold.set()
    await job
    hub_host.clock.advance(60)
    await hub_host.deliver()
    assert {state for id in ids for state in states(hub_host, id)} == {"done"}, "a hanging target that is well again"
    hanging.close()


@pytest.mark.long
@pytest.mark.parametrize("count", [50, 250])
async def test_beside_many_targets_that_hang_a_good_one_waits_for_none_of_them(hub_host, subscriber, count):
    """250 are more than there are senders; an attempt may take so long here that only the patience ends it."""
    hub_host.context._sender = Sender(allow_private=True, seconds=MAX_HOLD_SECONDS)
    hanging = Subscriber()
    hanging.hold.clear()
    for _ in range(count):
        hub_host.enqueue(hub_host.subscribe("payment_settled", hanging.url)[0], "1")
    good, _ = hub_host.subscribe("payment_settled", subscriber.url)
    hub_host.enqueue(good, "1")  # behind all of them
    job = asyncio.create_task(hub_host.deliver())
    await asyncio.to_thread(subscriber.taken.get, True, MAX_HOLD_SECONDS)
    assert hanging.met.is_set()
    assert hanging.taken.empty()
    hanging.hold.set()
    await job
    assert states(hub_host, good) == ["done"]
    hanging.close()


def test_what_waits_for_a_wrong_clock_or_an_ended_queue_is_forgotten(hub_host):
    now, far = hub_host.clock.utcnow(), hub_host.clock.utcnow() + timedelta(days=3)
    hub_host.write(lambda c: deliveries.record_queue(c, "q", deliveries.Queue(5, True, far)))
    assert hub_host.write(lambda c: due_times.pull_back(c, hub_host.connector, now)) == 1
    assert hub_host.database.read(lambda c: deliveries.queue_of(c, "q")).rests_until == now
    hub_host.write(lambda c: deliveries.end_waiting(c, "q"))
    assert hub_host.database.read(lambda c: deliveries.queue_of(c, "q")) == deliveries.Queue()


async def test_a_slow_subscriber_delays_nobody_else(hub_host, subscriber):
    slow = Subscriber()
    slow.hold.clear()
    slow_one, _ = hub_host.subscribe("payment_settled", slow.url)
    quick_one, _ = hub_host.subscribe("payment_settled", subscriber.url)
    hub_host.enqueue(slow_one, "1")
    job = asyncio.create_task(hub_host.deliver())
    await asyncio.to_thread(slow.met.wait, 10)
    hub_host.enqueue(quick_one, "1", "2")  # comes while the job waits for the slow one
    for expected in ("1", "2"):
        assert (await asyncio.to_thread(subscriber.taken.get, True, 10))["_id"] == expected
    assert states(hub_host, slow_one) == ["waiting"]
    slow.hold.set()
    assert await job == 3
    slow.close()


@pytest.mark.parametrize("status", [429, 503])
async def test_a_subscriber_that_asks_for_time_gets_it(hub_host, subscriber, status):
    subscription, _ = hub_host.subscribe("payment_settled", subscriber.url)
    subscriber.answers = [(status, {"retry-after": "600"})]
    hub_host.enqueue(subscription, "1")
    await hub_host.deliver()
    hub_host.clock.advance(590)
    assert await hub_host.deliver() == 0
    assert len(subscriber.headers) == 1
    hub_host.clock.advance(20)
    assert await hub_host.deliver() == 1


async def test_gone_ends_the_subscription_and_whatever_waits(hub_host, subscriber):
    subscription, _ = hub_host.subscribe("payment_settled", subscriber.url)
    subscriber.answers = [(410, {})]
    hub_host.enqueue(subscription, "1", "2")
    await hub_host.deliver()
    ended = subscription_of(hub_host, subscription)
    assert (ended.state, ended.why_ended) == ("ended", "gone")
    assert states(hub_host, subscription) == ["ended", "ended"]
    assert len(subscriber.headers) == 1


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_redirects_are_not_followed(hub_host, subscriber, status):
    elsewhere = Subscriber()
    subscription, _ = hub_host.subscribe("payment_settled", subscriber.url)
    subscriber.answers = [(status, {"location": elsewhere.url})]
    hub_host.enqueue(subscription, "1")
    await hub_host.deliver()
    (waiting,) = hub_host.deliveries(subscription)
    assert (waiting.state, waiting.last_status) == ("waiting", status)
    assert not elsewhere.met.is_set()
    elsewhere.close()


@pytest.mark.long
async def test_after_a_day_of_failures_a_delivery_is_dead_the_next_one_goes_on_and_a_replay_brings_it_back(
    hub_host, subscriber
):
    subscription, _ = hub_host.subscribe("payment_settled", subscriber.url)
    hub_host.enqueue(subscription, "1")
    subscriber.answers = [(500, {})] * (len(RETRY_DELAYS) + 1)
    began = hub_host.clock.utcnow()
    while states(hub_host, subscription)[0] == "waiting":
        await hub_host.deliver()
        hub_host.clock.advance(60)
    assert timedelta(hours=20) < hub_host.clock.utcnow() - began < timedelta(hours=28)
    hub_host.enqueue(subscription, "2")
    hub_host.clock.advance(3600)
    await hub_host.deliver()
    assert subscriber.ids() == ["2"]
    (dead,) = hub_host.database.read(lambda connection: deliveries.dead_letters(connection, None))
    assert (dead.item_id, dead.attempts, dead.last_status) == ("1", len(RETRY_DELAYS) + 1, 500)
    assert hub_host.write(lambda connection: deliveries.replay(connection, None, dead.id, hub_host.clock.utcnow()))
    assert not hub_host.write(lambda connection: deliveries.replay(connection, None, dead.id, hub_host.clock.utcnow()))
    assert await hub_host.deliver() == 1
    assert subscriber.ids() == ["2", "1"]
    assert hub_host.database.read(lambda connection: deliveries.dead_letters(connection, None)) == []


async def test_nobody_listening_is_a_failed_attempt(hub_host, unused_port):
    subscription, _ = hub_host.subscribe("payment_settled", f"http://127.0.0.1:{unused_port}/in")
    hub_host.enqueue(subscription, "1")
    await hub_host.deliver()
    (waiting,) = hub_host.deliveries(subscription)
    assert (waiting.state, waiting.attempts, waiting.last_status) == ("waiting", 1, None)
    assert waiting.last_error


async def test_an_ended_subscription_gets_nothing(hub_host, subscriber):
    subscription, _ = hub_host.subscribe("payment_settled", subscriber.url)
    hub_host.enqueue(subscription, "1")
    hub_host.write(lambda connection: subscriptions.end(connection, subscription, "deleted", hub_host.clock.utcnow()))
    assert await hub_host.deliver() == 0
    assert not subscriber.met.is_set()


async def test_two_hosts_never_send_to_one_subscription_at_the_same_time(hub_host, subscriber):
    subscription, _ = hub_host.subscribe("payment_settled", subscriber.url)
    hub_host.enqueue(subscription, "1")
    name = f"deliver:{subscription}"
    hub_host.write(lambda connection: leases.acquire(connection, name, "other", BeatObserver(), 0.0))
    assert await hub_host.deliver() == 0
    assert not subscriber.met.is_set()
    hub_host.clock.advance(21)  # the other host is dead
    assert await hub_host.deliver() == 1


async def test_a_secret_that_cannot_be_opened_is_a_failed_attempt_and_nothing_is_sent_unsigned(hub_host, subscriber):
    subscription, _ = hub_host.subscribe("payment_settled", subscriber.url)
    from sqlalchemy import update

    from connector.store.schema import subscriptions as table

    hub_host.write(lambda connection: connection.execute(update(table).values(sealed_secret="broken")).rowcount)
    hub_host.enqueue(subscription, "1")
    await hub_host.deliver()
    assert states(hub_host, subscription) == ["waiting"]
    assert not subscriber.met.is_set()


def test_pauses_grow_and_vary_and_end():
    moments = [next_attempt(attempts, NOW, dice=lambda: 0.5) for attempts in range(1, len(RETRY_DELAYS) + 1)]
    assert moments == sorted(moments)
    assert next_attempt(1, NOW, dice=lambda: 0.0) != next_attempt(1, NOW, dice=lambda: 1.0)
    assert next_attempt(len(RETRY_DELAYS) + 1, NOW) is None
    assert 20 * 3600 < sum(RETRY_DELAYS) < 26 * 3600


async def test_while_a_secret_is_replaced_a_delivery_carries_both_signatures(hub_host, subscriber):
    subscription, former = hub_host.subscribe("payment_settled", subscriber.url)
    vault, now = hub_host.context.vault, hub_host.clock.utcnow()
    secret = hub_host.write(
        lambda connection: subscription_changes.replace_secret(connection, vault, CallSource(), subscription, now)
    )["secret"]
    for id, valid in (("1", {former, secret}), ("2", {secret})):
        hub_host.enqueue(subscription, id)
        assert await hub_host.deliver() == 1
        (body,) = [delivery.body for delivery in hub_host.deliveries(subscription) if delivery.item_id == id]
        headers = {**subscriber.headers[-1], "webhook-timestamp": subscriber.headers[-1]["webhook-timestamp"]}
        signatures = headers["webhook-signature"].split()
        assert len(signatures) == len(valid)
        moment = datetime.fromtimestamp(int(headers["webhook-timestamp"]), UTC)
        assert signatures == [
            Webhook(key).sign(headers["webhook-id"], moment, body) for key in (secret, former) if key in valid
        ]
        hub_host.clock.advance(subscription_changes.BOTH_SIGN.total_seconds())
