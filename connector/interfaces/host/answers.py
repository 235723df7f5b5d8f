"""Answers as JSON, with amounts to the digit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from connector.core.values import json

Answer = Response


def answer(
    value: Any,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    *,
    content_type: str = "application/json",
) -> Answer:
    """An answer that carries a JSON value. What Kontor itself has read or made is not checked again."""
    return Response(json.encode_clean(value), status, dict(headers) if headers else None, media_type=content_type)
