"""Runs by handlers against `invoke`, both answered without a socket."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from pydantic import TypeAdapter

from connector import Connector, Credential
from connector.actions import GetPayment, ListTransactions
from connector.core.manifest.handlers import Listed
from connector.resources import Transaction
from connector.runtime.session import Session
from connector.testing import CannedService

ROWS = 10_000


def one_ratio() -> float:
    """Return how much longer one typed resource takes than the same by `invoke`, in CPU."""
    with _session(CannedService()) as session:
        return _ratio(
            lambda: session.invoke("get_payment", {"id": "5013"}), lambda: session.run(GetPayment(id="5013")), 400
        )


def rows_ratio() -> float:
    """Return how much longer a typed list takes than `invoke` and pydantic's reading of its output, in CPU."""
    service = CannedService()
    sample = service.outputs["list_transactions"]["items"][0]
    service.outputs["list_transactions"] = {"items": [{**sample, "id": str(number)} for number in range(ROWS)]}
    read = TypeAdapter(Listed[Transaction]).validate_python
    with _session(service) as session:
        return _ratio(
            lambda: read(session.invoke("list_transactions", {"account_id": "8101"}).output),
            lambda: session.run(ListTransactions(account_id="8101")),
            5,
        )


@contextmanager
def _session(service: CannedService) -> Iterator[Session]:
    with tempfile.TemporaryDirectory() as folder:
        connector = Connector(folder)
        with connector.open(Credential("https://service.example", "bench-key"), transport=service) as session:
            yield session
        connector.close()


def _ratio(bare: Callable[[], Any], ours: Callable[[], Any], rounds: int) -> float:
    """Return the ratio of the medians of alternating runs."""
    seconds: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for run, spent in zip((bare, ours), seconds, strict=True):
            began = time.process_time()
            run()
            spent.append(time.process_time() - began)
    return statistics.median(seconds[1]) / statistics.median(seconds[0])
