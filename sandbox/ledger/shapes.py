"""Between JSON and typed data: a body read into a checked shape, a shape turned into plain JSON with exact amounts."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, TypeVar

import msgspec

from sandbox.errors import ServiceError

Shape = TypeVar("Shape", bound=msgspec.Struct)


def read_body(body: Any, shape: type[Shape]) -> Shape:
    """The body as the shape says, or a refusal that names the field."""
    if not isinstance(body, dict):
        raise ServiceError(400, "a JSON object is required as body")
    try:
        # Decimal as a builtin: an amount must be a JSON number, a text with digits is refused.
        return msgspec.convert(body, shape, builtin_types=(Decimal,))
    except msgspec.ValidationError as problem:
        raise ServiceError(400, str(problem).replace("`$.", "`")) from None


def as_json(value: Any) -> Any:
    """Plain JSON values; dates become ISO text, amounts stay Decimal."""
    return msgspec.to_builtins(value, builtin_types=(Decimal,))


def given(value: Any, nullable: frozenset[str] = frozenset()) -> Any:
    """JSON values without the nulls: only what is described as nullable is ever null."""
    if isinstance(value, dict):
        return {name: given(item, nullable) for name, item in value.items() if item is not None or name in nullable}
    return [given(item, nullable) for item in value] if isinstance(value, list) else value
