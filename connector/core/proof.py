"""What an answer to a write proves about it: `manifests/proofs.yaml` has the table, with the sentence behind each row.

`connector/export/node/core/proof.ts` is the other interpreter.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from connector.core.manifest.load import library

ANY_CLIENT_ERROR = "any 4xx"
Told = Literal["not_sent", "refused"]
Basis = Literal["described", "assumed"]


@dataclass(frozen=True, slots=True)
class Proof:
    """What is proven by an answer, and on what ground."""

    told: Told
    basis: Basis


def proof_of(status: int, body: Any, said: str, *, from_limiter: bool, believed: Collection[int]) -> Proof | None:
    """Return what an answer that is no success proves about a write; None when the write may have been made.

    `said` is the service's own message, `from_limiter` whether the rate-limit headers say that nothing is left.
    """
    table = _table()
    holds = body if isinstance(body, Mapping) else {}
    if any(name in holds for name in table["made"]):
        return None
    is_error_body = isinstance(holds.get(table["error"]), str) and bool(holds[table["error"]].strip())
    code = holds.get(table["code"])
    for row in table["rows"]:
        if not _is_among(status, row["status"], believed):
            continue
        if not (from_limiter if row.get("limiter") else is_error_body):
            continue
        if "code" in row and not (isinstance(code, str) and code.startswith(row["code"])):
            continue
        if all(says(name, said) for name in row.get("says", ())):
            return Proof(row["told"], row["proof"])
    return None


def says(pattern: str, message: str) -> bool:
    """Whether the service's message fits a named pattern of the table."""
    return _patterns()[pattern].search(message) is not None


def _is_among(status: int, statuses: list[int] | str, believed: Collection[int]) -> bool:
    if isinstance(statuses, list):
        return status in statuses
    return 400 <= status < 500 if statuses == ANY_CLIENT_ERROR else status in believed


@cache
def _table() -> Mapping[str, Any]:
    found: Mapping[str, Any] = library()["proofs"]
    return found


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    return {name: re.compile(pattern) for name, pattern in _table()["patterns"].items()}
