"""The harness's side of the sandbox: faults, how the payments list behaves, and the record of what was executed."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

import httpx

from tests.histories.recorder import Recorder

WRITES = "POST"
RATE_WINDOW = 6.0
"""Seconds: what a storm of 429 tells its callers to wait at most."""


class SandboxControl:
    """Sets faults and reads records through the sandbox's control interface."""

    def __init__(self, url: str, recorder: Recorder) -> None:
        self._http = httpx.Client(base_url=f"{url}/sandbox", trust_env=False, timeout=30)
        self._recorder = recorder
        self._lock = threading.Lock()
        self._list = {"payments_lag": 0.0, "payments_hide_custom_fields": False, "payments_page_size": None}

    def prepare(self) -> None:
        """Give plenty of credits and requests: histories are about other things."""
        self._post("/limits", limit=1_000_000, window=RATE_WINDOW)
        self._post("/credits", balance=10_000_000)

    @contextmanager
    def fault(self, kind: str, probability: float = 1.0, method: str = WRITES, **more: Any) -> Iterator[None]:
        """Let a fault strike requests with this method as long as the block lasts."""
        ordered = self.order_fault(kind, method, probability=probability, **more)
        try:
            yield
        finally:
            self._http.delete(f"/faults/{ordered}")

    def order_fault(self, kind: str, method: str = WRITES, times: int | None = None, **more: Any) -> int:
        """Let a fault strike until all is healed; returns its id."""
        match = {"method": method, "path": "/v2/"}
        return int(self._post("/faults", kind=kind, times=times, match=match, **more)["data"]["id"])

    @contextmanager
    def payments_list(self, **settings: Any) -> Iterator[None]:
        """Let the payments list behave otherwise as long as the block lasts."""
        with self._lock:
            before = {name: self._list[name] for name in settings}
        self.set_payments_list(settings)
        try:
            yield
        finally:
            self.set_payments_list(before)

    def set_payments_list(self, settings: dict[str, Any]) -> None:
        """Let the payments list behave otherwise from now on."""
        with self._lock:
            self._list |= settings
            lag, hidden = self._list["payments_lag"], self._list["payments_hide_custom_fields"]
            self._recorder.record("list", lag=lag, hidden=hidden)
            self._post("/settings", **settings)
            self._recorder.record("list", lag=lag, hidden=hidden)

    def heal(self) -> None:
        """End every fault and let the payments list tell all."""
        self._http.delete("/faults")
        self.set_payments_list({"payments_lag": 0.0, "payments_hide_custom_fields": False, "payments_page_size": None})

    def pay_elsewhere(self, count: int) -> None:
        """Let another program of the same organisation pay: its payments push others off the first page."""
        self._post("/payments", count=count)

    def executions(self) -> list[dict[str, Any]]:
        answer = self._http.get("/executions")
        data: list[dict[str, Any]] = json.loads(answer.text, parse_float=Decimal)["data"]
        return data

    def requests(self) -> int:
        """Return how many requests the service has received."""
        return int(self._http.get("/record", params={"limit": 1}).json()["received"])

    def close(self) -> None:
        self._http.close()

    def _post(self, path: str, **body: Any) -> dict[str, Any]:
        answer = self._http.post(path, json=body)
        answer.raise_for_status()
        document: dict[str, Any] = answer.json()
        return document
