"""Encodes a value as a JSON response, with exact decimals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from connector.core.values import json


def json_response(
    value: Any,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    *,
    content_type: str = "application/json",
) -> Response:
    """Return a JSON response; the value comes from Kontor itself and is not validated again."""
    return Response(json.encode_clean(value), status, dict(headers) if headers else None, media_type=content_type)
