"""One call through the client against the same request with bare httpx, each on a kept-alive connection."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable
from decimal import Decimal

import httpx

from bench.servers import constant_server
from connector.client import AsyncClient, Call, Client, KeyState
from connector.client.governor import Governor
from connector.core.service.credential import Credential

PAIRS = 1500
PATH = "/v2/ledger-duo/kassenbuch-advanced"
QUERY = {"connection_id": "b1e0c9a2-3f4d-4c5b-9a6e-7f8091a2b3c4"}
HEADERS = {"x-api-key": "bench-key"}


def _body(amount: type) -> dict[str, object]:
    line = {"belegtext": "Büromaterial", "gegenkonto": "4930", "belegNummer": "K-1", "betrag": amount("39.67")}
    return {
        "waehrung": "EUR",
        "kassenname": "Hauptkasse",
        "betrag": amount("119.01"),
        "transaktionsdatum": "2026-11-15T10:00:00+01:00",
        "belegzeilen": [line, line, line],
    }


def _call() -> Call:
    return Call("POST", PATH, QUERY, _body(Decimal), label="bench", writes=True, carries_quelle=True, cost=1)


def _credential(url: str) -> Credential:
    return Credential(url, "bench-key")


def _unlimited_key_state() -> KeyState:
    return KeyState(Governor(limit=10**9, window=0.5))


def blocking_ratio() -> float:
    """Measure the blocking client; the medians of alternating runs are compared."""
    with (
        constant_server.running() as url,
        httpx.Client() as http,
        Client(_credential(url), state=_unlimited_key_state()) as client,
    ):
        body, call = _body(float), _call()

        def bare() -> None:
            http.post(f"{url}{PATH}", params={**QUERY, "quelle": "kontor"}, headers=HEADERS, json=body).json()

        def ours() -> None:
            _lift_limits(client.state)
            assert client.call(call).charge.cost == 1

        return _ratio([bare, ours])


def asynchronous_ratio() -> float:
    """Measure the asynchronous client."""

    async def measure(url: str) -> float:
        async with httpx.AsyncClient() as http, AsyncClient(_credential(url), state=_unlimited_key_state()) as client:
            body, call = _body(float), _call()

            async def bare() -> None:
                params = {**QUERY, "quelle": "kontor"}
                (await http.post(f"{url}{PATH}", params=params, headers=HEADERS, json=body)).json()

            async def ours() -> None:
                _lift_limits(client.state)
                assert (await client.call(call)).charge.cost == 1

            return await _async_ratio([bare, ours])

    with constant_server.running() as url:
        return asyncio.run(measure(url))


def _lift_limits(state: KeyState) -> None:
    """Empty the rate window: the server sends the service's limit headers, so that parsing them is measured."""
    state.governor.forget()


def _ratio(pair: list[Callable[[], None]]) -> float:
    seconds: list[list[float]] = [[], []]
    for _ in range(PAIRS):
        for index, run in enumerate(pair):
            started = time.process_time()
            run()
            seconds[index].append(time.process_time() - started)
    return statistics.median(seconds[1]) / statistics.median(seconds[0])


async def _async_ratio(pair: list[Callable[[], Awaitable[None]]]) -> float:
    seconds: list[list[float]] = [[], []]
    for _ in range(PAIRS):
        for index, run in enumerate(pair):
            started = time.process_time()
            await run()
            seconds[index].append(time.process_time() - started)
    return statistics.median(seconds[1]) / statistics.median(seconds[0])
