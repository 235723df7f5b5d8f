"""Metadata for `Annotated` types: how pydantic validates them, and their JSON Schema.

pydantic is imported only when a model that uses such a type is built, so the value modules stay cheap to import.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic.json_schema import JsonSchemaValue
    from pydantic_core import CoreSchema


@dataclass(frozen=True, slots=True, eq=False)  # eq=False: a union of types needs them hashable
class Converted:
    """Validates a value with a function that returns the converted value or raises `ValueError`."""

    convert: Callable[[Any], Any]
    json_schema: Mapping[str, Any]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        from pydantic_core import core_schema

        return core_schema.no_info_plain_validator_function(self.convert)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return dict(self.json_schema)


@dataclass(frozen=True, slots=True, eq=False)  # eq=False: a union of types needs them hashable
class Text:
    """Accepts text unchanged, optionally checked against a pattern."""

    json_schema: Mapping[str, Any]
    pattern: str | None = None
    whole_number: Callable[[Any], str] | None = None
    """Converts an integer to text, or raises `ValueError`; without it, only text is accepted."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        from pydantic_core import core_schema

        text = core_schema.str_schema(strict=True, pattern=self.pattern)
        if self.whole_number is None:
            return text
        # Text first, since it is the usual case and is validated without a call into Python.
        return core_schema.union_schema(
            [text, core_schema.no_info_plain_validator_function(self.whole_number)],
            mode="left_to_right",
            custom_error_type="neither_text_nor_whole_number",
            custom_error_message="Input should be text or a whole number",
        )

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return dict(self.json_schema)
