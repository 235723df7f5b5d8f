"""Rules about what refers to something else: dropdowns, notifications, triggers, policies and the script's table."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from connector.export.power_automate.lint.connector import (
    PROPERTIES,
    SCRIPT,
    Operation,
    PowerConnector,
    at_path,
    schemas,
)
from connector.export.shape import Finding

TABLE = re.compile(r'Routes = @"(?P<table>(?:[^"]|"")*)"')
OLD, NEW = "x-ms-dynamic-values", "x-ms-dynamic-list"


def dropdowns_come_in_both_forms(connector: PowerConnector) -> Iterator[Finding]:
    """Old designers read one form, new ones the other, and both say the same."""
    for operation, at, schema in _fields(connector):
        old, new = schema.get(OLD), schema.get(NEW)
        if (old is None) != (new is None):
            yield Finding(operation.where, f"the dropdown of {at} has only one of its two forms")
        elif old is not None and new is not None:
            said = (old.get("operationId"), old.get("value-path"), old.get("value-title"), old.get("value-collection"))
            again = (new.get("operationId"), new.get("itemValuePath"), new.get("itemTitlePath"), new.get("itemsPath"))
            if said != again or set(old.get("parameters", ())) != set(new.get("parameters", ())):
                yield Finding(operation.where, f"the two forms of the dropdown of {at} differ")


def dropdowns_resolve(connector: PowerConnector) -> Iterator[Finding]:
    """The operation behind a dropdown exists, is hidden, and answers with what the dropdown reads."""
    known = connector.by_id()
    for operation, at, schema in _fields(connector):
        use = schema.get(OLD) or {}
        if not use:
            continue
        target = known.get(str(use.get("operationId")))
        if target is None:
            yield Finding(operation.where, f"the dropdown of {at} calls {use.get('operationId')}, which does not exist")
            continue
        if target.tree.get("x-ms-visibility") != "internal":
            yield Finding(operation.where, f"the dropdown of {at} calls {target.where}, which people see too")
        rows = at_path(target.answer(), str(use.get("value-collection") or ""))
        items = (rows or {}).get("items")
        if rows is None or rows.get("type") != "array" or not isinstance(items, dict):
            yield Finding(operation.where, f"the dropdown of {at} finds no list in {target.where}")
            continue
        for part in ("value-path", "value-title"):
            if at_path(items, str(use.get(part) or "?")) is None:
                yield Finding(operation.where, f"the dropdown of {at} reads {use.get(part)}, which no entry has")


def dropdowns_are_given_what_they_need(connector: PowerConnector) -> Iterator[Finding]:
    """What a dropdown passes on exists on both sides, and nothing that is required is left out."""
    known = connector.by_id()
    for operation, at, schema in _fields(connector):
        use, new = schema.get(OLD) or {}, schema.get(NEW) or {}
        target = known.get(str(use.get("operationId")))
        if target is None:
            continue
        takes = {str(one.get("name")): one for one in target.parameters}
        for name, source in use.get("parameters", {}).items():
            if name not in takes:
                yield Finding(
                    operation.where, f"the dropdown of {at} passes {name}, which {target.where} does not take"
                )
            read = str(source.get("parameter")) if isinstance(source, Mapping) else None
            if read is not None and not _exists(operation, read) and not _exists(operation, f"body/{read}"):
                yield Finding(operation.where, f"the dropdown of {at} reads {read}, which is no field")
        for source in new.get("parameters", {}).values():
            place = source.get("parameterReference") if isinstance(source, Mapping) else None
            if place is not None and not _exists(operation, str(place)):
                yield Finding(operation.where, f"the dropdown of {at} reads {place}, which is no field")
        for name, parameter in takes.items():
            needed = parameter.get("required") and "default" not in parameter
            if needed and name not in use.get("parameters", {}):
                yield Finding(operation.where, f"the dropdown of {at} does not pass {name}, which {target.where} needs")


def webhooks_are_complete(connector: PowerConnector) -> Iterator[Finding]:
    """A webhook trigger takes the callback's address, answers 201, says what it delivers, and can be ended."""
    deletes = any(operation.method == "delete" for operation in connector.operations)
    for operation in connector.operations:
        urls = [at for at, schema in schemas(operation.body or {}, "body") if schema.get("x-ms-notification-url")]
        if operation.tree.get("x-ms-trigger") != "single":
            if urls:
                yield Finding(operation.where, "takes a callback's address and is no trigger")
            continue
        if len(urls) != 1:
            yield Finding(operation.where, f"takes {len(urls)} callback addresses instead of one")
        if not operation.item.get("x-ms-notification-content", {}).get("schema"):
            yield Finding(operation.where, "does not say what it delivers")
        if set(operation.successes) != {"201"}:
            yield Finding(operation.where, "a webhook answers 201 with a Location")
        if operation.method != "post":
            yield Finding(operation.where, "a webhook is subscribed with POST")
        if not deletes:
            yield Finding(operation.where, "nothing ends the subscription")


