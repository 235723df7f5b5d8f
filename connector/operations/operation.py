"""The type of an operation: who may do it, its method and path, what it takes and gives, and the function that does it.

A function takes the engine's context and the actor (None: the owner of this machine), `access` where it needs the
caller's API key or workspace, and its inputs by name. Their types say what is valid; `In` says where they travel.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Annotated, Any, ClassVar, Generic, Literal, NamedTuple, ParamSpec, Protocol, get_type_hints

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, create_model

from connector.core.callers import Role
from connector.core.errors import InputError, KontorError, Outcome
from connector.core.messages import Text, say
from connector.core.service.credential import Credential
from connector.durable.context import JobContext
from connector.runtime.session import AsyncSession

P = ParamSpec("P")
Document = dict[str, Any]
Place = Literal["path", "query", "header", "body", "whole body"]
GIVEN = ("context", "actor", "access")
"""Parameters of a function that are no inputs."""
API_KEY = "x-api-key"
"""The header that carries the service's API key."""


class HostError(KontorError):
    """A request that was rejected before the service was called; each class has an HTTP status."""

    http_status: ClassVar[int] = 400
    default_outcome: ClassVar[Outcome] = "not_sent"


class Conflict(HostError):
    """The request conflicts with the current state."""

    kind = "conflict"
    http_status = 409


class BadRequest(InputError):
    """The request cannot be parsed, as opposed to an input that violates its manifest."""

    http_status: ClassVar[int] = 400

    def __init__(self, message: Text, *, remedy: Text | None = None, field: str | None = None) -> None:
        super().__init__(message, remedy=remedy or say("host_body_remedy"), field=field)


class WebhookKeeper(Protocol):
    """Whatever knows the context of a host and whether it works with the sandbox."""

    @property
    def context(self) -> JobContext:
        """The engine's context."""

    @property
    def sandboxed(self) -> bool:
        """Whether the sandbox stands in for the service."""


class Access(WebhookKeeper, Protocol):
    """What the caller's token and API key open; each face knows its own way."""

    def session(self, *, calls_service: bool = False) -> AbstractAsyncContextManager[AsyncSession]:
        """Open a session with the caller's API key."""

    async def workspace(self) -> str | None:
        """Return the workspace whose stored objects the caller may see; None: all of them."""

    def credential(self, api_key: str) -> Credential:
        """Return a credential with this API key, and with the caller's base URL and label."""


class Answer(BaseModel):
    """What an operation returns; the base of all."""

    model_config = ConfigDict(extra="forbid", defer_build=True)


class Ok(Answer):
    """A success."""

    ok: Literal[True]


class In(NamedTuple):
    """Where an input travels, if not in the path, in the query of GET and DELETE, or in the body of the others."""

    place: Place
    name: str = ""
    """Of a header."""
    model: type[BaseModel] | None = None
    """What describes a whole body that the function reads itself."""


class Input(NamedTuple):
    """An input of an operation, as the signature of its function says."""

    name: str
    place: Place
    sent_as: str
    """Its name in the request."""
    type: Any
    model: type[BaseModel] | None
    default: Any
    """`inspect.Parameter.empty` where it is required."""

    @property
    def required(self) -> bool:
        """Whether it must be given."""
        return self.default is inspect.Parameter.empty


