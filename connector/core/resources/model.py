"""What all resources have in common: they read whatever the service sends, lose none of it, and crash on none of it.

The rules, for every model in this package:
- Any field may be missing, so every attribute may be None. A missing field stays missing in `dump`.
- `X | None` is a field that the service describes as nullable. `Given[X]` is one that it does not: its JSON Schema
  excludes null, and a null in it is a surprise (see below).
- A field nobody described is kept under its name and dumped again.
- A described field whose value does not fit is a surprise: its attribute is None, the value is kept and dumped as it
  came, and `surprises` names it. The rest of the resource is read as usual.
- Values outside a described set are ordinary text: a new status is no error.
- Amounts are `Decimal`, dates and date-times stay the service's text (`connector.core.values.dates` reads them).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, TypeVar, cast, get_args

from pydantic import BaseModel, ConfigDict, GetJsonSchemaHandler, ValidationError
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from connector.core.values.money import Money
from connector.core.values.wire_type import Text

_T = TypeVar("_T")
_Model = TypeVar("_Model", bound="Resource")
Path = tuple[str | int, ...]


class _NeverNull:
    """Takes null out of the JSON Schema. A null that comes all the same is read, and counts as a surprise."""

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        described = handler(schema)
        choices = [choice for choice in described.get("anyOf", [described]) if choice != {"type": "null"}]
        return choices[0] if len(choices) == 1 else {**described, "anyOf": choices}


_NEVER_NULL = _NeverNull()
Given = Annotated[_T | None, _NEVER_NULL]
"""A field that is never null when it is there, by its description."""

Number = Money
"""Days, percentages and the like are read as exactly as amounts."""

UriText = Annotated[str, Text({"type": "string", "format": "uri"})]
"""An address, kept as it was written."""


@dataclass(frozen=True, slots=True)
class Known:
    """Names the values described for a text field, without closing the set."""

    values: tuple[str, ...]

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {"anyOf": [{"type": "string", "enum": list(self.values)}, {"type": "string"}]}


def known_values(model: type[Resource], name: str) -> tuple[str, ...]:
    """The values described for a field; empty when any text is."""
    for choice in get_args(model.model_fields[name].annotation):
        for mark in getattr(choice, "__metadata__", ()):
            if isinstance(mark, Known):
                return mark.values
    return ()


def _tidy(schema: dict[str, Any], model: type[Any]) -> None:
    """The None that stands for a missing attribute is no default of the wire, and names need no second spelling."""
    for field in schema.get("properties", {}).values():
        field.pop("default", None)
        field.pop("title", None)
    if model.required_by_the_service:
        schema["required"] = list(model.required_by_the_service)


class Resource(BaseModel):
    """One object of the service, with exactly the service's field names."""

    model_config = ConfigDict(
        extra="allow", strict=True, frozen=True, protected_namespaces=(), json_schema_extra=cast(Any, _tidy)
    )

    required_by_the_service: ClassVar[tuple[str, ...]] = ()
    """Fields that the description calls required: their place is the JSON Schema, reading does without them."""

    def dump(self) -> dict[str, Any]:
        """What was read, as plain JSON values with amounts as `Decimal`: made for `core.values.json.encode`."""
        return self.model_dump(exclude_unset=True, warnings=False)


def read(model: type[_Model], value: Any) -> _Model:
    """Read one resource. Raises `ValueError` only when the value is no JSON object at all."""
    try:
        return model.model_validate(value)
    except ValidationError as refused:
        if not isinstance(value, Mapping):
            raise ValueError(f"expected an object with the fields of {model.__name__}") from None
        return _read_around(model, value, refused)


def surprises(resource: Resource) -> Iterator[tuple[Path, Any]]:
    """Where described fields carried values that do not fit, and which."""
    for name, value in (resource.model_extra or {}).items():
        if name in type(resource).model_fields:
            yield (name,), value
    for name, field in type(resource).model_fields.items():
        inner = getattr(resource, name)
        if isinstance(inner, Resource):
            yield from (((name, *path), value) for path, value in surprises(inner))
        elif isinstance(inner, list):
            for place, item in enumerate(inner):
                if isinstance(item, Resource):
                    yield from (((name, place, *path), value) for path, value in surprises(item))
        elif inner is None and name in resource.model_fields_set and _NEVER_NULL in field.metadata:
            yield (name,), None


def _read_around(model: type[_Model], value: Mapping[str, Any], refused: ValidationError) -> _Model:
    """Read without the fields that do not fit, then put these beside the others as if they were unknown."""
    misfits = {_field_at(value, error["loc"]) for error in refused.errors(include_url=False, include_context=False)}
    rest, kept = _without(value, (), misfits)
    # Only named fields can be refused, so without the refused ones everything fits.
    resource = model.model_validate(rest)
    for path, misfit in kept:
        owner: Any = resource
        for step in path[:-1]:
            owner = owner[step] if isinstance(step, int) else getattr(owner, step)
        owner.model_extra[path[-1]] = misfit
    return resource


def _field_at(value: Any, location: Path) -> Path:
    """The path to the innermost named field on the way to an error."""
    field: Path = ()
    for depth, step in enumerate(location, start=1):
        if isinstance(value, Mapping) and step in value:
            field = location[:depth]
            value = value[cast(str, step)]
        elif isinstance(value, list) and isinstance(step, int):
            value = value[step]
        else:
            break
    return field


def _without(value: Any, at: Path, misfits: set[Path]) -> tuple[Any, list[tuple[Path, Any]]]:
    """A copy without the misfits, and the misfits with their places."""
    kept: list[tuple[Path, Any]] = []
    if isinstance(value, Mapping):
        rest: dict[str, Any] = {}
        for name, inner in value.items():
            if (*at, name) in misfits:
                kept.append(((*at, name), inner))
            else:
                rest[name], below = _without(inner, (*at, name), misfits)
                kept += below
        return rest, kept
    if isinstance(value, list):
        pairs = [_without(inner, (*at, place), misfits) for place, inner in enumerate(value)]
        return [item for item, _ in pairs], [misfit for _, below in pairs for misfit in below]
    return value, kept
