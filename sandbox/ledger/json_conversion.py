"""Converts JSON bodies to structs and structs to JSON, with exact amounts."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, TypeVar

import msgspec

from connector.sandbox.errors import ServiceError

T = TypeVar("T", bound=msgspec.Struct)


def parse_body(body: Any, kind: type[T]) -> T:
    """Convert a body to a struct, or raise an error that names the field."""
    if not isinstance(body, dict):
        raise ServiceError(400, "a JSON object is required as body")
    try:
        # Decimal as a builtin type: an amount must be a JSON number, not text.
        return msgspec.convert(body, kind, builtin_types=(Decimal,))
    except msgspec.ValidationError as problem:
        raise ServiceError(400, str(problem).replace("`$.", "`")) from None


def to_json(value: Any) -> Any:
    """Convert to JSON values; dates become ISO text, amounts stay Decimal."""
    return msgspec.to_builtins(value, builtin_types=(Decimal,))


def without_nulls(value: Any, nullable: frozenset[str] = frozenset()) -> Any:
    """Remove nulls from fields that are not described as nullable."""
    if isinstance(value, dict):
        return {
            name: without_nulls(item, nullable) for name, item in value.items() if item is not None or name in nullable
        }
    return [without_nulls(item, nullable) for item in value] if isinstance(value, list) else value
