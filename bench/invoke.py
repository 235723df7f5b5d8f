"""An action through the whole runtime against the same request by bare httpx, and a dropdown that is already known."""

from __future__ import annotations

import contextlib
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import count

import httpx

from bench.call import HEADERS
from connector import Connector, Credential
from connector.client.governor import Governor
from connector.runtime.session import Session
from sandbox.ledger.demo import ledger_connection_id

BLOCKS = 15
BLOCK = 25
LINES = 20
LEDGER = ledger_connection_id("nordlicht")


@contextlib.contextmanager
def _sandbox() -> Iterator[str]:
    """A sandbox in a process of its own, without limits."""
    import json
    import subprocess
    import sys
    from pathlib import Path

    command = [str(Path(sys.executable).parent / "kontor"), "sandbox", "--port", "0", "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        url = json.loads(process.stdout.readline())["url"]
        httpx.post(f"{url}/sandbox/limits", json={"limit": 10**9}).raise_for_status()
        httpx.post(f"{url}/sandbox/credits", json={"balance": 10**9}).raise_for_status()
        yield url
    finally:
        process.terminate()
        process.wait()


@contextlib.contextmanager
def _session() -> Iterator[tuple[str, Session]]:
    with _sandbox() as url, tempfile.TemporaryDirectory() as data:
        connector = Connector(data)
        with connector.open(Credential(url, "sandbox-key")) as session:
            session.client.state.governor = Governor(limit=10**9)
            yield url, session
        connector.close()


def _entry() -> dict[str, object]:
    lines = [
        {
            "belegtext": f"Position {number}",
            "gegenkonto": "8400",
            "belegNummer": f"K-{number}",
            "betrag": Decimal(100 * number + 19).scaleb(-2),
            "steuersatz": {"prozent": 19, "buSchluessel": "3"},
        }
        for number in range(1, LINES + 1)
    ]
    return {
        "kassenname": "Ladenkasse",
        "waehrung": "EUR",
        "betrag": sum(line["betrag"] for line in lines),  # type: ignore[misc]
        "transaktionsdatum": "2026-11-14T10:00:00+01:00",
        "belegzeilen": lines,
    }


def cash_book_ratio(keyed: bool = False) -> float:
    """A cash book entry of 20 lines: checked, journalled, sent, journalled again, against the bare request.

    With a key, the intent is on the disk before the request leaves; that is the disk's own time on top.
    """
    with _session() as (url, session), httpx.Client() as http:
        entry = _entry()
        plain = {**entry, "betrag": float(entry["betrag"])}  # type: ignore[arg-type]
        plain["belegzeilen"] = [{**line, "betrag": float(line["betrag"])} for line in entry["belegzeilen"]]  # type: ignore[attr-defined]
        params = {"connection_id": LEDGER, "quelle": "kontor"}
        address, headers = f"{url}/v2/ledger-duo/kassenbuch-advanced", {**HEADERS, "x-api-key": "sandbox-key"}

        def bare() -> None:
            http.post(address, params=params, headers=headers, json=plain).raise_for_status().json()

        def ours(number: int) -> None:
            key = f"bench-{number}" if keyed else None
            session.invoke("create_cash_book_entry", {"ledger_connection": LEDGER, **entry}, key=key)

        def block(run: Callable[[], None]) -> float:
            started = time.perf_counter()
            for _ in range(BLOCK):
                run()
            return time.perf_counter() - started

        numbers = count()
        pair = [bare, lambda: ours(next(numbers))]
        for run in pair:
            block(run)
        # In blocks, so that what the runtime does behind a call is counted with the calls that caused it.
        blocks = [[block(run) for run in pair] for _ in range(BLOCKS)]
        return statistics.median(ours / bare for bare, ours in blocks)


def warm_option_microseconds() -> float:
    """A dropdown whose options are known, in microseconds."""
    with _session() as (_, session):
        inputs = {"ledger_connection": LEDGER}
        session.options("cash_books", inputs)
        runs = []
        for _ in range(50):
            started = time.perf_counter()
            for _ in range(1000):
                session.options("cash_books", inputs)
            runs.append((time.perf_counter() - started) * 1000)
        return statistics.median(runs)
