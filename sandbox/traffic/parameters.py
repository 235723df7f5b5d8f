"""Parses query parameters and body properties; errors name the parameter."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from connector.sandbox.traffic.http_messages import ServiceError

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_MAX_ID_LENGTH = 100


def text_of(query: Mapping[str, str], name: str | None) -> str | None:
    """Return a parameter's text, or None if it is empty, missing or not supported (no `name`)."""
    return (query.get(name) or None) if name else None


def date_of(query: Mapping[str, str], name: str | None) -> date | None:
    text = text_of(query, name)
    if text is None:
        return None
    try:
        if not _DATE.fullmatch(text):
            raise ValueError(text)
        return date.fromisoformat(text)
    except ValueError:
        raise ServiceError(400, f"Parameter {name} must be a date in the form YYYY-MM-DD.") from None


def number_of(query: Mapping[str, str], name: str | None) -> int | None:
    """Parse an id or count: digits only, of any size."""
    text = text_of(query, name)
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= _MAX_ID_LENGTH):
        raise ServiceError(400, f"Parameter {name} must be numeric.")
    return int(text)


def flag_of(query: Mapping[str, str], name: str | None) -> bool:
    text = text_of(query, name)
    if text not in (None, "true", "false", "1", "0"):
        raise ServiceError(400, f"Parameter {name} must be true or false.")
    return text in ("true", "1")


def choice_of(query: Mapping[str, str], name: str | None, choices: Sequence[str]) -> str | None:
    text = text_of(query, name)
    if text is not None and text not in choices:
        raise ServiceError(400, f"Parameter {name} must be one of {', '.join(choices)}.")
    return text


def object_of(body: Any) -> dict[str, Any]:
    if not isinstance(body, dict):
        raise ServiceError(400, "The request body must be a JSON object.")
    return body


def string_in(body: Mapping[str, Any], name: str | None, *, default: str | None = None, max_length: int = 2000) -> str:
    """Return a text property; without a `default` it is required."""
    value = body.get(name) if name else None
    if value is None or value == "":
        if default is None:
            raise ServiceError(400, f"Required property {name} is missing.")
        return default
    if not isinstance(value, str) or len(value) > max_length:
        raise ServiceError(400, f"Property {name} must be a text of at most {max_length} characters.")
    return value
