"""Puts the Power Automate connector together: definition, properties, script, readme and icon."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from connector.core.manifest.model import Action, Trigger
from connector.core.messages import say
from connector.export import icon
from connector.export.power_automate.lint import lint
from connector.export.power_automate.operations import action_of_host, action_of_service, lookup_operation
from connector.export.power_automate.properties import properties
from connector.export.power_automate.readme import readme
from connector.export.power_automate.script import script
from connector.export.power_automate.triggers import PLATFORM, end_of_subscription, routed, trigger_path
from connector.export.service_request import is_free_call
from connector.export.shape import Dropped, Export, ExportOptions
from connector.export.unexpressed import (
    absent,
    as_sent,
    notes_on_writes,
    one_per_address,
    plainer_options,
    simplified,
    unchecked,
    unverified,
    without_duplicating,
)
from connector.runtime.connector import Connector
from connector.version import __version__

ICON_SIZE = 230


def build(connector: Connector, options: ExportOptions) -> Export:
    """The connector as files."""
    lang = options.lang
    dropped: list[Dropped] = []
    paths: dict[str, dict[str, Any]] = {}
    actions = list(connector.actions.values())
    if options.via == "service":
        dropped += [_pathless(action, lang) for action in actions if action.request is None]
        sent, writes = without_duplicating((one for one in actions if one.request is not None), options)
        actions, taken = one_per_address(sent, options.wire)
        dropped = [*writes, *dropped, *taken]
    for action in actions:
        if options.via == "host":
            path, method, operation = action_of_host(action, connector, options)
        else:
            path, method, operation = action_of_service(as_sent(action), connector, options)
            dropped += [*unchecked(action), *absent(action, options.wire)]
        _add(paths, path, {method: operation})
    for lookup in connector.lookups.values():
        path, method, operation = lookup_operation(lookup, connector, options)
        _add(paths, path, {method: operation})
        dropped += plainer_options(lookup) if options.via == "service" else ()
    triggers: list[Trigger] = []
    for trigger in connector.triggers.values():
        found = trigger_path(trigger, connector, options)
        if isinstance(found[0], str):
            _add(paths, found[0], found[1])
            triggers.append(trigger)
            if options.via == "service":
                dropped += [*unchecked(trigger), *absent(trigger, options.wire), *simplified(trigger)]
        else:
            dropped += found
    if options.via == "host":
        _add(paths, *end_of_subscription(options.lang))
        dropped.append(unverified(PLATFORM))
    notes = notes_on_writes(connector, options)
    files = {
        "apiDefinition.swagger.json": _json(_definition(connector, options, paths)),
        "apiProperties.json": _json(properties(options, routed(triggers) if options.via == "host" else [])),
        "icon.png": icon.png(ICON_SIZE, round_corners=False),
        "readme.md": readme(connector, options, triggers, dropped, notes).encode(),
    }
    if options.via == "service":
        files["script.csx"] = script(connector, options, actions, triggers).encode()
    export = Export(
        platform="power-automate",
        files=dict(sorted(files.items())),
        holds={
            "actions": frozenset(action.id for action in actions),
            "lookups": frozenset(connector.lookups),
            "triggers": frozenset(trigger.id for trigger in triggers),
        },
        dropped=tuple(dropped),
        notes=notes,
    )
    return replace(export, findings=lint(export))


def _pathless(action: Action, lang: str) -> Dropped:
    return Dropped("action", action.id, say("left_out_any_path" if is_free_call(action) else "left_out_local"))


def _add(paths: dict[str, dict[str, Any]], path: str, item: dict[str, Any]) -> None:
    here = paths.setdefault(path, {})
    for method, operation in item.items():
        if method in here:
            raise ValueError(f"{method} {path} is taken by {here[method].get('operationId')}")
        here[method] = operation


def _definition(connector: Connector, options: ExportOptions, paths: dict[str, dict[str, Any]]) -> dict[str, Any]:
    address = urlsplit(options.host_url if options.via == "host" else options.base_url)
    about, publisher = connector.about, options.publisher
    return {
        "swagger": "2.0",
        "info": {
            "title": about["title"][options.lang],
            "description": about["description"][options.lang],
            "version": __version__,
            "contact": {"name": publisher.author, "url": publisher.homepage, "email": publisher.email},
        },
        "host": address.netloc,
        "basePath": address.path or "/",
        "schemes": [address.scheme],
        "consumes": ["application/json"],
        "produces": ["application/json"],
        "paths": dict(sorted(paths.items())),
        "definitions": {},
        "parameters": {},
        "responses": {},
        "securityDefinitions": {"api_key": {"type": "apiKey", "in": "header", "name": "x-api-key"}},
        "security": [{"api_key": []}],
        "tags": [],
        "x-ms-connector-metadata": [
            {"propertyName": "Website", "propertyValue": publisher.homepage},
            {"propertyName": "Privacy policy", "propertyValue": f"{publisher.homepage}/privacy"},
            {"propertyName": "Categories", "propertyValue": "Finance;Productivity"},
        ],
    }


def _json(content: Any) -> bytes:
    return (json.dumps(content, ensure_ascii=False, indent=1) + "\n").encode()
