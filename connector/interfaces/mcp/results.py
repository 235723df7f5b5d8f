"""Converts results and errors to MCP tool results: exact JSON as text, and structured content."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from mcp_types import CallToolResult, TextContent

from connector.core.errors import KontorError
from connector.core.messages import say
from connector.core.service.credential import redact
from connector.core.values import json
from connector.interfaces.mcp.answer_schema import Schema, fitted
from connector.interfaces.mcp.text_of_others import MARK, marked


def success_result(document: Mapping[str, Any], schema: Schema, lang: str, *notes: str) -> CallToolResult:
    """Return the result of a successful call, with notes to read beside it. The text has everything."""
    fitting = fitted(to_json_types(document), schema)
    texts = [json.encode(document).decode(), *notes]
    if fitting.left_out:
        texts.append(say("mcp_left_out", places=", ".join(fitting.left_out)).in_(lang))
    return CallToolResult(content=[_text(text) for text in texts], structured_content=fitting.document)


def error_result(error: KontorError, lang: str, secret: str = "", **more: Any) -> CallToolResult:
    """Return the result of a failed call: message and remedy as text, the error as structured content."""
    document = redact(marked({"ok": False, "error": error.as_dict(lang), **more}, _places(error, more), lang), secret)
    parts = [document["error"]["message"], document["error"]["remedy"][lang], document["error"]["reconnect_url"]]
    if error.field:
        parts[0] = f"{error.field}: {parts[0]}"
    parts += [json.encode(value).decode() for value in (document[name] for name in more)]
    if MARK in document:
        parts.append(document[MARK]["note"])
    return CallToolResult(
        content=[_text("\n".join(part for part in parts if part))],
        structured_content=to_json_types(document),
        is_error=True,
    )


def _places(error: KontorError, more: Mapping[str, Any]) -> list[str]:
    """Return where an error tells what others have written: the service in its answer, or whoever filled in a run."""
    answered = isinstance(error.details, Mapping) and "status" in error.details
    return [*(["error.message", "error.details"] if answered else []), *(["run.inputs"] if "run" in more else [])]


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
