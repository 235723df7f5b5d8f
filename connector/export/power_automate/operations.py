"""The operations: one per action, and an internal one per lookup."""

from __future__ import annotations

from typing import Any

from connector.core.data.fields import Field
from connector.core.manifest.library import Library
from connector.core.manifest.model import Action, Lookup, Request, Trigger
from connector.core.manifest.output_fields import output_fields
from connector.core.messages import say
from connector.export.power_automate import parameters as forms
from connector.export.power_automate.dropdowns import dropdown, listing, template
from connector.export.power_automate.names import description, operation_id, summary, virtual_path
from connector.export.power_automate.schemas import Schema, input_schema, must_be_given, named, output_object
from connector.export.service_request import ServiceRequest, service_request
from connector.export.shape import ExportOptions
from connector.export.unexpressed import duplicates
from connector.runtime.connector import Connector

Operation = dict[str, Any]
REFUSALS = ("400", "401", "403", "404", "429")


def operation(
    manifest: Action | Lookup | Trigger,
    parameters: list[dict[str, Any]],
    answer: Schema,
    lang: str,
    status: str = "200",
) -> Operation:
    """An operation with its words, its parameters and its one success."""
    responses: dict[str, Any] = {status: {"description": say("power_done").in_(lang), "schema": answer}}
    responses |= {code: {"description": say(f"power_response_{code}").in_(lang)} for code in REFUSALS}
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
    if duplicates(action):
        made["description"] = f"{say('export_write_unsafe').in_(options.lang)} {made['description']}"
    if action.writes:
        made["responses"]["424"] = {"description": say("power_not_repeated").in_(options.lang)}
    return path, request.method.lower(), made


def action_of_host(action: Action, connector: Connector, options: ExportOptions) -> tuple[str, str, Operation]:
    """The same through a host."""
    lang = options.lang
    inputs = host_inputs(list(action.inputs), "body/inputs/", connector, options)
    body: Schema = {
        "type": "object",
        "required": ["inputs"],
        "properties": {"inputs": {**named(inputs, say("power_inputs"), say("power_inputs_help"), lang)}},
    }
    if action.writes:
        key = named({"type": "string"}, say("export_key"), say("export_key_help"), lang)
        body["properties"]["key"] = {**key, "x-ms-visibility": "advanced"}
    if duplicates(action):
        again = named({"type": "boolean"}, say("package_again"), say("package_again_help"), lang)
        body["properties"]["again"] = {**again, "x-ms-visibility": "advanced"}
    fields = output_object(output_fields(action, connector.library), lang)
    if action.is_list:
        items = named({"type": "array", "items": fields}, say("power_items"), say("power_items_help"), lang)
        fields = {"type": "object", "properties": {"items": items}}
    answer = {
        "type": "object",
        "properties": {
            "output": named(fields, say("power_output"), say("power_output_help"), lang),
            "credits": _credits(lang),
            "replayed": named({"type": "boolean"}, say("power_replayed"), say("power_replayed_help"), lang),
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
        found.value: named({"type": "string"}, say("export_value"), say("power_value_help"), lang),
        found.label: named({"type": "string"}, say("power_label"), say("power_label_help"), lang),
    }
    entries: Schema = {"type": "array", "items": {"type": "object", "properties": properties}}
    shown = named(entries, say("power_options"), say("power_options_help"), lang)
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
    label = (
        (say("power_items"), say("power_items_help"))
        if action.is_list
        else (say("power_output"), say("power_output_help"))
    )
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
        "x-ms-summary": say("power_body").in_(lang),
        "description": say("power_body_help").in_(lang),
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
        "cost": named({"type": "number"}, say("power_cost"), say("power_cost_help"), lang),
        "balance": named({"type": "number"}, say("power_balance"), say("power_balance_help"), lang),
    }
    return named({"type": "object", "properties": parts}, say("power_credits"), say("power_credits_help"), lang)
