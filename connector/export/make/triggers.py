"""The modules that start a scenario: polling ones with Make's own memory, and instant ones with a webhook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from connector.core.data.events import ARRIVED_AT, RECEIVED_AT
from connector.core.data.price import price_of_day, price_on_schedule
from connector.core.data.templates import ANYTHING
from connector.core.manifest.model import Trigger
from connector.core.manifest.output_fields import DATE_TIME, OutputField, one_sample, output_fields
from connector.core.manifest.output_fields import label as field_label
from connector.core.messages import say
from connector.core.polls.by_id import ById
from connector.export.make import answers, iml, requests
from connector.export.make import parameters as forms
from connector.export.make.modules import PLATFORM, Component
from connector.export.make.names import CONNECTION, label, module_id, webhook_id
from connector.export.service_request import service_request
from connector.export.shape import Dropped, ExportOptions
from connector.export.unexpressed import ADDED, absent, as_sent, computed, simplified, unchecked, unpolled
from connector.runtime.connector import Connector

MOST_STARTS = 500
"""How many items the list shows from which a person chooses where to start."""
USUAL_SCHEDULE = 900
"""How often Make runs a scenario, in seconds, unless a person says otherwise."""
EVENT, CONFIRMED = "_event", "_confirmed"


@dataclass(frozen=True, slots=True)
class Made:
    """The components of a trigger, none when Make cannot express it, and what was left out."""

    components: tuple[Component, ...]
    dropped: tuple[Dropped, ...] = ()


def trigger_components(trigger: Trigger, connector: Connector, options: ExportOptions) -> Made:
    """The trigger's module, and its webhook if it has one."""
    if options.via == "host":
        fields = output_fields(trigger, connector.library)
        return Made((_instant(trigger, fields, options), _subscription(trigger, options)))
    if trigger.own:
        return Made((), (Dropped("trigger", trigger.id, say("export_host_only")),))
    if trigger.source == "event":
        return _event(trigger, connector, options)
    reason = unpolled(trigger, PLATFORM)
    if reason is None and isinstance(trigger.poll, ById) and not _can_wait(trigger.poll):
        reason = say("left_out_condition", platform=PLATFORM)
    if reason is not None:
        return Made((), (Dropped("trigger", trigger.id, reason),))
    left_out = (*unchecked(trigger), *absent(trigger, options.wire), *simplified(trigger))
    return Made((_polling(as_sent(trigger), connector, options),), left_out)


def _polling(trigger: Trigger, connector: Connector, options: ExportOptions) -> Component:
    request, poll = service_request(trigger, options.wire), trigger.poll
    if request is None or trigger.request is None or poll is None:
        raise TypeError(f"{trigger.id} polls nothing")
    asked, items = requests.to_service(request), answers.rows_in(trigger.request)
    start = {**asked, "qs": dict(asked["qs"])}
    form = [*forms.parameters(trigger.inputs, options.lang), forms.limit(options.lang)]
    _explain(form, forms.LIMIT, price_on_schedule(trigger.raw, USUAL_SCHEDULE).in_(options.lang))
    memory = {"type": "id", "order": "asc", "id": "{{item.id}}"}
    condition = ""
    if isinstance(poll, ById):
        asked["qs"] |= {one.name: "{{data.lastID}}" for one in request.query if one.field.name == poll.after}
        condition = _condition(poll, items)
        if poll.wait and "unless" in poll.wait:
            _explain(form, poll.wait["unless"], say("waits_in_line").in_(options.lang))
    else:
        memory |= {"type": "date", "order": "unordered", "date": iml.whole(f"item.{poll.single}")}
    response = {
        "iterate": {"container": iml.whole(items), "condition": iml.whole(condition)}
        if condition
        else iml.whole(items),
        "trigger": memory,
        "output": {ADDED: "{{item.id}}", answers.SPREAD: "{{item}}"},
        "limit": "{{parameters.limit}}",
    }
    own = computed(trigger)
    fields = [field for field in output_fields(trigger, connector.library) if field.name not in own]
    came = next((f"item.{field.name}" for field in fields if field.format == DATE_TIME), "now")
    shown = {"label": _start_label(trigger, connector), "date": iml.whole(came), "id": "{{item.id}}"}
    newest_first = {"iterate": iml.whole(f"reverse({items})"), "output": shown, "limit": MOST_STARTS}
    code = {
        "communication": {**asked, "response": response},
        "epoch": {**start, "response": newest_first},
        "staticParams": form,
        **_shown(trigger, fields, options),
    }
    entry = {"label": label(trigger, options.lang), "moduleType": "trigger", "connection": CONNECTION}
    return Component("module", module_id(trigger), {**entry, "altConnection": None}, code)


