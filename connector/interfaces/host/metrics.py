"""Metrics for Prometheus: responses and calls, what is stored, and the work of the engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from sqlalchemy import Connection, Table, func, select

from connector.client import KeyState
from connector.core.errors import KontorError
from connector.core.timing import Clock
from connector.runtime.result import Credits
from connector.store import Database
from connector.store.database.statements import as_utc
from connector.store.schema import balances, cursors, deliveries, events, hooks, runs, subscriptions, usage
from connector.store.triggers import due_work

if TYPE_CHECKING:
    from connector.durable.loop import Engine

BUCKETS = (0.005, 0.02, 0.1, 0.5, 2.0, 10.0, 60.0)
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE"})
DELIVERY_STATES = ("waiting", "done", "dead", "ended")
EVENT_STATES = ("new", "fired", "stale", "unconfirmed", "forged", "unknown")
HOOK_STATES = ("active", "drifted", "released")


class HostMetrics:
    """The Prometheus registry of one host."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._calls = Counter(
            "kontor_calls", "Actions, lookups and polls by outcome.", ["kind", "id", "outcome"], registry=self._registry
        )
        self._credits = Counter(
            "kontor_call_credits", "Credits spent by callers of this host.", ["kind", "id"], registry=self._registry
        )
        self._answered = Counter(
            "kontor_http_requests", "Requests answered.", ["route", "method", "status"], registry=self._registry
        )
        self._lasted = Histogram(
            "kontor_http_request_seconds", "Time to answer.", ["route"], buckets=BUCKETS, registry=self._registry
        )

    def add(self, collector: Collector) -> None:
        """Register a collector that computes its values on each scrape."""
        self._registry.register(collector)

    def count_response(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count one response; the route must be a pattern, which bounds the number of label values."""
        self._answered.labels(route, method if method in METHODS else "other", status).inc()
        self._lasted.labels(route).observe(seconds)

    def count_call(self, kind: str, id: str, outcome: str, credits: Credits | None = None) -> None:
        """Count one call; the id must be a manifest's, which bounds the number of label values."""
        self._calls.labels(kind, id, outcome).inc()
        if credits is not None and credits.cost:
            self._credits.labels(kind, id).inc(float(credits.cost))

    def count_failure(self, kind: str, id: str, error: KontorError) -> None:
        """Count one failed call by error kind."""
        self.count_call(kind, id, error.kind)

    def text(self) -> bytes:
        """Return the metrics in the Prometheus text format."""
        return generate_latest(self._registry)


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


class WorkMetrics(Collector):
    """Asks the engine, and the store, on each scrape."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def describe(self) -> Iterator[Metric]:
        """Return nothing: registering must not query the database."""
        return iter(())

    def collect(self) -> Iterator[Metric]:
        """Yield all metric families."""
        context, engine = self._engine.context, self._engine
        due = GaugeMetricFamily("kontor_work_due", "Keys that are due and that no host works at.", labels=["kind"])
        for kind, count in context.database.read(lambda c: due_work.counts(c, context.now())).items():
            due.add_metric([kind], count)
        yield due
        at_work = GaugeMetricFamily("kontor_work_in_progress", "Pieces that this host works at.", labels=["kind"])
        for kind, count in engine.in_progress().items():
            at_work.add_metric([kind], count)
        yield at_work
        done = CounterMetricFamily("kontor_work_done", "What this host has done, by kind of work.", labels=["kind"])
        for kind, count in dict(engine.done).items():
            done.add_metric([kind], count)
        yield done
