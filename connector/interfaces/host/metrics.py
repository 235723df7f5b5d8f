"""Prometheus counters for HTTP requests and for calls to the service."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.registry import Collector

from connector.core.errors import KontorError
from connector.runtime.result import Credits

BUCKETS = (0.005, 0.02, 0.1, 0.5, 2.0, 10.0, 60.0)


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
        self._responses = Counter(
            "kontor_http_requests", "Requests answered.", ["route", "method", "status"], registry=self._registry
        )
        self._seconds = Histogram(
            "kontor_http_request_seconds", "Time to answer.", ["route"], buckets=BUCKETS, registry=self._registry
        )
        self._call_counters: dict[tuple[str, str, str], Counter] = {}
        self._response_metrics: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}

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

    def count_response(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count one HTTP response and its duration."""
        metrics = self._response_metrics.get((route, method, status))
        if metrics is None:
            method_label = method if method in {"GET", "HEAD", "POST", "PUT", "DELETE"} else "other"
            counter, histogram = self._responses.labels(route, method_label, str(status)), self._seconds.labels(route)
            metrics = (counter, histogram)
            if method_label != "other":
                self._response_metrics[route, method, status] = metrics
        metrics[0].inc()
        metrics[1].observe(seconds)

    def text(self) -> bytes:
        """Return the metrics in the Prometheus text format."""
        return generate_latest(self._registry)
