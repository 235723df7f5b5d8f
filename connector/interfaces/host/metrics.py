"""Prometheus counters for HTTP requests and for calls to the service."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate, repeat

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client import Counter as PrometheusCounter
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

from connector.core.errors import KontorError
from connector.runtime.result import Credits

BUCKETS = (0.005, 0.02, 0.1, 0.5, 2.0, 10.0, 60.0)
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE"})


class ResponseMetrics(Collector):
    """Counts in plain numbers, in the event loop, what Prometheus's own counters count under a lock each."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str, int], list[float]] = {}
        """By route, method and status: how many took as long as each bucket, how many longer, and all their seconds."""

    def count(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count one response."""
        counts = self._counts.get((route, method, status))
        if counts is None:
            known = (route, method if method in METHODS else "other", status)
            counts = self._counts.setdefault(known, [0] * (len(BUCKETS) + 2))
        counts[bisect_left(BUCKETS, seconds)] += 1
        counts[-1] += seconds

    def collect(self) -> Iterator[Metric]:
        """Yield the counts and the durations."""
        labels, routes = ["route", "method", "status"], dict[str, list[float]]()
        answered = CounterMetricFamily("kontor_http_requests", "Requests answered.", labels=labels)
        for (route, method, status), counts in list(self._counts.items()):
            answered.add_metric([route, method, str(status)], sum(counts[:-1]))
            routes[route] = [one + more for one, more in zip(counts, routes.get(route, repeat(0.0)), strict=False)]
        yield answered
        lasted = HistogramMetricFamily("kontor_http_request_seconds", "Time to answer.", labels=["route"])
        for route, (*durations, seconds) in routes.items():
            bounds = map(floatToGoString, (*BUCKETS, math.inf))
            lasted.add_metric([route], list(zip(bounds, accumulate(durations), strict=True)), seconds)
        yield lasted


class HostMetrics:
    """The Prometheus registry of one host."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._calls = PrometheusCounter(
            "kontor_calls", "Actions, lookups and polls by outcome.", ["kind", "id", "outcome"], registry=self._registry
        )
        self._credits = PrometheusCounter(
            "kontor_call_credits", "Credits spent by callers of this host.", ["kind", "id"], registry=self._registry
        )
        self._call_counters: dict[tuple[str, str, str], PrometheusCounter] = {}
        responses = ResponseMetrics()
        self.count_response = responses.count
        self.add(responses)

    def add(self, collector: Collector) -> None:
        """Register a collector that computes its values on each scrape."""
        self._registry.register(collector)

    def count_call(self, kind: str, id: str, outcome: str, credits: Credits | None = None) -> None:
        """Count one call; the id must be a manifest's, which bounds the number of label values."""
        counter = self._call_counters.get((kind, id, outcome))
        if counter is None:
            counter = self._call_counters[kind, id, outcome] = self._calls.labels(kind, id, outcome)
        counter.inc()
        if credits is not None and credits.cost:
            self._credits.labels(kind, id).inc(float(credits.cost))

    def count_failure(self, kind: str, id: str, error: KontorError) -> None:
        """Count one failed call by error kind."""
        self.count_call(kind, id, error.kind)

    def text(self) -> bytes:
        """Return the metrics in the Prometheus text format."""
        return generate_latest(self._registry)
