"""Alerts: each is told once when it begins and once when it is over, signed like any delivery."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
from sqlalchemy import Connection

from connector.core.callers import Actor, CallSource
from connector.core.errors import RightMissing
from connector.durable import subscriptions as subscription_changes
from connector.durable.banks import save_bank
from connector.durable.inbox.check_due import check_due
from connector.durable.subscriptions import Health, health_of
from connector.durable.upkeep.alerts import notify_alerts, set_alert_target
from connector.durable.upkeep.attention import attention_items
from connector.durable.workspace_keys import revoke_credential
from connector.interfaces.console.home import setup_checklist
from connector.store.rates import usage
from connector.store.rates.usage import Budget
from connector.store.runs import alerts, runs
from connector.store.runs.runs import NewRun
from connector.store.triggers import deliveries, hooks, subscriptions
from connector.store.triggers.overdue import notify_listeners
from connector.store.trust import credentials
from tests.durable.inbox.hub_host import HubHost, Subscriber

BY = CallSource("console")


def home(hub_host: HubHost) -> str:
    return hub_host.database.read(lambda connection: credentials.workspace_of(connection, hub_host.credential_id))


async def failing(hub_host: HubHost) -> str:
    id, _ = hub_host.subscribe("payment_settled", "http://127.0.0.1:9/nobody")
    hub_host.enqueue(id, "1")
    await hub_host.deliver()
    return id


async def test_a_failing_subscription_is_told_once_until_it_is_over(hub_host: HubHost, subscriber: Subscriber) -> None:
    id = await failing(hub_host)
    subscriber.secret = await set_alert_target(hub_host.context, BY, hub_host.credential_id, subscriber.url)
    assert await notify_alerts(hub_host.context, home(hub_host)) == 1
    assert await notify_alerts(hub_host.context, home(hub_host)) == 0, "it was told"
    await hub_host.deliver()
    begun = subscriber.taken.get(timeout=20)
    assert (begun["kind"], begun["subject"], begun["state"]) == ("subscription_failing", id, "begun")
    assert begun["message"]["de"].endswith("Die Adresse ist nicht erreichbar.")
    now = hub_host.clock.utcnow()
    hub_host.write(lambda connection: subscription_changes.end(connection, BY, id, "console", now))
    assert await notify_alerts(hub_host.context, home(hub_host)) == 1
    await hub_host.deliver()
    assert subscriber.taken.get(timeout=20)["state"] == "over"
    assert hub_host.database.read(lambda connection: alerts.open_alerts(connection, home(hub_host))) == {}


async def test_the_target_of_alerts_is_no_alert_itself_and_another_one_takes_its_place(hub_host: HubHost) -> None:
    await set_alert_target(hub_host.context, BY, hub_host.credential_id, "http://127.0.0.1:9/alerts")
    first = hub_host.database.read(lambda connection: alerts.target_of(connection, home(hub_host)))
    await failing(hub_host)
    await notify_alerts(hub_host.context, home(hub_host))
    await hub_host.deliver()  # fails, too
    assert await notify_alerts(hub_host.context, home(hub_host)) == 0
    await set_alert_target(hub_host.context, BY, hub_host.credential_id, "http://127.0.0.1:9/other")
    ended = hub_host.database.read(lambda connection: subscriptions.get(connection, first or ""))
    assert ended is not None
    assert ended.state == subscriptions.ENDED
    assert await set_alert_target(hub_host.context, BY, hub_host.credential_id, None) is None
    assert await notify_alerts(hub_host.context, home(hub_host)) == 0


def wrong(hub_host: HubHost) -> list[tuple[str, str]]:
    now = hub_host.clock.utcnow()
    items = hub_host.database.read(lambda store: attention_items(store, hub_host.connector, home(hub_host), now))
    return sorted((item.kind, item.subject) for item in items)


async def test_a_lost_webhook_url_is_a_condition(hub_host: HubHost) -> None:
    assert wrong(hub_host) == []
    drifted_hook(hub_host)
    assert wrong(hub_host) == [("webhook_url_lost", hub_host.credential_id)]


async def test_a_used_up_budget_is_a_condition_until_it_is_raised(hub_host: HubHost) -> None:
    [key] = hub_host.database.read(lambda connection: credentials.listed(connection, home(hub_host)))
    day = hub_host.clock.berlin_today().isoformat()
    hub_host.write(lambda connection: usage.set_budget(connection, key.fingerprint, Budget(per_day=5)))
    hub_host.write(lambda connection: usage.add(connection, key.fingerprint, day, "", "list_transactions", Decimal(5)))
    assert wrong(hub_host) == [("budget_used_up", hub_host.credential_id)]
    hub_host.write(lambda connection: usage.set_budget(connection, key.fingerprint, Budget(per_day=6)))
    assert wrong(hub_host) == []


async def test_an_unknown_outcome_is_a_condition_until_it_is_settled(hub_host: HubHost) -> None:
    now = hub_host.clock.utcnow()
    run = NewRun("a" * 32, home(hub_host), None, "f" * 16, "initiate_payment", "2:1", b"{}", "owner")
    hub_host.write(lambda connection: runs.insert(connection, run, "sending", now))
    hub_host.write(lambda connection: runs.finish(connection, run, "unknown", {}, now))
    assert wrong(hub_host) == [("outcome_unknown", run.id)]
    settled = hub_host.database.read(lambda connection: runs.find(connection, run.workspace, run.id))
    assert settled is not None
    hub_host.write(lambda connection: runs.settle(connection, settled, True, "seen at the bank", now))
    assert wrong(hub_host) == []


async def test_a_bank_that_was_last_shown_with_an_error_is_a_condition(hub_host: HubHost) -> None:
    shown = {"id": "4711", "status": "active", "provider_name": "Musterbank"}

    def see(**more: str) -> None:
        row, now = {**shown, **more}, hub_host.clock.utcnow()
        hub_host.write(lambda c: save_bank(c, hub_host.connector, hub_host.credential_id, "4711", row, now))

    see(status="inactive", error_class="InvalidCredentials")
    assert wrong(hub_host) == [("bank_needs_attention", "4711")]
    see(status="active")
    assert wrong(hub_host) == []


async def test_where_alerts_go_is_an_admins_to_say(hub_host: HubHost) -> None:
    await set_alert_target(hub_host.context, BY, hub_host.credential_id, "http://127.0.0.1:9/alerts")
    id = hub_host.database.read(lambda connection: alerts.target_of(connection, home(hub_host))) or ""
    workspace, now = home(hub_host), hub_host.clock.utcnow()
    operator = CallSource("http", actor=Actor("n8n", "operator", workspace))
    hub_host.enqueue(id, "1")
    [delivery] = hub_host.database.read(lambda connection: deliveries.listed(connection, None, id))
    for change in (
        lambda connection: subscription_changes.replay(connection, operator, workspace, delivery.id, now),
        lambda connection: subscription_changes.pause(connection, operator, id, now),
        lambda connection: subscription_changes.end(connection, operator, id, "api", now),
        lambda connection: subscription_changes.change_target(connection, operator, id, "http://127.0.0.1:9/x", now),
    ):
        with pytest.raises(RightMissing):
            hub_host.write(change)
    assert hub_host.database.read(lambda connection: alerts.target_of(connection, home(hub_host))) == id


async def test_a_target_that_wants_no_more_alerts_is_none(hub_host: HubHost) -> None:
    await set_alert_target(hub_host.context, BY, hub_host.credential_id, "http://127.0.0.1:9/alerts")
    id = hub_host.database.read(lambda connection: alerts.target_of(connection, home(hub_host))) or ""
    now = hub_host.clock.utcnow()
    hub_host.write(lambda connection: subscriptions.end(connection, id, "gone", now))
    assert hub_host.database.read(lambda connection: alerts.target_of(connection, home(hub_host))) is None
    await failing(hub_host)
    assert await notify_alerts(hub_host.context, home(hub_host)) == 0


def drifted_hook(hub_host: HubHost) -> None:
    sealed, checked_at = hub_host.context.vault.seal("https://host.example/hooks/t"), hub_host.clock.utcnow()
    row = {"token_digest": hooks.digest("t" * 32), "credential_id": hub_host.credential_id, "sealed_url": sealed}
    row |= {"pass_on": 0, "state": "drifted", "checked_at": checked_at - timedelta(days=1)}
    hub_host.write(lambda connection: connection.execute(hooks.hooks.insert().values(row)))


async def test_the_subscription_of_alerts_is_none_to_a_trigger(hub_host: HubHost) -> None:
    await set_alert_target(hub_host.context, BY, hub_host.credential_id, "http://127.0.0.1:9/alerts")
    drifted_hook(hub_host)

    def read(connection: Connection) -> tuple[list[str], list[str], list[str], Health]:
        own = subscriptions.get(connection, alerts.target_of(connection, home_) or "")
        assert own is not None
        known = setup_checklist.known_of(connection, home_, has_key=True)
        return (
            [subscription.trigger for subscription in subscriptions.listed(connection, home_)],
            [subscription.trigger for subscription in subscriptions.active(connection, hub_host.credential_id)],
            [step.name for step in setup_checklist.steps(known, sandboxed=False) if step.done],
            health_of(connection, hub_host.connector.triggers, own),
        )

    home_ = home(hub_host)
    listed, active, steps_done, health = hub_host.database.read(read)
    assert (listed, active, steps_done) == ([], [], ["key"])
    assert health.state == "active", "a lost webhook URL does not keep alerts from going out"
    now = hub_host.clock.utcnow()
    assert hub_host.write(lambda connection: notify_listeners(connection, now)) == 0


async def test_alerts_alone_do_not_keep_the_webhook_url(hub_host: HubHost) -> None:
    await set_alert_target(hub_host.context, BY, hub_host.credential_id, "http://127.0.0.1:9/alerts")
    drifted_hook(hub_host)
    await check_due(hub_host.context, hub_host.clock.utcnow())
    hook = hub_host.database.read(lambda connection: hooks.of_credential(connection, hub_host.credential_id))
    assert hook is not None
    assert hook.state == "released"


async def test_a_revoked_key_ends_the_alerts_of_its_workspace(hub_host: HubHost) -> None:
    await set_alert_target(hub_host.context, BY, hub_host.credential_id, "http://127.0.0.1:9/alerts")
    assert await revoke_credential(hub_host.context, hub_host.credential_id) == 1
    assert hub_host.database.read(lambda connection: alerts.target_of(connection, home(hub_host))) is None
