"""The operations: one per action, and an internal one per lookup."""

from __future__ import annotations

from typing import Any

from connector.core.manifest.fields import Field
from connector.core.manifest.library import Library
from connector.core.manifest.model import Action, Lookup, Request, Trigger
from connector.export.output_fields import output_fields
from connector.export.power_automate import parameters as forms
from connector.export.power_automate import words
from connector.export.power_automate.dropdowns import dropdown, listing, template
from connector.export.power_automate.names import description, operation_id, summary, virtual_path
from connector.export.power_automate.schemas import Schema, input_schema, must_be_given, named, output_object
from connector.export.service_request import ServiceRequest, service_request
from connector.export.shape import ExportOptions
from connector.runtime.connector import Connector

Operation = dict[str, Any]


def operation(
    manifest: Action | Lookup | Trigger,
    parameters: list[dict[str, Any]],
    answer: Schema,
    lang: str,
    status: str = "200",
) -> Operation:
    """An operation with its words, its parameters and its one success."""
    responses: dict[str, Any] = {status: {"description": words.DONE.in_(lang), "schema": answer}}
    responses |= {code: {"description": text.in_(lang)} for code, text in words.RESPONSES.items()}
    return {
        "operationId": operation_id(manifest),
        "summary": summary(manifest, lang),
        "description": description(manifest, lang),
        "parameters": parameters,
        "responses": responses,
    }


def action_of_service(action: Action, connector: Connector, options: ExportOptions) -> tuple[str, str, Operation]:
    """Path, method and operation of an action that goes to the service."""
    request = service_request(action, options.wire)
    if request is None or action.request is None:
        raise TypeError(f"{action.id} has no path of its own")
    parameters = forms.of_request(action, request, connector, options)
    if request.body:
        parameters.append(_body(request, connector, options))
    path = template(dict(request.paths), request.choice.name) if request.choice else request.path
    made = operation(
        action, parameters, _answer_of_service(action, action.request, connector.library, options.lang), options.lang
    )
    return path, request.method.lower(), made


def action_of_host(action: Action, connector: Connector, options: ExportOptions) -> tuple[str, str, Operation]:
    """The same through a host."""
    lang = options.lang
    inputs = host_inputs(list(action.inputs), "body/inputs/", connector, options)
    body: Schema = {
        "type": "object",
        "required": ["inputs"],
        "properties": {"inputs": {**named(inputs, words.INPUTS, words.INPUTS_HELP, lang)}},
    }
    if action.writes:
        key = named({"type": "string"}, words.KEY, words.KEY_HELP, lang)
        body["properties"]["key"] = {**key, "x-ms-visibility": "advanced"}
    fields = output_object(output_fields(action, connector.library), lang)
    if action.is_list:
        items = named({"type": "array", "items": fields}, words.ITEMS, words.ITEMS_HELP, lang)
        fields = {"type": "object", "properties": {"items": items}}
    answer = {
        "type": "object",
        "properties": {
            "output": named(fields, words.OUTPUT, words.OUTPUT_HELP, lang),
            "credits": _credits(lang),
            "replayed": named({"type": "boolean"}, words.REPLAYED, words.REPLAYED_HELP, lang),
        },
    }
    made = operation(action, [_in_body(body, lang)], answer, lang)
    return f"/v1/actions/{action.id}/run", "post", made


def lookup_operation(lookup: Lookup, connector: Connector, options: ExportOptions) -> tuple[str, str, Operation]:
    """Path, method and operation of a lookup. No person sees it; dropdowns call it."""
    lang = options.lang
    request = service_request(lookup, options.wire)
    parameters: list[dict[str, Any]] = []
    path = virtual_path(lookup)
    if options.via == "host":
        path = f"/v1/lookups/{lookup.id}"
        parameters = [forms.entered(field, field.name, "query", {}, connector, options) for field in lookup.inputs]
    elif request is not None:
        parameters = forms.of_request(lookup, request, connector, options)
        for parameter in parameters:
            if parameter["in"] == "path":  # the script puts it into the real path
                parameter["in"] = "query"
                del parameter["x-ms-url-encoding"]
    for parameter in parameters:
        for form in ("x-ms-dynamic-values", "x-ms-dynamic-list"):
            parameter.pop(form, None)
    made = operation(lookup, parameters, _options_schema(options), lang)
    return path, "get", {**made, "x-ms-visibility": "internal"}


def _options_schema(options: ExportOptions) -> Schema:
    found, lang = listing(options), options.lang
    properties = {
        found.value: named({"type": "string"}, words.VALUE, words.VALUE_HELP, lang),
        found.label: named({"type": "string"}, words.LABEL, words.LABEL_HELP, lang),
    }
    entries: Schema = {"type": "array", "items": {"type": "object", "properties": properties}}
    shown = named(entries, words.OPTIONS, words.OPTIONS_HELP, lang)
    return {"type": "object", "properties": {found.collection: shown}}


def _answer_of_service(action: Action, request: Request, library: Library, lang: str) -> Schema:
    """The answer in the service's own envelope, which nothing takes off on the way."""
    kept = action.shape.get("keep", ())
    fields = output_fields(action, library)
    inner = output_object((field for field in fields if field.name not in kept), lang)
    if "entries" in action.shape:  # their names are known only when they come
        inner = {"type": "object"}
    elif action.is_list:
        inner = {"type": "array", "items": inner}
    if request.answer_in == "body":
        return inner
    label = (words.ITEMS, words.ITEMS_HELP) if action.is_list else (words.OUTPUT, words.OUTPUT_HELP)
    beside = output_object((field for field in fields if field.name in kept), lang)
    return {"type": "object", "properties": {request.answer_in: named(inner, *label, lang), **beside["properties"]}}


def _body(request: ServiceRequest, connector: Connector, options: ExportOptions) -> dict[str, Any]:
    places = forms.places(request)
    properties = {
        placed.name: {
            **input_schema(placed.field, options.lang),
            **dropdown(placed.field, places, connector, options),
        }
        for placed in request.body
    }
    schema: Schema = {"type": "object", "properties": properties}
    required = [placed.name for placed in request.body if must_be_given(placed.field)]
    return _in_body({**schema, "required": required} if required else schema, options.lang)


def _in_body(schema: Schema, lang: str) -> dict[str, Any]:
    return {
        "name": "body",
        "in": "body",
        "required": bool(schema.get("required")),
        "schema": schema,
        "x-ms-summary": words.BODY.in_(lang),
        "description": words.BODY_HELP.in_(lang),
    }


def host_inputs(fields: list[Field], under: str, connector: Connector, options: ExportOptions) -> Schema:
    """Inputs as the host takes them, with their dropdowns."""
    shown = [field for field in fields if not field.internal]
    places = {field.name: f"{under}{field.name}" for field in shown}
    properties = {
        field.name: {**input_schema(field, options.lang), **dropdown(field, places, connector, options)}
        for field in shown
    }
    required = [field.name for field in shown if must_be_given(field)]
    made: Schema = {"type": "object", "properties": properties}
    return {**made, "required": required} if required else made


def _credits(lang: str) -> Schema:
    parts = {
        "cost": named({"type": "number"}, words.COST, words.COST_HELP, lang),
        "balance": named({"type": "number"}, words.BALANCE, words.BALANCE_HELP, lang),
    }
    return named({"type": "object", "properties": parts}, words.CREDITS, words.CREDITS_HELP, lang)
