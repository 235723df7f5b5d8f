"""Requests counted by route, method and status, and how long they took."""

from __future__ import annotations

from connector.interfaces.host.metrics import HostMetrics


def lines(metrics: HostMetrics) -> list[str]:
    """What Prometheus reads of them, without the moment at which it began to count each."""
    shown = metrics.text().decode().splitlines()
    return [line for line in shown if line.startswith("kontor_http") and "_created{" not in line]


def test_responses_are_counted_and_their_durations_add_up():
    metrics = HostMetrics()
    for status, seconds in ((200, 0.004), (200, 0.005), (500, 0.25), (200, 100.0)):
        metrics.count_response("/v1/actions", "GET", status, seconds)
    assert lines(metrics) == [
        'kontor_http_requests_total{method="GET",route="/v1/actions",status="200"} 3.0',
        'kontor_http_requests_total{method="GET",route="/v1/actions",status="500"} 1.0',
        'kontor_http_request_seconds_bucket{le="0.005",route="/v1/actions"} 2.0',
        'kontor_http_request_seconds_bucket{le="0.02",route="/v1/actions"} 2.0',
        'kontor_http_request_seconds_bucket{le="0.1",route="/v1/actions"} 2.0',
        'kontor_http_request_seconds_bucket{le="0.5",route="/v1/actions"} 3.0',
        'kontor_http_request_seconds_bucket{le="2.0",route="/v1/actions"} 3.0',
        'kontor_http_request_seconds_bucket{le="10.0",route="/v1/actions"} 3.0',
        'kontor_http_request_seconds_bucket{le="60.0",route="/v1/actions"} 3.0',
        'kontor_http_request_seconds_bucket{le="+Inf",route="/v1/actions"} 4.0',
        'kontor_http_request_seconds_count{route="/v1/actions"} 4.0',
        'kontor_http_request_seconds_sum{route="/v1/actions"} 100.259',
    ]


def test_invented_methods_have_one_name():
    metrics = HostMetrics()
    for method in ("BREW", "WHEN", "POST"):
        metrics.count_response("-", method, 405, 0.1)
    counted = [line for line in lines(metrics) if "_total" in line]
    assert counted == [
        'kontor_http_requests_total{method="other",route="-",status="405"} 2.0',
        'kontor_http_requests_total{method="POST",route="-",status="405"} 1.0',
    ]
