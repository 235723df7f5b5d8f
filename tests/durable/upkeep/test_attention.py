"""What needs a person is one list: each kind of trouble is in it once, and it is over when the trouble is."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from connector import Connector
from connector.core.callers import CallSource
from connector.durable.upkeep.alerts import notify_alerts, set_alert_target
from connector.durable.upkeep.attention import AREAS, KINDS, AttentionItem, attention_items, count_by_area
from connector.store.runs import alerts
from connector.store.triggers import deliveries
from connector.store.trust.vault import Vault
from tests.durable.inbox.hub_host import HubHost
from tests.support.troubles import HOUR, Troubles

NOW = datetime(2026, 11, 16, 10, 0, tzinfo=UTC)


@pytest.fixture
def connector(tmp_path: Path) -> Iterator[Connector]:
    connector = Connector(str(tmp_path))
    yield connector
    connector.close()


@pytest.fixture
def troubles(connector: Connector, tmp_path: Path) -> Troubles:
    vault, url = Vault(str(tmp_path), env={}), "https://service.example"
    return connector.database.write(lambda c: Troubles(c, connector, vault, NOW, url)).result()


def listed(connector: Connector, now: datetime = NOW) -> list[AttentionItem]:
    return connector.database.read(lambda c: attention_items(c, connector, "default", now))


def test_each_kind_of_trouble_is_listed_once_the_most_urgent_first(connector: Connector, troubles: Troubles) -> None:
    items = listed(connector)
    assert sorted((item.kind, item.subject) for item in items) == sorted(troubles.made)
    assert {item.kind for item in items} == set(KINDS), "a kind that no trouble makes"
    assert [item.kind for item in items] == list(KINDS)
    counts = count_by_area(items)
    assert counts == {"build": 2, "decide": 4, "operate": 11}
    assert list(counts) == list(AREAS)


def test_nothing_of_it_is_seen_in_another_workspace(connector: Connector, troubles: Troubles) -> None:
    assert connector.database.read(lambda c: attention_items(c, connector, "kunde-b", NOW)) == []


def test_every_item_says_what_to_do_and_where_in_both_languages(connector: Connector, troubles: Troubles) -> None:
    for item in listed(connector):
        assert all(text.strip() for text in (*item.message, *item.remedy)), item.kind
        assert item.place
        assert item.remedy.en != item.remedy.de
    by_kind = {item.kind: item for item in listed(connector)}
    assert by_kind["consent_over"].message.de == "Musterbank: Die Zustimmung endete am 06.11.2026 11:00."
    assert by_kind["consent_over"].since == NOW - timedelta(days=10)
    assert by_kind["bank_needs_attention"].said == "The bank is down."
    assert by_kind["balance_old"].message.en == "Altes Konto: no new figures from the bank since 2026-11-05 11:00."


def test_a_consent_that_only_ends_later_becomes_over_without_anybody_asking_again(
    connector: Connector, troubles: Troubles
) -> None:
    kinds = {item.subject: item.kind for item in listed(connector, NOW + timedelta(days=4))}
    assert kinds["7200"] == "consent_over"


def test_deliveries_that_were_given_up_are_shown_for_a_month(connector: Connector, troubles: Troubles) -> None:
    late = {item.kind for item in listed(connector, NOW + timedelta(days=31))}
    assert "delivery_given_up" not in late
    assert "subscription_failing" in late, "that one lasts until it is over"


def test_a_subscription_that_delivers_again_is_over(connector: Connector, troubles: Troubles) -> None:
    id = dict(troubles.made)["subscription_failing"]
    head = connector.database.read(lambda c: deliveries.next_waiting(c, id))
    assert head is not None
    connector.database.write(lambda c: deliveries.mark_delivered(c, head, 200, NOW + HOUR)).result()
    assert "subscription_failing" not in {item.kind for item in listed(connector)}


async def test_an_alert_is_sent_for_each_kind_and_not_for_itself(hub_host: HubHost) -> None:
    context, url = hub_host.context, "https://service.example"
    troubles = hub_host.write(lambda c: Troubles(c, hub_host.connector, context.vault, context.now(), url))
    await set_alert_target(context, CallSource("console"), troubles.first, "http://127.0.0.1:9/alerts")
    assert await notify_alerts(context, "default") == len(KINDS)
    target = context.database.read(lambda connection: alerts.target_of(connection, "default")) or ""
    bodies = hub_host.fired(target)
    assert sorted((body["kind"], body["subject"]) for body in bodies) == sorted(troubles.made)
    assert all(body["state"] == "begun" and body["remedy"]["de"] and body["area"] in AREAS for body in bodies)
    await hub_host.deliver()
    assert ("subscription_failing", target) in {(item.kind, item.subject) for item in listed_by(hub_host)}
    await notify_alerts(context, "default")
    assert target not in {body["subject"] for body in hub_host.fired(target)}, "that would be told to nobody"


def listed_by(hub_host: HubHost) -> list[AttentionItem]:
    now = hub_host.context.now()
    return hub_host.database.read(lambda c: attention_items(c, hub_host.connector, "default", now))
