"""Turns results and errors into what an MCP client gets: exact JSON as text, and the same as structured content."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from mcp_types import CallToolResult, TextContent

from connector.core.errors import KontorError
from connector.core.redact import redact
from connector.core.values import json


def answer(document: Mapping[str, Any], secret: str = "") -> CallToolResult:
    """A tool that did what it should."""
    shown = redact(document, secret)
    return CallToolResult(content=[_text(json.encode(shown).decode())], structured_content=plain(shown))


def failure(error: KontorError, lang: str, secret: str = "", **more: Any) -> CallToolResult:
    """A tool that did not: what happened and what to do, in words, with the whole error beside it."""
    document = redact({"ok": False, "error": error.as_dict(lang), **more}, secret)
    parts = [document["error"]["message"], document["error"]["remedy"][lang], document["error"]["reconnect_url"]]
    if error.field:
        parts[0] = f"{error.field}: {parts[0]}"
    parts += [json.encode(value).decode() for value in (document[name] for name in more)]
    return CallToolResult(
        content=[_text("\n".join(part for part in parts if part))], structured_content=plain(document), is_error=True
    )


def plain(value: Any) -> Any:
    """The value as JSON types. MCP's own writer knows no exact numbers: one that a double cannot hold becomes text."""
    if isinstance(value, Decimal):
        if value == value.to_integral_value() and abs(value) < 2**53 and value.as_tuple().exponent == 0:
            return int(value)
        near = float(value)
        return near if Decimal(repr(near)) == value else f"{value:f}"
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value.isoformat() if isinstance(value, date | datetime) else value


def _text(text: str) -> TextContent:
    return TextContent(type="text", text=text)