def _can_wait(poll: ById) -> bool:
    """Whether Make can find the first row that waits: by the values of one field."""
    when = poll.wait["when"] if poll.wait else {"": ""}
    return isinstance(when, dict) and len(when) == 1 and ANYTHING not in when.values()


def _condition(poll: ById, items: str) -> str:
    """What a row has to pass. Ids are compared by length and then as text: as numbers they could lose digits."""
    parts = []
    if poll.wait:
        [(path, wanted)] = poll.wait["when"].items()
        values = ",".join(str(value) for value in (wanted if isinstance(wanted, list) else [wanted]))
        held = f"ifempty(first(map({items}, 'id', {iml.literal(path)}, {iml.literal(values)})), '')"
        shorter = f"length(item.id) < length({held})"
        before = f"(length(item.id) == length({held}) && item.id < {held})"
        parts.append(f"({_unless(poll.wait)}!{held} || {shorter} || {before})")
    if poll.skip:
        parts.append(f"({_unless(poll.skip)}!({iml.condition(poll.skip['when'])}))")
    return " && ".join(parts)


def _unless(declared: dict[str, Any]) -> str:
    return f"parameters.{declared['unless']} || " if "unless" in declared else ""


def _start_label(trigger: Trigger, connector: Connector) -> str:
    """What people choose the start by: the first columns, parts of a row by the field that always has them."""
    parts = connector.library.row_parts(trigger.resource)
    columns = [parts.plain(name) for name in trigger.raw["output"].get("columns", ()) if not name.startswith("_")]
    named = [name for name in columns if name is not None]
    return " ".join(iml.whole(f"item.{name}") for name in named[:4] or ["id"])


def _explain(form: list[dict[str, Any]], name: str, text: str) -> None:
    for parameter in form:
        if parameter["name"] == name:
            parameter["help"] = f"{parameter['help']} {text}"


def _event(trigger: Trigger, connector: Connector, options: ExportOptions) -> Made:
    if trigger.confirm:
        reason = say("left_out_confirmed", platform=PLATFORM)
        return Made((), (Dropped("trigger", trigger.id, reason),))
    own, lang = computed(trigger, EVENT), options.lang
    dropped = [Dropped("check", trigger.id, say("left_out_unconfirmed"))]
    dropped += [Dropped("field", f"{trigger.id}.{name}", say("left_out_computed")) for name in own]
    filters = say("left_out_filter", platform=PLATFORM)
    dropped += [Dropped("field", f"{trigger.id}.{field.name}", filters) for field in trigger.inputs]
    names = " || ".join(f"item.event == {iml.literal(event)}" for event in trigger.events)
    when = trigger.raw["event"].get("when")
    passing = [f"({names})" if when else names] if names else []
    passing += [iml.condition(_within("data", when))] if when else []
    # Make asks nobody before it fires: what it passes on says so. What stands last wins.
    output = {answers.SPREAD: "{{item.data}}", CONFIRMED: False, RECEIVED_AT: "{{item.received_at}}"}
    output |= {ARRIVED_AT: "{{now}}"}
    output |= {} if names else {EVENT: "{{item.event}}"}
    body = iml.whole(answers.BODY)
    code = {
        "communication": {
            "iterate": {"container": body, "condition": iml.whole(" && ".join(passing))} if passing else body,
            "output": output,
        },
        "params": [],
        **_webhook_url(connector, lang),
        "update": {},
        "requiredScope": [],
    }
    webhook = Component("webhook", webhook_id(trigger), _webhook_entry(trigger, options), code)
    fields = [field for field in output_fields(trigger, connector.library) if field.name not in own]
    fields.append(OutputField(CONFIRMED, "boolean", field_label(CONFIRMED, connector.library)))
    return Made((_instant(trigger, fields, options), webhook), tuple(dropped))


