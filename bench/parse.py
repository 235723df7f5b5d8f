"""Ten thousand transactions through the client, exact to the digit, against bare httpx and pydantic's JSON reader.

`speed_ratio`   our throughput divided by that of a bare GET + `validate_json` of a model with the same fields (which is
                exact to 15 digits only); higher is better
`memory_ratio`  growth of the process's peak memory from before the GET until all were read, divided by the size of the
                body; lower is better
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

from bench.servers import constant_server
from bench.transaction_page import COUNT, body_of
from connector.client import Call, Client, KeyState
from connector.core.service.credential import Credential

RUNS = 7
PATH = "/v2/banking/transactions"
QUERY = {"connection_id": "4711", "sort": "id"}


def read_by_us(client: Client) -> int:
    """Request the list and read it item by item into the same model, without keeping them."""
    from connector.core.values.json import decode_items

    reply = client.call(Call("GET", PATH, QUERY, cost=1, keep_raw=True))
    read = _adapter().validate_python
    return sum(1 for item in decode_items(reply.body) if read(item) is not None)


def read_barely(http: httpx.Client, url: str) -> int:
    """The same with httpx alone, and the whole answer in one call of pydantic's."""
    body = http.get(f"{url}{PATH}", params=QUERY, headers={"x-api-key": "bench-key"}).content
    return len(_list_adapter().validate_json(body)["data"])


@lru_cache(maxsize=1)
def _adapter() -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(_transaction())


@lru_cache(maxsize=1)
def _list_adapter() -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(dict[str, list[_transaction()]])  # type: ignore[misc]


@lru_cache(maxsize=1)
def _transaction() -> Any:
    from connector.core.manifest.load import library

    return _model("Transaction", library()["resources"])


def _model(name: str, resources: Any) -> Any:
    """A pydantic model with the fields of a declared resource."""
    from pydantic import ConfigDict, create_model

    from connector.core.manifest.resource_schema import fields_of

    plain = {"number": Decimal, "integer": int, "boolean": bool}
    fields: dict[str, Any] = {
        field: ((_model(one.name, resources) if one.is_resource else plain.get(one.name, str)) | None, None)
        for field, one in fields_of(name, resources).items()
    }
    return create_model(name, __config__=ConfigDict(extra="allow"), **fields)


def speed_ratio(runs: int = RUNS) -> float:
    """Median over pairs of runs that stand next to each other in time, so that a busy machine slows both alike."""
    with constant_server.running() as url, _client(url) as client, httpx.Client(trust_env=False) as http:
        readers: list[Callable[[], int]] = [lambda: read_barely(http, url), lambda: read_by_us(client)]
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
    """Measured in a process of its own, whose peak nothing else has raised before."""
    with constant_server.running() as url:
        command = [sys.executable, "-m", "bench.parse", "--memory", url]
        return float(subprocess.run(command, capture_output=True, check=True).stdout)


def growth_while_reading(url: str) -> float:
    """Growth in bodies: of the resident peak or of what Python allocated, whichever is more.

    The two blind spots differ: the resident peak does not grow where freed memory is used again, and the allocation
    trace does not see what compiled code takes for itself.
    """
    with _client(url) as client:
        client.call(Call("GET", "/v2/warm"))
        size = len(body_of())
        gc.collect()
        before = _resident_peak()
        read_by_us(client)
        resident = _resident_peak() - before
        tracemalloc.start()
        read_by_us(client)
        _, traced = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    return max(resident, traced) / size


def _resident_peak() -> int:
    scale = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * scale


if __name__ == "__main__":
    print(growth_while_reading(sys.argv[-1]))
