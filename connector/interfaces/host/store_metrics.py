"""Prometheus metrics read from the store: credits, rate windows, poll lag, queue sizes and ages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from decimal import Decimal

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from sqlalchemy import Connection, Table, func, select

from connector.client import KeyState
from connector.core.clock import Clock
from connector.store import Database
from connector.store.schema import balances, cursors, deliveries, events, hooks, runs, subscriptions, usage
from connector.store.timestamps import as_utc

DELIVERY_STATES = ("waiting", "done", "dead", "ended")
EVENT_STATES = ("new", "fired", "stale", "unconfirmed", "forged", "unknown")
HOOK_STATES = ("active", "drifted", "released")


class StoreMetrics(Collector):
    """Queries the store on each scrape, in a worker thread."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self.key_states: Mapping[str, KeyState] = {}
        """Rate windows by fingerprint; set before each scrape."""

    def describe(self) -> Iterator[Metric]:
        """Return nothing: registering must not query the database."""
        return iter(())

    def collect(self) -> Iterator[Metric]:
        """Yield all metric families."""
        now = self._clock.utcnow()
        yield from self._database.read(lambda connection: list(_stored(connection, now)))
        yield from _rate_windows(self.key_states, self._clock.monotonic())


def _stored(connection: Connection, now: datetime) -> Iterator[Metric]:
    yield from _credits(connection)
    yield from _polls(connection, now)
    yield from _queues(connection, now)
    yield _by_state("kontor_webhook_urls", "The hub's addresses at the service.", connection, hooks, HOOK_STATES)
    yield _by_state("kontor_subscriptions", "Subscriptions.", connection, subscriptions, ("active", "ended"))


def _credits(connection: Connection) -> Iterator[Metric]:
    spent = CounterMetricFamily("kontor_credits_spent", "Credits spent, by action or trigger.", labels=["id"])
    for label, credits in connection.execute(select(usage.c.label, func.sum(usage.c.credits)).group_by(usage.c.label)):
        spent.add_metric([label], float(credits))
    yield spent
    balance = GaugeMetricFamily("kontor_credit_balance", "The last balance told.", labels=["credential"])
    for credential, told in connection.execute(select(balances.c.credential, balances.c.balance)):
        balance.add_metric([credential], float(Decimal(told)))
    yield balance


def _polls(connection: Connection, now: datetime) -> Iterator[Metric]:
    lag = GaugeMetricFamily("kontor_poll_lag_seconds", "How long the most overdue poll is due.", labels=["trigger"])
    troubled = GaugeMetricFamily("kontor_polls_in_trouble", "Polls whose last attempt failed.", labels=["trigger"])
    due = select(cursors.c.trigger, func.min(cursors.c.next_at), func.count(cursors.c.trouble))
    for trigger, next_at, troubles in connection.execute(
        due.where(cursors.c.next_at.is_not(None)).group_by(cursors.c.trigger)
    ):
        lag.add_metric([trigger], _age(next_at, now))
        troubled.add_metric([trigger], troubles)
    yield lag
    yield troubled


def _queues(connection: Connection, now: datetime) -> Iterator[Metric]:
    yield _by_state("kontor_deliveries", "Deliveries to subscribers.", connection, deliveries, DELIVERY_STATES)
    yield _by_state("kontor_events", "Events of the service, by what was decided.", connection, events, EVENT_STATES)
    unconfirmed = select(func.count()).select_from(events).where(events.c.state == "unconfirmed")
    yield GaugeMetricFamily(
        "kontor_unconfirmed_events",
        "Events that the API never confirmed.",
        value=connection.execute(unconfirmed).scalar_one(),
    )
    parked = select(func.count()).select_from(runs).where(runs.c.state == "unknown")
    yield GaugeMetricFamily(
        "kontor_parked_writes", "Writes whose outcome is unknown.", value=connection.execute(parked).scalar_one()
    )
    age = GaugeMetricFamily("kontor_queue_age_seconds", "Age of the oldest that waits.", labels=["queue"])
    oldest_delivery = select(func.min(deliveries.c.made_at)).where(deliveries.c.state == "waiting")
    oldest_event = select(func.min(events.c.arrived_at)).where(events.c.state == "new")
    oldest_write = select(func.min(runs.c.changed_at)).where(runs.c.state == "unknown")
    age.add_metric(["deliveries"], _age(connection.execute(oldest_delivery).scalar(), now))
    age.add_metric(["events"], _age(connection.execute(oldest_event).scalar(), now))
    begun = connection.execute(oldest_write).scalar()
    age.add_metric(["parked"], max(0.0, now.timestamp() - begun) if begun else 0.0)
    yield age


def _by_state(name: str, help: str, connection: Connection, table: Table, states: tuple[str, ...]) -> Metric:
    family = GaugeMetricFamily(name, help, labels=["state"])
    column = table.c.state
    rows = connection.execute(select(column, func.count()).group_by(column))
    counts: dict[str, int] = {row[0]: row[1] for row in rows}
    for state in states:
        family.add_metric([state], counts.get(state, 0))
    return family


def _rate_windows(states: Mapping[str, KeyState], now: float) -> Iterator[Metric]:
    remaining = GaugeMetricFamily(
        "kontor_rate_window_remaining", "Requests left in the key's window.", labels=["credential"]
    )
    for fingerprint, state in states.items():
        remaining.add_metric([fingerprint], state.governor.snapshot(now).remaining)
    yield remaining


def _age(moment: datetime | None, now: datetime) -> float:
    return 0.0 if moment is None else max(0.0, (now - as_utc(moment)).total_seconds())
