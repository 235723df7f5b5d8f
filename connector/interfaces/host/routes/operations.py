"""The routes of all operations that have a function: reads the inputs, carries the operation out, and answers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, get_args

from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from connector.core.messages import Text, say
from connector.core.service.credential import Credential
from connector.durable.context import JobContext
from connector.interfaces.host.callers import caller_from_headers, key_missing
from connector.interfaces.host.endpoint import NO_STORE, actor_of, route
from connector.interfaces.host.responses import json_response
from connector.interfaces.host.routes.request_parsing import KIND_NAMES, idempotency_key, read_document
from connector.interfaces.host.services import HostServices
from connector.operations.operation import API_KEY, BadRequest, Operation
from connector.operations.people import check_workspace
from connector.operations.table import OPERATIONS
from connector.runtime.session import AsyncSession

KINDS: Mapping[str, type] = {
    "dict_type": dict,
    "string_type": str,
    "datetime_type": str,
    "bool_type": bool,
    "int_type": int,
}
"""What should have been given, by pydantic's name of the error."""


class RequestAccess:
    """What the token and the API key of a request open."""

    def __init__(self, services: HostServices, request: Request) -> None:
        self._services, self._request = services, request

    @property
    def context(self) -> JobContext:
        """The engine's context."""
        return self._services.state.context

    @property
    def sandboxed(self) -> bool:
        """Whether the host uses the sandbox."""
        return self._services.state.sandboxed

    @asynccontextmanager
    async def session(self, *, calls_service: bool = False) -> AsyncIterator[AsyncSession]:
        """Yield the session of the request's API key; what calls the service waits for its turn."""
        caller = await self._services.caller(self._request)
        async with self._services.sessions.acquire(caller, wait_for_slot=calls_service) as session:
            yield session

    async def workspace(self) -> str:
        """Return the workspace whose stored objects the request may see."""
        return await self._services.workspace(self._request)

    def credential(self, api_key: str) -> Credential:
        """Return a credential with this API key, and with the base URL and label of the request."""
        settings = self._services.state.settings
        return caller_from_headers(self._request.headers, settings)._replace(api_key=api_key).credential(settings)


class OperationRoutes:
    """One route for each operation of the table that has a function."""

    def __init__(self, services: HostServices) -> None:
        self._services = services

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            route(operation, partial(self._respond, operation))
            for operation in OPERATIONS
            if operation.function is not None
        ]

    async def _respond(self, operation: Operation[...], request: Request) -> Response:
        if any(input.name == "workspace" for input in operation.placed("query")):
            check_workspace(actor_of(request), request.query_params.get("workspace") or None)
        inputs = await self._read_inputs(operation, request)
        document = await operation.carry_out(RequestAccess(self._services, request), actor_of(request), inputs)
        if operation.method != "GET":  # a token or a key may have changed
            self._services.callers.forget()
            self._services.state.tokens.forget()
        headers = {**NO_STORE} if operation.no_store else {}
        if operation.location:
            headers["location"] = operation.location.format_map(document)
        return json_response(document, operation.status, headers)

    async def _read_inputs(self, operation: Operation[...], request: Request) -> dict[str, Any]:
        """Return the validated inputs of a request; those that were left out are absent."""
        given: dict[str, Any] = dict(request.path_params)
        for input in operation.placed("header"):
            given[input.name] = self._header(input.sent_as, request)
        given |= _query(operation, request)
        if operation.placed("body"):
            given |= _named(await read_document(request), {input.name for input in operation.placed("body")})
        for input in operation.placed("whole body"):
            given[input.name] = await read_document(request)
        return validated(operation, {name: value for name, value in given.items() if value is not None})

    def _header(self, name: str, request: Request) -> str | None:
        if name != API_KEY:
            return idempotency_key(request)
        api_key = caller_from_headers(request.headers, self._services.state.settings).api_key
        if not api_key:
            raise key_missing()
        return api_key


def _query(operation: Operation[...], request: Request) -> dict[str, str]:
    """Return the parameters of the query; an empty one counts as absent."""
    names = {input.name for input in operation.placed("query")}
    if operation.strict_query:
        _named(request.query_params, names)
    return {name: value for name in names if (value := request.query_params.get(name))}


def _named(given: Mapping[str, Any], names: set[str]) -> Mapping[str, Any]:
    """Return what was given; raise when there is an unknown name."""
    unknown = next((name[:64] for name in given if name not in names), None)
    if unknown is not None:
        raise BadRequest(say("host_field_unknown", name=unknown), field=unknown)
    return given


def validated(operation: Operation[...], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return inputs of the right types; raise an error that names the first wrong one."""
    try:
        model = operation.model.model_validate(given)
    except ValidationError as invalid:
        error = invalid.errors(include_url=False)[0]
        name = str(error["loc"][0])
        raise BadRequest(_message(operation, name, error), field=name) from None
    return {name: getattr(model, name) for name in model.model_fields_set}


def _message(operation: Operation[...], name: str, error: Mapping[str, Any]) -> Text:
    match error["type"]:
        case "missing":
            return say("host_field_missing", name=name)
        case "literal_error":
            return say("host_field_choice", name=name, choices=", ".join(_choices(operation, name)))
        case "value_error":  # a validator names its message
            return say(str(error["ctx"]["error"]))
        case kind:
            return say("host_field_wrong", name=name, kind=say(KIND_NAMES[KINDS[kind]]))


def _choices(operation: Operation[...], name: str) -> list[str]:
    """The values of a choice that may be left out."""
    annotation = operation.model.model_fields[name].annotation
    return [str(value) for part in get_args(annotation) for value in get_args(part)]
