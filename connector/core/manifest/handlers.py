"""What handlers are made of: the typed Python faces of actions and triggers, and of what the service answers.

A handler names the inputs of its manifest with their types, and what comes of it. It restates no rule: whatever it
holds goes through the same checks as every other call. Amounts, days and so on are read by the converters of all faces.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Generic, Self, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    ModelWrapValidatorHandler,
    PlainValidator,
    ValidationError,
    ValidationInfo,
    model_validator,
)

from connector.core.data import localize
from connector.core.manifest import converters
from connector.core.messages import say
from connector.core.problems import Problem
from connector.core.values.written_dates import read_day, read_instant

Output = TypeVar("Output", covariant=True)
Item = TypeVar("Item")
ABSENT: Any = None
"""What a field holds that an answer does not have, whatever its described type."""


def _read_amount(value: Any) -> Decimal:
    """Return an amount of money, or raise `Problem`; its currency is another value."""
    number, unit = converters.measured(value)
    if unit:
        raise Problem("number.no_currency", written=unit)
    return number


def _reading(read: Callable[[Any], Any]) -> PlainValidator:
    """Return a converter as pydantic calls it; what does not fit is told in the user's language."""

    def validate(value: Any, info: ValidationInfo) -> Any:
        try:
            return read(value)
        except Problem as problem:
            values = {"field": info.field_name, **localize.blanks(problem.values)}
            raise ValueError(str(say(problem.name, **values))) from None

    return PlainValidator(validate)


Amount = Annotated[Decimal, _reading(_read_amount)]
Ratio = Annotated[Decimal, _reading(converters.read_ratio)]
Whole = Annotated[int, _reading(converters.read_whole)]
Flag = Annotated[bool, _reading(converters.read_flag)]
Day = Annotated[date, _reading(read_day)]
Moment = Annotated[datetime, _reading(lambda value: read_instant(value)[0])]


class Inputs(BaseModel):
    """Named values that a call is made with."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Handler(Inputs):
    """An action or a trigger with its inputs."""

    manifest_id: ClassVar[str]

    def given_inputs(self) -> dict[str, Any]:
        """Return the inputs that were given, by their names."""
        return self.model_dump(exclude_unset=True)

    @classmethod
    def output_type(cls) -> Any:
        """Return the type of what comes of it."""
        generic = (
            ancestor.__pydantic_generic_metadata__["args"] for ancestor in cls.__mro__ if issubclass(ancestor, Handler)
        )
        return next(args[0] for args in generic if args)


class Action(Handler, Generic[Output]):
    """An action with its inputs; `run` of a session returns its output."""


class Trigger(Handler, Generic[Output]):
    """A trigger with its inputs; `watch` of a session returns its items."""


class Resource(BaseModel):
    """Something that the service answers with; what nobody described is kept in `model_extra`."""

    model_config = ConfigDict(extra="allow", frozen=True, coerce_numbers_to_str=True)

    @model_validator(mode="wrap")
    @classmethod
    def _as_it_came(cls, value: Any, read: ModelWrapValidatorHandler[Self]) -> Self:
        """Leave what does not fit its description as it came: an answer is never lost to a type."""
        try:
            return read(value)
        except ValidationError as error:
            if not isinstance(value, Mapping):
                raise
            names = {problem["loc"][0] for problem in error.errors()}
            resource = read({name: cell for name, cell in value.items() if name not in names})
            resource.__dict__.update({name: cell for name, cell in value.items() if name in names})
            return resource


class Listed(Resource, Generic[Item]):
    """A list that the service answers with."""

    items: list[Item] = ABSENT
