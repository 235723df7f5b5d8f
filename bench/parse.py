"""10,000 transactions read through the client into models, against bare httpx and pydantic's JSON parser.

`speed_ratio`   our throughput divided by that of a bare GET + `validate_json` of the same models (which is exact to 15
                digits only); higher is better
`memory_ratio`  growth of the process's peak memory from before the GET until all rows are read, divided by the size of
                the body; lower is better
"""

from __future__ import annotations

import gc
import resource
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache
from typing import Any

import httpx

from bench import server
from connector.core.client import Call, Client, KeyState
from connector.core.credential import Credential
from connector.core.values.json import encode

COUNT = 10_000
RUNS = 7
PATH = "/v2/banking/transactions"
QUERY = {"connection_id": "4711", "sort": "id"}


def transaction(number: int) -> dict[str, Any]:
    """Return a transaction with every field of the service's description, with values of usual length."""
    return {
        "id": str(90_071_992_547_409_930 + number),
        "account_id": "4711000815",
        "payment_id": str(500_000 + number),
        "duplicated": False,
        "mode": "normal",
        "status": "posted",
        "made_on": f"2026-05-{number % 28 + 1:02}",
        "amount": Decimal(number * 7 - 30_000).scaleb(-2),
        "currency_code": "EUR",
        "description": f"Rechnung R-{number:08} vom 03.05.2026, Kundennummer 10042, vielen Dank für Ihren Auftrag",
        "description_parsed": {
            "cred": "DE98ZZZ09999999999",
            "mref": f"M-{number:06}",
            "kref": f"KREF-{number:010}",
            "debt": None,
            "svwz": f"Rechnung R-{number:08}",
            "abwa": None,
            "abwe": None,
            "bic": "DEUTDEFFXXX",
            "oamt": None,
            "coam": None,
            "purp": "SUPP",
        },
        "category": "business_services",
        "extra": {
            "time": "10:21:09",
            "payee": "Musterhandel GmbH",
            "payer": "Beispielwerk AG",
            "additional": "SEPA-Überweisung",
            "merchant_id": f"m{number % 97}",
            "posting_date": f"2026-05-{number % 28 + 1:02}",
            "end_to_end_id": f"E2E-{number:012}",
            "payee_information": "DE02120300000000202051",
            "payer_information": "DE02500105170137075030",
            "account_balance_snapshot": Decimal(1_000_000 + number).scaleb(-2),
            "categorization_confidence": Decimal("0.97"),
        },
        "created_at": "2026-05-03T10:21:09.123456+02:00",
        "updated_at": "2026-05-03T10:21:09.123456+02:00",
    }


def body_of(count: int = COUNT) -> bytes:
    """Return the answer of a transactions list of that length."""
    return encode({"data": [transaction(number) for number in range(count)]})


def read_with_client(client: Client) -> int:
    """Request the list and read it model by model, without keeping them."""
    from connector.core.answers import read_items
    from connector.core.resources.banking import Transaction

    reply = client.call(Call("GET", PATH, QUERY, cost=1, keep_raw=True))
    return sum(1 for _ in read_items(Transaction, reply.body))


def read_with_httpx(http: httpx.Client, url: str) -> int:
    """Do the same with bare httpx, and validate the whole answer in one call of pydantic."""
    body = http.get(f"{url}{PATH}", params=QUERY, headers={"x-api-key": "bench-key"}).content
    return len(_adapter().validate_json(body)["data"])


@lru_cache(maxsize=1)
def _adapter() -> Any:
    from pydantic import TypeAdapter

    from connector.core.resources.banking import Transaction

    return TypeAdapter(dict[str, list[Transaction]])


def speed_ratio(runs: int = RUNS) -> float:
    """Return the median over alternating runs, so that a busy machine slows both alike."""
    with server.running() as url, _client(url) as client, httpx.Client(trust_env=False) as http:
        readers: list[Callable[[], int]] = [lambda: read_with_httpx(http, url), lambda: read_with_client(client)]
        for read in readers:
            assert read() == COUNT
        return statistics.median(_seconds(readers[0]) / _seconds(readers[1]) for _ in range(runs))


def _client(url: str) -> Client:
    return Client(Credential(url, "bench-key"), state=KeyState())


def _seconds(read: Callable[[], int]) -> float:
    gc.collect()
    started = time.perf_counter()
    read()
    return time.perf_counter() - started


def memory_ratio() -> float:
    """Measure in a new process, whose peak memory nothing else has raised."""
    with server.running() as url:
        command = [sys.executable, "-m", "bench.parse", "--memory", url]
        return float(subprocess.run(command, capture_output=True, check=True).stdout)


def growth_while_reading(url: str) -> float:
    """Return the growth as a multiple of the body: of the resident peak or of Python's allocations, whichever is more.

    Each misses something: the resident peak does not grow where freed memory is reused, and the allocation trace does
    not see memory of compiled code.
    """
    with _client(url) as client:
        client.call(Call("GET", "/v2/warm"))
        size = len(body_of())
        gc.collect()
        before = _resident_peak()
        read_with_client(client)
        resident = _resident_peak() - before
        tracemalloc.start()
        read_with_client(client)
        _, traced = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    return max(resident, traced) / size


def _resident_peak() -> int:
    scale = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * scale


if __name__ == "__main__":
    print(growth_while_reading(sys.argv[-1]))
