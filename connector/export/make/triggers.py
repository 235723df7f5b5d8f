"""The modules that start a scenario: polling ones with Make's own memory, and instant ones with a webhook."""

from __future__ import annotations

from typing import Any

from connector.core.manifest.model import Trigger
from connector.core.messages import say
from connector.export.make import answers, requests
from connector.export.make import parameters as forms
from connector.export.make.modules import Component
from connector.export.make.names import CONNECTION, label, module_id, webhook_id
from connector.export.output_fields import one_sample, output_fields
from connector.export.service_request import ServiceRequest, service_request
from connector.export.shape import Dropped, ExportOptions
from connector.export.single_cursor import ADDED, SINGLE_CURSORS, SingleCursor

MOST_STARTS = 500
"""How many items the list shows from which a person chooses where to start."""


def trigger_components(
    trigger: Trigger, options: ExportOptions, webhook_path: str
) -> tuple[list[Component], tuple[Dropped, ...]]:
    """The trigger's module, and its webhook if it has one; empty when Make cannot express it, with the reason.

    `webhook_path` is where the service keeps its webhook URL.
    """
    if options.via == "host":
        return [_instant(trigger, options, ()), _subscription(trigger, options)], ()
    if trigger.source == "event":
        return _event(trigger, options, webhook_path)
    cursor, request = SINGLE_CURSORS.get(trigger.id), service_request(trigger, options.wire)
    if cursor is None or request is None:
        return [], (Dropped("trigger", trigger.id, say("dropped_state_per_row" if request else "dropped_no_call")),)
    own = answers.own_fields(trigger, (ADDED,))
    dropped = tuple(Dropped("field", f"{trigger.id}.{name}", say("dropped_computed")) for name in own)
    return [_polling(trigger, cursor, request, options, own)], dropped


def _polling(
    trigger: Trigger, cursor: SingleCursor, request: ServiceRequest, options: ExportOptions, own: tuple[str, ...]
) -> Component:
    asked = requests.to_service(request)
    start = {**asked, "qs": dict(asked["qs"])}
    if cursor.by == "id":
        asked["qs"]["from_id"] = "{{data.lastID}}"
    items = answers.container(trigger)
    condition = _condition(cursor, items)
    memory = {"type": "id", "order": "asc", "id": "{{item.id}}"}
    if cursor.by != "id":
        memory |= {"type": "date", "order": "unordered", "date": "{{item." + cursor.by + "}}"}
    response = {
        "iterate": {"container": items, "condition": condition} if condition else items,
        "trigger": memory,
        "output": {ADDED: "{{item.id}}", answers.SPREAD: "{{item}}"},
        "limit": "{{parameters.limit}}",
    }
    newest_first = "{{reverse(" + items[2:-2] + ")}}"
    shown = {"label": _start_label(trigger), "date": "{{item.created_at}}", "id": "{{item.id}}"}
    epoch = {**start, "response": {"iterate": newest_first, "output": shown, "limit": MOST_STARTS}}
    form = [*forms.parameters(trigger.inputs, options.lang), forms.limit(options.lang)]
    if cursor.not_if:
        _explain(form, cursor.not_if, say("make_pending_in_line").in_(options.lang))
    code = {
        "communication": {**asked, "response": response},
        "epoch": epoch,
        "staticParams": form,
        **_shown(trigger, options, own),
    }
    entry = {"label": label(trigger, options.lang), "moduleType": "trigger", "connection": CONNECTION}
    return Component("module", module_id(trigger), {**entry, "altConnection": None}, code)


def _condition(cursor: SingleCursor, items: str) -> str:
    """What a row has to pass. Ids are compared by length and then as text: as numbers they could lose digits."""
    parts = []
    if cursor.waits_for:
        held = f"ifempty(first(map({items[2:-2]}, 'id', 'status', '{cursor.waits_for}')), '')"
        shorter = f"length(item.id) < length({held})"
        before = f"(length(item.id) == length({held}) && item.id < {held})"
        parts.append(f"(parameters.{cursor.not_if} || !{held} || {shorter} || {before})")
    if cursor.leaves_out:
        parts.append(f"(parameters.{cursor.but_if} || !item.{cursor.leaves_out})")
    return "{{" + " && ".join(parts) + "}}" if parts else ""


def _start_label(trigger: Trigger) -> str:
    columns = [name for name in trigger.raw["output"]["columns"] if not name.startswith("_")]
    return " ".join("{{item." + name + "}}" for name in columns[:4])