def _within(name: str, when: Any) -> Any:
    """A condition about what stands under a name."""
    if isinstance(when, list):
        return [_within(name, one) for one in when]
    return {f"{name}.{path}": wanted for path, wanted in when.items()}


def _webhook_url(connector: Connector, lang: str) -> dict[str, Any]:
    """Sets the URL only where it is free, and removes it only while it is still ours."""
    reads, writes = connector.action_for("webhook_url_get"), connector.action_for("webhook_url_set")
    if reads.request is None or writes.request is None:
        raise TypeError("the webhook URL has no path")
    standing = answers.first_of(reads, reads.request)
    name = next(field.name for field in writes.inputs if field.place == "body")
    look = {"url": reads.request.path, "method": reads.request.method}
    put = {"url": writes.request.path, "method": writes.request.method}
    free = {
        "condition": iml.whole(f"!{standing} || {standing} == webhook.url"),
        "message": say("make_foreign_url").in_(lang),
        "type": "InvalidConfigurationError",
    }
    kept = {"data": {"registeredUrl": "{{webhook.url}}"}}
    return {
        "attach": [
            {**look, "response": {"valid": free}},
            {**put, "body": {name: "{{webhook.url}}"}, "response": kept},
        ],
        "detach": [
            {**look, "response": {"temp": {"standing": iml.whole(standing)}}},
            # An empty text is assumed to remove it.
            {**put, "condition": "{{temp.standing == webhook.url}}", "body": {name: ""}},
        ],
    }


def _subscription(trigger: Trigger, options: ExportOptions) -> Component:
    """One subscription per scenario, made and ended by Make."""
    attach = {
        "url": "/v1/subscriptions",
        "method": "POST",
        "body": {"trigger": trigger.id, "inputs": requests.run_inputs(trigger.inputs), "target_url": "{{webhook.url}}"},
        "response": {"data": {"externalHookId": "{{body.id}}"}},
    }
    form = forms.parameters(trigger.inputs, options.lang)
    for first in form[:1]:
        _explain(form, first["name"], price_of_day(trigger.raw).in_(options.lang))
    code = {
        "communication": {"output": "{{body}}"},
        "params": form,
        "attach": attach,
        "detach": {"url": "/v1/subscriptions/{{webhook.externalHookId}}", "method": "DELETE"},
        "update": {},
        "requiredScope": [],
    }
    return Component("webhook", webhook_id(trigger), _webhook_entry(trigger, options), code)


def _webhook_entry(trigger: Trigger, options: ExportOptions) -> dict[str, Any]:
    title = trigger.title.in_(options.lang)
    return {"label": title, "webhookType": "web", "connection": CONNECTION, "altConnection": None}


def _instant(trigger: Trigger, fields: Sequence[OutputField], options: ExportOptions) -> Component:
    entry = {"label": label(trigger, options.lang), "moduleType": "instant_trigger", "webhook": webhook_id(trigger)}
    code = {"communication": {}, "staticParams": [], **_shown(trigger, fields, options)}
    return Component("module", module_id(trigger), entry, code)


def _shown(trigger: Trigger, fields: Sequence[OutputField], options: ExportOptions) -> dict[str, Any]:
    names = {field.name for field in fields}
    return {
        "mappableParams": [],
        "interface": answers.interface(fields, options.lang),
        "samples": {name: value for name, value in one_sample(trigger).items() if name in names},
        "scope": [],
    }
