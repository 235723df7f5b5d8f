"""An action through the whole runtime against the same request with httpx and one committed row, and a cached dropdown.

The row is stored by SQLAlchemy in the same kind of database, as safe from a crash as ours, and encrypted (AES-GCM) as
ours must be.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from sqlalchemy import Column, Integer, LargeBinary, MetaData, Table, create_engine

from bench import processes
from connector import Connector, Credential
from connector.client.governor import Governor
from connector.client.key_states import key_state
from connector.runtime.connector import SessionContext
from connector.sandbox.ledger.demo import ledger_connection_id

BLOCKS = 15
BLOCK = 25
LINES = 20
KEY = "sandbox-key"
LEDGER = ledger_connection_id("nordlicht")


@contextlib.contextmanager
def _sandbox() -> Iterator[str]:
    """Run a sandbox without limits in its own process."""
    command = [str(Path(sys.executable).parent / "kontor"), "sandbox", "--port", "0", "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        url = json.loads(process.stdout.readline())["url"]
        httpx.post(f"{url}/sandbox/limits", json={"limit": 10**7}).raise_for_status()
        httpx.post(f"{url}/sandbox/credits", json={"balance": 10**9}).raise_for_status()
        yield url
    finally:
        process.terminate()
        process.wait()


@contextlib.contextmanager
def _opening(data: str | None = None) -> Iterator[tuple[_Bare, SessionContext]]:
    """Open a session whose state is in a folder of its own, or in the database that `data` names."""
    with _sandbox() as url, tempfile.TemporaryDirectory() as folder:
        connector = Connector(data or folder)
        credential = Credential(url, KEY)
        key_state(credential).governor = Governor(limit=10**6)
        assert connector.database  # before there are tables that are not its own
        bare = _Bare(url, data, folder)
        yield bare, connector.open(credential)
        bare.close()
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


def _entries() -> Iterator[dict[str, Any]]:
    """Return an entry for each call, made beforehand: an equal one would be held back as a likely repeat."""
    entries: list[dict[str, Any]] = [{"ledger_connection": LEDGER, **_entry()} for _ in range((BLOCKS + 1) * BLOCK)]
    for number, entry in enumerate(entries):
        entry["belegzeilen"][0]["belegtext"] = f"Position {number}"
    return iter(entries)


class _Bare:
    """The same request for bare httpx, and the row that is committed with it."""

    def __init__(self, url: str, data: str | None, folder: str) -> None:
        entry = _entry()
        lines = [{**line, "betrag": float(line["betrag"])} for line in entry["belegzeilen"]]  # type: ignore[attr-defined]
        self.address = f"{url}/v2/ledger-duo/kassenbuch-advanced"
        self.given: dict[str, Any] = {
            "params": {"connection_id": LEDGER, "quelle": "kontor"},
            "headers": {"x-api-key": KEY},
            "json": {**entry, "betrag": float(entry["betrag"]), "belegzeilen": lines},  # type: ignore[arg-type]
        }
        self._entry = json.dumps(self.given["json"]).encode()
        self._key = AESGCM(os.urandom(32))

        self._rows = Table("bare", MetaData(), Column("id", Integer, primary_key=True), Column("entry", LargeBinary))
        self._engine = create_engine(data or f"sqlite:///{folder}/bare.db")
        with self._engine.begin() as connection:
            if data is None:
                connection.exec_driver_sql("PRAGMA journal_mode=WAL")
            self._rows.create(connection)
        self._connection = self._engine.connect()
        relaxed = "PRAGMA synchronous=NORMAL" if data is None else "SET synchronous_commit TO off"
        self._connection.exec_driver_sql(relaxed)
        self._connection.commit()

    def store(self) -> None:
        """Encrypt the entry under a new nonce, and commit it."""
        nonce = os.urandom(12)
        sealed = nonce + self._key.encrypt(nonce, self._entry, None)
        self._connection.execute(self._rows.insert(), {"entry": sealed})
        self._connection.commit()

    def close(self) -> None:
        """Close the database."""
        self._connection.close()
        self._engine.dispose()


def postgres_cash_book_ratio() -> float:
    """Measure the same with the state in PostgreSQL, against the same request and row."""
    with processes.postgresql() as data:
        return cash_book_ratio(data)


def cash_book_ratio(data: str | None = None) -> float:
    """Measure a cash book entry of 20 lines (validated, recorded, sent, recorded) against the bare request and row."""
    with _opening(data) as (bare, opening), opening as session, httpx.Client() as http:
        entries = _entries()

        def block(run: Callable[[], object]) -> float:
            started = time.perf_counter()
            for _ in range(BLOCK):
                run()
            return time.perf_counter() - started

        def bare_request() -> object:
            bare.store()
            return http.post(bare.address, **bare.given).raise_for_status().json()

        def ours() -> object:
            return session.invoke("create_cash_book_entry", next(entries))

        # In blocks, so that the runtime's background work is counted with the calls that caused it.
        blocks = [(block(bare_request), block(ours)) for _ in range(BLOCKS + 1)]
        return statistics.median(ours / bare for bare, ours in blocks[1:])


def postgres_asynchronous_cash_book_ratio() -> float:
    """Measure the same in an event loop with the state in PostgreSQL."""
    with processes.postgresql() as data:
        return asynchronous_cash_book_ratio(data)


def asynchronous_cash_book_ratio(data: str | None = None) -> float:
    """Measure the same in an event loop, against httpx's asynchronous client."""

    async def measure(bare: _Bare, opening: SessionContext) -> float:
        async with opening as session, httpx.AsyncClient() as http:
            entries = _entries()

            async def block(run: Callable[[], Awaitable[object]]) -> float:
                started = time.perf_counter()
                for _ in range(BLOCK):
                    await run()
                return time.perf_counter() - started

            async def bare_request() -> object:
                bare.store()
                return (await http.post(bare.address, **bare.given)).raise_for_status().json()

            async def ours() -> object:
                return await session.invoke("create_cash_book_entry", next(entries))

            blocks = [(await block(bare_request), await block(ours)) for _ in range(BLOCKS + 1)]
            return statistics.median(ours / bare for bare, ours in blocks[1:])

    with _opening(data) as (bare, opening):
        return asyncio.run(measure(bare, opening))


def warm_option_microseconds() -> float:
    """Measure a cached dropdown, in microseconds."""
    with _opening() as (_, opening), opening as session:
        inputs = {"ledger_connection": LEDGER}
        session.options("cash_books", inputs)
        runs = []
        for _ in range(50):
            started = time.perf_counter()
            for _ in range(1000):
                session.options("cash_books", inputs)
            runs.append((time.perf_counter() - started) * 1000)
        return statistics.median(runs)