def _explain(form: list[dict[str, Any]], name: str, text: str) -> None:
    for parameter in form:
        if parameter["name"] == name:
            parameter["help"] = f"{parameter['help']} {text}"


def _event(trigger: Trigger, options: ExportOptions, webhook_path: str) -> tuple[list[Component], tuple[Dropped, ...]]:
    if trigger.confirm:
        return [], (Dropped("trigger", trigger.id, say("make_confirms")),)
    own = answers.own_fields(trigger, ("_event",))
    dropped = [Dropped("field", f"{trigger.id}.{name}", say("dropped_computed")) for name in own]
    dropped += [Dropped("field", f"{trigger.id}.{field.name}", say("make_filters")) for field in trigger.inputs]
    names = " || ".join(f"item.event == '{event}'" for event in trigger.events)
    container: Any = {"container": "{{body}}", "condition": "{{" + names + "}}"} if names else "{{body}}"
    output: Any = "{{item.data}}" if names else {"_event": "{{item.event}}", answers.SPREAD: "{{item.data}}"}
    code = {
        "communication": {"iterate": container, "output": output},
        "params": [],
        "attach": _attach(webhook_path, options.lang),
        "detach": _detach(webhook_path),
        "update": {},
        "requiredScope": [],
    }
    webhook = Component("webhook", webhook_id(trigger), _webhook_entry(trigger, options), code)
    return [_instant(trigger, options, own), webhook], tuple(dropped)


def _attach(path: str, lang: str) -> list[dict[str, Any]]:
    """Looks first: a URL that is somebody else's stays as it is."""
    standing = answers.WEBHOOK_URL
    free = {
        "condition": "{{!" + standing + " || " + standing + " == webhook.url}}",
        "message": say("make_foreign_url").in_(lang),
        "type": "InvalidConfigurationError",
    }
    return [
        {"url": path, "method": "GET", "response": {"valid": free}},
        {
            "url": path,
            "method": "PUT",
            "body": {"webhook_url": "{{webhook.url}}"},
            "response": {"data": {"registeredUrl": "{{webhook.url}}"}},
        },
    ]


def _detach(path: str) -> list[dict[str, Any]]:
    """Removes the URL only while it is still ours; an empty text is assumed to remove it."""
    return [
        {
            "url": path,
            "method": "GET",
            "response": {"temp": {"standing": "{{" + answers.WEBHOOK_URL + "}}"}},
        },
        {
            "url": path,
            "method": "PUT",
            "condition": "{{temp.standing == webhook.url}}",
            "body": {"webhook_url": ""},
        },
    ]


def _subscription(trigger: Trigger, options: ExportOptions) -> Component:
    """One subscription per scenario, made and ended by Make."""
    attach = {
        "url": "/v1/subscriptions",
        "method": "POST",
        "body": {"trigger": trigger.id, "inputs": requests.run_inputs(trigger.inputs), "target_url": "{{webhook.url}}"},
        "response": {"data": {"externalHookId": "{{body.id}}"}},
    }
    code = {
        "communication": {"output": "{{body}}"},
        "params": forms.parameters(trigger.inputs, options.lang),
        "attach": attach,
        "detach": {"url": "/v1/subscriptions/{{webhook.externalHookId}}", "method": "DELETE"},
        "update": {},
        "requiredScope": [],
    }
    return Component("webhook", webhook_id(trigger), _webhook_entry(trigger, options), code)


def _webhook_entry(trigger: Trigger, options: ExportOptions) -> dict[str, Any]:
    title = trigger.title.in_(options.lang)
    return {"label": title, "webhookType": "web", "connection": CONNECTION, "altConnection": None}


def _instant(trigger: Trigger, options: ExportOptions, own: tuple[str, ...]) -> Component:
    entry = {"label": label(trigger, options.lang), "moduleType": "instant_trigger", "webhook": webhook_id(trigger)}
    code = {"communication": {}, "staticParams": [], **_shown(trigger, options, own)}
    return Component("module", module_id(trigger), entry, code)


def _shown(trigger: Trigger, options: ExportOptions, leave_out: tuple[str, ...]) -> dict[str, Any]:
    fields = answers.kept(output_fields(trigger), leave_out)
    sample = {name: value for name, value in one_sample(trigger).items() if name not in leave_out}
    return {
        "mappableParams": [],
        "interface": answers.interface(fields, options.lang),
        "samples": sample,
        "scope": [],
    }
