"""Triggers: polling ones that speak the platform's 202 protocol, and webhook ones that subscribe at a host."""

from __future__ import annotations

from typing import Any

from connector.core.data.price import price_of_day, price_on_schedule
from connector.core.manifest.model import Trigger
from connector.core.manifest.output_fields import output_fields
from connector.core.messages import say
from connector.export.power_automate import parameters as forms
from connector.export.power_automate.names import operation_id, virtual_path
from connector.export.power_automate.operations import Operation, host_inputs, operation
from connector.export.power_automate.schemas import Schema, named, output_object
from connector.export.service_request import service_request
from connector.export.shape import Dropped, ExportOptions
from connector.export.unexpressed import as_sent, computed, unpolled
from connector.runtime.connector import Connector

SUBSCRIPTIONS = "/v1/subscriptions"
PROTOCOL = ("protocol", "powerautomate")
"""Asks the host for 202 and Location where nothing is new."""
PLATFORM = "Power Automate"
PathItem = dict[str, Any]


def trigger_path(
    trigger: Trigger, connector: Connector, options: ExportOptions
) -> tuple[str, PathItem] | tuple[Dropped, ...]:
    """The trigger's path with its operation; the reasons where the platform cannot express it."""
    if options.via == "host":
        price = price_of_day(trigger.raw).in_(options.lang)
        if trigger.source == "event":
            hook = _webhook(trigger, connector, options)
            return virtual_path(trigger), {**hook, "post": _priced(hook["post"], price)}
        return f"/v1/triggers/{trigger.id}/poll", {"get": _priced(_poll_host(trigger, connector, options), price)}
    reason = unpolled(trigger, PLATFORM)
    if trigger.source == "event":
        reason = say("left_out_subscription")
    if reason is not None:
        return (Dropped("trigger", trigger.id, reason),)
    price = price_on_schedule(trigger.raw, trigger.usual_interval).in_(options.lang)
    return virtual_path(trigger), {"get": _priced(_poll_service(as_sent(trigger), connector, options), price)}


def _priced(made: Operation, price: str) -> Operation:
    """The operation, its description with what a day costs."""
    return {**made, "description": f"{made['description']} {price}"}


def end_of_subscription(lang: str) -> tuple[str, PathItem]:
    """What the platform calls with the address that the host gave, when a flow is switched off."""
    id = {
        "name": "id",
        "in": "path",
        "required": True,
        "type": "string",
        "x-ms-url-encoding": "single",
        "x-ms-summary": say("power_subscription").in_(lang),
        "description": say("power_subscription_help").in_(lang),
    }
    answer = named({"type": "object"}, say("power_ended"), say("power_end_help"), lang)
    made = {
        "operationId": "EndSubscription",
        "summary": say("power_end_subscription").in_(lang),
        "description": say("power_end_help").in_(lang),
        "parameters": [id],
        "responses": {"200": {"description": say("power_ended").in_(lang), "schema": answer}},
        "x-ms-visibility": "internal",
    }
    return f"{SUBSCRIPTIONS}/{{id}}", {"delete": made}


def _poll_service(trigger: Trigger, connector: Connector, options: ExportOptions) -> Operation:
    """The script asks the service and speaks the platform's protocol."""
    request, lang = service_request(trigger, options.wire), options.lang
    if request is None:
        raise TypeError(f"{trigger.id} asks nobody")
    names = forms.places(request)
    parameters = forms.of_request(trigger, request, connector, options)
    parameters += [
        forms.entered(field, field.name, "query", names, connector, options)
        for field in trigger.inputs
        if field.place == "none"
    ]
    parameters.append(forms.hidden("cursor", say("power_cursor"), say("power_cursor_help"), lang))
    own = computed(trigger)
    fields = tuple(field for field in output_fields(trigger, connector.library) if field.name not in own)
    return _polling(trigger, parameters, output_object(fields, lang), lang)


def _poll_host(trigger: Trigger, connector: Connector, options: ExportOptions) -> Operation:
    lang = options.lang
    shown = [field for field in trigger.inputs if not field.internal]
    names = {field.name: field.name for field in shown}
    parameters = [forms.entered(field, field.name, "query", names, connector, options) for field in shown]
    parameters.append(forms.fixed(*PROTOCOL, "query", lang))
    parameters.append(forms.hidden("cursor", say("power_cursor"), say("power_cursor_help"), lang))
    return _polling(trigger, parameters, output_object(output_fields(trigger, connector.library), lang), lang)


def _polling(trigger: Trigger, parameters: list[dict[str, Any]], item: Schema, lang: str) -> Operation:
    items = named({"type": "array", "items": item}, say("power_items"), say("power_items_help"), lang)
    made = operation(trigger, parameters, {"type": "object", "properties": {"items": items}}, lang)
    return {
        **made,
        "x-ms-trigger": "batch",
        "x-ms-trigger-hint": made["summary"],
        "x-ms-trigger-metadata": {"kind": "query", "mode": "polling"},
    }


def _webhook(trigger: Trigger, connector: Connector, options: ExportOptions) -> PathItem:
    lang = options.lang
    inputs = named(
        host_inputs(list(trigger.inputs), "body/inputs/", connector, options),
        say("power_inputs"),
        say("power_inputs_help"),
        lang,
    )
    target = named({"type": "string"}, say("power_target"), say("power_target_help"), lang)
    chosen = named({"type": "string", "default": trigger.id}, say("power_trigger"), say("power_trigger_help"), lang)
    schema = {
        "type": "object",
        "required": ["trigger", "inputs", "target_url"],
        "properties": {
            "trigger": {**chosen, "x-ms-visibility": "internal"},
            "inputs": inputs,
            "target_url": {**target, "x-ms-visibility": "internal", "x-ms-notification-url": True},
        },
    }
    body = {
        "name": "body",
        "in": "body",
        "required": True,
        "schema": schema,
        "x-ms-summary": say("power_inputs").in_(lang),
        "description": say("power_inputs_help").in_(lang),
    }
    answer = {
        "type": "object",
        "properties": {
            "id": named({"type": "string"}, say("power_subscription"), say("power_subscription_help"), lang),
            "secret": named({"type": "string"}, say("power_secret"), say("power_secret_help"), lang),
        },
    }
    made = operation(trigger, [body], answer, lang, status="201")
    content = {
        "description": made["description"],
        "schema": output_object(output_fields(trigger, connector.library), lang),
    }
    return {"x-ms-notification-content": content, "post": {**made, "x-ms-trigger": "single"}}


def routed(triggers: list[Trigger]) -> list[str]:
    """The operations that a policy has to send to the host's subscriptions."""
    return [operation_id(trigger) for trigger in triggers if trigger.source == "event"]
