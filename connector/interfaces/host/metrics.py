"""What a host counts by itself: requests that it answered, and calls that it made for its callers."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.registry import Collector

from connector.core.errors import KontorError
from connector.runtime.result import Credits

BUCKETS = (0.005, 0.02, 0.1, 0.5, 2.0, 10.0, 60.0)


class HostMetrics:
    """One registry per host."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._calls = Counter(
            "kontor_calls", "Actions, lookups and polls by outcome.", ["kind", "id", "outcome"], registry=self._registry
        )
        self._credits = Counter(
            "kontor_call_credits", "Credits spent by callers of this host.", ["kind", "id"], registry=self._registry
        )
        self._answers = Counter(
            "kontor_http_requests", "Requests answered.", ["route", "method", "status"], registry=self._registry
        )
        self._seconds = Histogram(
            "kontor_http_request_seconds", "Time to answer.", ["route"], buckets=BUCKETS, registry=self._registry
        )
        self._called: dict[tuple[str, str, str], Counter] = {}
        self._known: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}

    def add(self, collector: Collector) -> None:
        """Shows what a collector finds out whenever somebody asks."""
        self._registry.register(collector)

    def called(self, kind: str, id: str, outcome: str, credits: Credits | None = None) -> None:
        """Counts one call. The id must be a manifest's, so that there are never more lines than manifests."""
        counter = self._called.get((kind, id, outcome))
        if counter is None:
            counter = self._called[kind, id, outcome] = self._calls.labels(kind, id, outcome)
        counter.inc()
        if credits is not None and credits.cost:
            self._credits.labels(kind, id).inc(float(credits.cost))

    def failed(self, kind: str, id: str, error: KontorError) -> None:
        """Counts one call that failed."""
        self.called(kind, id, error.kind)

    def answered(self, route: str, method: str, status: int, seconds: float) -> None:
        """Counts one answer."""
        known = self._known.get((route, method, status))
        if known is None:
            plain = method if method in {"GET", "HEAD", "POST", "PUT", "DELETE"} else "other"
            counter, histogram = self._answers.labels(route, plain, str(status)), self._seconds.labels(route)
            known = (counter, histogram)
            if plain != "other":
                self._known[route, method, status] = known
        known[0].inc()
        known[1].observe(seconds)

    def text(self) -> bytes:
        """All of it in Prometheus' own words."""
        return generate_latest(self._registry)