@dataclass(frozen=True, eq=False)
class Operation(Generic[P]):
    """One thing that can be asked of a host; called as its function is."""

    address: str
    """Method and path, with a blank between."""
    role: Role | None
    """The role that it needs; None: open to everybody."""
    result: type[BaseModel] | None
    """None: no JSON document."""
    name: str
    summary: str
    function: Callable[P, Awaitable[Document]] | None = None
    """None: a route of the host does it, because it answers in a form of its own."""
    status: int = 200
    """The HTTP status of a success."""
    host_wide: bool = False
    """Whether it concerns all workspaces, so that a token of one does not do."""
    no_store: bool = False
    """Whether the answer must not be cached: it shows a secret, or is never the same."""
    location: str = ""
    """The address of what was created, with blanks for fields of the answer."""
    strict_query: bool = False
    """Whether an unknown query parameter is refused: a misspelt filter would show too much."""
    needs_key: bool = False
    """Whether it works with the service's API key: the request's, or the one that the workspace holds."""
    conflicts: bool = False
    """Whether the state of its subject may forbid it."""

    def at(self, address: str, name: str) -> Operation[P]:
        """Return the same operation at a further address."""
        return replace(self, address=address, name=name)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Awaitable[Document]:
        """Carry it out."""
        assert self.function is not None, self.name
        return self.function(*args, **kwargs)

    @property
    def method(self) -> str:
        """The HTTP method."""
        return self.address.partition(" ")[0]

    @property
    def path(self) -> str:
        """The path, with its parameters in braces."""
        return self.address.partition(" ")[2]

    @cached_property
    def inputs(self) -> tuple[Input, ...]:
        """What it takes."""
        if self.function is None:
            return tuple(Input(name, "path", name, str, None, inspect.Parameter.empty) for name in self.path_names)
        hints = get_type_hints(self.function, include_extras=True)
        parameters = inspect.signature(self.function).parameters.values()
        return tuple(
            self._input(parameter, hints[parameter.name]) for parameter in parameters if parameter.name not in GIVEN
        )

    def _input(self, parameter: inspect.Parameter, type: Any) -> Input:
        said = next((note for note in getattr(type, "__metadata__", ()) if isinstance(note, In)), None)
        place: Place = "query" if self.method in {"GET", "DELETE"} else "body"
        if parameter.name in self.path_names:
            place = "path"
        elif said is not None:
            place = said.place
        sent_as = said.name if said is not None and said.name else parameter.name
        return Input(parameter.name, place, sent_as, type, said.model if said else None, parameter.default)

    @property
    def path_names(self) -> list[str]:
        """The names of the parameters in its path."""
        return re.findall(r"\{(\w+)\}", self.path)

    def placed(self, *places: Place) -> list[Input]:
        """Return the inputs that travel there."""
        return [input for input in self.inputs if input.place in places]

    @cached_property
    def model(self) -> type[BaseModel]:
        """The model of its inputs; a number is no text, and an unknown name is refused."""
        fields = {input.name: (input.type, ... if input.required else input.default) for input in self.inputs}
        config = ConfigDict(extra="forbid", strict=True, arbitrary_types_allowed=True)
        model: type[BaseModel] = create_model(self.name, __config__=config, **fields)  # type: ignore[call-overload]
        return model

    @cached_property
    def needs_access(self) -> bool:
        """Whether it works with the caller's API key, or in its workspace."""
        return self.function is not None and "access" in inspect.signature(self.function).parameters

    async def carry_out(self, access: Access, actor: Any, inputs: Mapping[str, Any]) -> Document:
        """Do it, and return the document that every face shows."""
        function: Callable[..., Awaitable[Document]] | None = self.function
        assert function is not None, self.name
        given = {"access": access} if self.needs_access else {}
        return await function(context=access.context, actor=actor, **given, **inputs)


def operation(
    address: str, role: Role | None, result: type[BaseModel], **settings: Any
) -> Callable[[Callable[P, Awaitable[Document]]], Operation[P]]:
    """Make an operation of a function; the first line of its docstring is the summary."""

    def decorate(function: Callable[P, Awaitable[Document]]) -> Operation[P]:
        summary = (function.__doc__ or "").partition("\n")[0].removesuffix(".")
        return Operation(address, role, result, function.__name__, summary, function, **settings)

    return decorate


def ok(name: str, /, **fields: Any) -> type[BaseModel]:
    """Return the model of a success with these fields: the type of each, and its default where it has one."""
    given: dict[str, Any] = {field: kind if isinstance(kind, tuple) else (kind, ...) for field, kind in fields.items()}
    return create_model(name, __base__=Ok, **given)


def _moment(value: Any) -> Any:
    """Read a point in time; without a zone it is UTC."""
    if not isinstance(value, str):
        return value
    try:
        moment = datetime.fromisoformat(value)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError("host_time_invalid") from None


Moment = Annotated[datetime, BeforeValidator(_moment), WithJsonSchema({"type": "string"})]
Workspace = Annotated[str | None, In("query"), Field(description="Which workspace; a token of one manages its own.")]
ApiKey = Annotated[str, In("header", API_KEY)]
Amount = Annotated[Any, WithJsonSchema({"type": "number"})]
Count = Annotated[int, WithJsonSchema({"type": "integer", "minimum": 0})]
LEFT_OUT: Any = None
"""The default of a field that an answer may leave out."""
Free = Annotated[dict[str, Any], WithJsonSchema({"type": "object"})]
"""An object of any form."""