def polls_give_lists(connector: PowerConnector) -> Iterator[Finding]:
    """A polling trigger says that it is one, and is a GET whose answer is a list, or carries exactly one."""
    for operation in connector.operations:
        if operation.tree.get("x-ms-trigger") != "batch":
            continue
        answer = operation.answer()
        lists = [name for name, one in (answer.get("properties") or {}).items() if one.get("type") == "array"]
        if operation.method != "get":
            yield Finding(operation.where, "a polling trigger is a GET")
        if operation.tree.get("x-ms-trigger-metadata") != {"kind": "query", "mode": "polling"}:
            yield Finding(operation.where, "a polling trigger lacks the metadata that say so")
        if answer.get("type") != "array" and len(lists) != 1:
            yield Finding(operation.where, f"a polling trigger answers with {len(lists)} lists instead of one")


def triggers_are_known(connector: PowerConnector) -> Iterator[Finding]:
    """A trigger is single or batch; content beside an operation belongs to a webhook."""
    for operation in connector.operations:
        kind = operation.tree.get("x-ms-trigger")
        if kind not in (None, "single", "batch"):
            yield Finding(operation.where, f"has the unknown trigger kind {kind}")
        if "x-ms-notification-content" in operation.item and kind != "single":
            yield Finding(operation.where, "says what it delivers and is no webhook")


def policies_resolve(connector: PowerConnector) -> Iterator[Finding]:
    """A policy names operations and connection parameters that exist."""
    known = connector.by_id()
    for policy in connector.properties.get("policyTemplateInstances", ()):
        parameters = policy.get("parameters", {})
        for id in parameters.get("x-ms-apimTemplate-operationName", ()):
            if id not in known:
                yield Finding(PROPERTIES, f"a policy names the operation {id}, which does not exist")
        for value in parameters.values():
            for name in re.findall(r"@connectionParameters\('([^']+)'", str(value)):
                if name not in connector.properties.get("connectionParameters", {}):
                    yield Finding(PROPERTIES, f"a policy reads {name}, which nobody enters")


def script_fits(connector: PowerConnector) -> Iterator[Finding]:
    """The script's table names operations that exist, and every path of our own is in it."""
    text = connector.files.get(SCRIPT, b"").decode()
    known = connector.by_id()
    routes: dict[str, Any] = {}
    if text:
        found = TABLE.search(text)
        try:
            routes = json.loads(found["table"].replace('""', '"')) if found else {}
        except ValueError:
            yield Finding(SCRIPT, "its table is no JSON")
            return
        for id, route in routes.items():
            if id not in known:
                yield Finding(SCRIPT, f"knows the operation {id}, which does not exist")
            elif not {"options", "once"} & set(route) and route.get("virtual") != known[id].path:
                yield Finding(SCRIPT, f"expects {id} at {route.get('virtual')}, and it is at {known[id].path}")
        for operation in connector.operations:
            if operation.method != "get" and "once" not in routes.get(operation.where, {}):
                yield Finding(operation.where, "writes, and the script does not keep the platform from repeating it")
    policies = connector.properties.get("policyTemplateInstances", ())
    routed = {id for one in policies for id in one.get("parameters", {}).get("x-ms-apimTemplate-operationName", ())}
    for operation in connector.operations:
        if operation.path.startswith(("/options/", "/trigger/")) and operation.where not in {*routes, *routed}:
            yield Finding(operation.where, "has a path of our own that nothing sends anywhere")


def _fields(connector: PowerConnector) -> Iterator[tuple[Operation, str, Mapping[str, Any]]]:
    for operation in connector.operations:
        for parameter in operation.parameters:
            if parameter.get("in") != "body":
                yield operation, str(parameter.get("name")), parameter
        for at, schema in schemas(operation.body or {}, "body"):
            yield operation, at, schema


def _exists(operation: Operation, place: str) -> bool:
    first, _, rest = place.partition("/")
    parameter = next((one for one in operation.parameters if one.get("name") == first), None)
    return parameter is not None and (not rest or at_path(parameter.get("schema", {}), rest) is not None)


RULES = (
    dropdowns_come_in_both_forms,
    dropdowns_resolve,
    dropdowns_are_given_what_they_need,
    webhooks_are_complete,
    polls_give_lists,
    triggers_are_known,
    policies_resolve,
    script_fits,
)
