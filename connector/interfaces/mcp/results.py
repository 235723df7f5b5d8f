"""Converts results and errors to MCP tool results: exact JSON as text, and structured content."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from mcp_types import CallToolResult, TextContent

from connector.core.errors import KontorError
from connector.core.service.credential import redact
from connector.core.values import json


def success_result(document: Mapping[str, Any], *notes: str) -> CallToolResult:
    """Return the result of a successful call, with notes to read beside it."""
    texts = (json.encode(document).decode(), *notes)
    return CallToolResult(content=[_text(text) for text in texts], structured_content=to_json_types(document))


def error_result(error: KontorError, lang: str, secret: str = "", **more: Any) -> CallToolResult:
    """Return the result of a failed call: message and remedy as text, the error as structured content."""
    document = redact({"ok": False, "error": error.as_dict(lang), **more}, secret)
    parts = [document["error"]["message"], document["error"]["remedy"][lang], document["error"]["reconnect_url"]]
    if error.field:
        parts[0] = f"{error.field}: {parts[0]}"
    parts += [json.encode(value).decode() for value in (document[name] for name in more)]
    return CallToolResult(
        content=[_text("\n".join(part for part in parts if part))],
        structured_content=to_json_types(document),
        is_error=True,
    )


def to_json_types(value: Any) -> Any:
    """Convert to JSON types for MCP's encoder, which has no Decimal; what a double cannot hold becomes text."""
    if isinstance(value, Decimal):
        if value == value.to_integral_value() and abs(value) < 2**53 and value.as_tuple().exponent == 0:
            return int(value)
        as_float = float(value)
        return as_float if Decimal(repr(as_float)) == value else f"{value:f}"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 2**53:
        return str(value)
    if isinstance(value, Mapping):
        return {str(name): to_json_types(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_json_types(item) for item in value]
    return value.isoformat() if isinstance(value, date | datetime) else value


def _text(text: str) -> TextContent:
    return TextContent(type="text", text=text)
