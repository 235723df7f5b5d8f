"""Builds a call to any path of the service. That the path stays below the base URL is its format's business."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from connector.core.problem import Problem

LEDGER = "/v2/ledger-"
"""Where paths begin whose calls carry the label of the calling source."""
PLAIN = (str, int, Decimal, float, bool)


def check(inputs: dict[str, Any]) -> None:
    """Refuse what cannot be put into a request."""
    if inputs["method"] == "GET" and "body" in inputs:
        raise Problem("body_with_get", field="body")
    for key, value in inputs.get("query", {}).items():
        values = value if isinstance(value, list) else [value]
        if not all(isinstance(item, PLAIN) for item in values):
            raise Problem("query_value", field="query", key=key)


def request(inputs: dict[str, Any]) -> dict[str, Any]:
    """The request as the inputs say it."""
    return {
        "method": inputs["method"],
        "path": inputs["path"],
        "query": inputs.get("query", {}),
        "body": inputs.get("body"),
        "carries_quelle": inputs["path"].startswith(LEDGER),
    }


def shape(reply: Any, inputs: dict[str, Any]) -> dict[str, Any]:
    """The answer as it came; a bare list or value stands under `data`, as in the service's own envelopes."""
    return reply if isinstance(reply, dict) else {"data": reply}
