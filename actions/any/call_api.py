"""Builds a call to any path of the service. That the path stays below the base URL is its format's business."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, ClassVar, Literal

from connector.core.manifest.handlers import Action
from connector.core.problems import Problem

PLAIN = (str, int, Decimal, float, bool)


class CallApi(Action[dict[str, Any]]):
    """Calls any path of the service, for what no other action offers."""

    manifest_id: ClassVar[str] = "call_api"
    LEDGER: ClassVar[str] = "/v2/ledger-"
    """Where paths begin whose calls carry the label of the calling source."""

    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] | None = None
    path: str
    query: dict[str, Any] | None = None
    body: dict[str, Any] | None = None

    @staticmethod
    def check(inputs: dict[str, Any]) -> None:
        """Refuse what cannot be put into a request."""
        if inputs["method"] == "GET" and "body" in inputs:
            raise Problem("body_with_get", field="body")
        for key, value in inputs.get("query", {}).items():
            values = value if isinstance(value, list) else [value]
            if not all(isinstance(item, PLAIN) for item in values):
                raise Problem("query_value", field="query", key=key)

    @classmethod
    def request(cls, inputs: dict[str, Any]) -> dict[str, Any]:
        """Return the request as the inputs say it."""
        return {
            "method": inputs["method"],
            "path": inputs["path"],
            "query": inputs.get("query", {}),
            "body": inputs.get("body"),
            "carries_quelle": inputs["path"].startswith(cls.LEDGER),
        }

    @staticmethod
    def shape(reply: Any, inputs: dict[str, Any]) -> dict[str, Any]:
        """Return the answer as it came; a bare list or value stands under `data`, as in the service's own envelopes."""
        return reply if isinstance(reply, dict) else {"data": reply}
