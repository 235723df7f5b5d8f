"""Prometheus metrics of the engine: what is due, what this host works at, and what it has done."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from connector.store import due_work

if TYPE_CHECKING:
    from connector.durable.loop import Engine


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
