"""The modules that do something: one per action, by its effect an action or a search, and the universal one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from connector.core.manifest.library import Library
from connector.core.manifest.model import Action
from connector.core.manifest.output_fields import one_sample, output_fields
from connector.core.messages import say
from connector.export.make import answers, iml, requests
from connector.export.make import parameters as forms
from connector.export.make.errors import errors
from connector.export.make.names import CONNECTION, label, module_id
from connector.export.service_request import is_free_call, service_request
from connector.export.shape import Dropped, ExportOptions
from connector.export.unexpressed import absent, as_sent, duplicates, unchecked

CRUD = {"read": "read", "create": "create", "update": "update"}
SLOWEST = 40.0
"""Seconds that Make waits for one answer."""
PLATFORM = "Make"


@dataclass(frozen=True, slots=True)
class Component:
    """One module, RPC, webhook or connection: its entry in the app's index, and its files by code type."""

    kind: str
    id: str
    entry: dict[str, Any]
    code: dict[str, Any]
    dropped: tuple[Dropped, ...] = ()


def action_module(declared: Action, library: Library, options: ExportOptions) -> Component:
    """The module of an action."""
    action = as_sent(declared) if options.via == "service" else declared
    universal = is_free_call(action)
    kind = "universal" if universal else "search" if action.is_list else "action"
    entry: dict[str, Any] = {
        "label": label(action, options.lang),
        "moduleType": kind,
        "connection": CONNECTION,
        "altConnection": None,
    }
    if kind == "action":
        entry["actionCrud"] = CRUD[action.effect]
    fields = answers.interface(output_fields(action, library), options.lang)
    sample = one_sample(action)
    if universal and options.via == "service":
        fields, sample = _universal_interface(options.lang), _universal_sample(action)
    code = {
        "communication": _communication(action, options),
        "staticParams": [],
        "mappableParams": _form(action, options),
        "interface": fields,
        "samples": sample,
        "scope": [],
    }
    dropped = _left_out(declared, options) if options.via == "service" else []
    return Component("module", module_id(action), entry, code, tuple(dropped))


def _left_out(action: Action, options: ExportOptions) -> list[Dropped]:
    found = [*unchecked(action), *absent(action, options.wire), *answers.simplified(action)]
    if action.timeout > SLOWEST:
        slow = say("left_out_slow", platform=PLATFORM, seconds=f"{SLOWEST:.0f}")
        found.append(Dropped("check", action.id, slow))
    return found


def _communication(action: Action, options: ExportOptions) -> dict[str, Any]:
    if options.via == "host":
        return {**requests.run_on_host(action), "response": answers.of_host(action)}
    request = service_request(action, options.wire)
    if request is None or action.request is None:
        response: dict[str, Any] = {"output": {name: iml.whole(name) for name in ("statusCode", "headers", "body")}}
        made = requests.to_any_path(action)
    else:
        response = answers.of_service(action, action.request)
        made = requests.to_service(request)
    if action.writes:
        response["error"] = errors(options.via, options.lang, writes=True)
    return {**made, "response": response}


def _form(action: Action, options: ExportOptions) -> list[dict[str, Any]]:
    lang = options.lang
    absent = set()
    if options.via == "service" and (request := service_request(action, options.wire)):
        absent = {field.name for field in request.absent}
    form = [forms.banner(say("export_write_unsafe"), lang)] if options.via == "service" and duplicates(action) else []
    form += forms.parameters([field for field in action.inputs if field.name not in absent], lang)
    if is_free_call(action):
        form = [_as_json(one, lang) if one["name"] == "body" else one for one in form]
    if action.is_list and all(one["name"] != "limit" for one in form):
        form.append(forms.limit(lang))
    if options.via == "host" and action.writes:
        key = {
            "name": "key",
            "type": "text",
            "label": say("export_key").in_(lang),
            "help": say("make_key_help").in_(lang),
        }
        form.append({**key, "advanced": True})
    if options.via == "host" and duplicates(action):
        again = {
            "name": "again",
            "type": "boolean",
            "label": say("package_again").in_(lang),
            "help": say("package_again_help").in_(lang),
        }
        form.append({**again, "default": False, "advanced": True})
    return form


def _as_json(parameter: dict[str, Any], lang: str) -> dict[str, Any]:
    """The body of a free call is nested too deep for rows of names and values."""
    rest = {name: value for name, value in parameter.items() if name != "spec"}
    return {**rest, "type": "json", "help": f"{parameter['help']} {say('make_json_body').in_(lang)}"}


def _universal_interface(lang: str) -> list[dict[str, Any]]:
    return [
        {"name": "statusCode", "type": "number", "label": "HTTP status"},
        {"name": "headers", "type": "collection", "label": "Headers", "spec": []},
        {"name": "body", "type": "any", "label": "Body"},
    ]


def _universal_sample(action: Action) -> dict[str, Any]:
    return {"statusCode": 200, "headers": {"content-type": "application/json"}, "body": one_sample(action)}
