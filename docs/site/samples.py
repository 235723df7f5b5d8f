"""Samples of a call, ready to be copied: command line, HTTP and Python, all from the examples of a manifest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, datetime
from typing import Any

from connector.core.data.fields import Field
from connector.core.manifest.model import Action, Lookup, Manifest, Trigger
from connector.export.handlers.python_handlers import inner_name
from connector.interfaces.cli.commands.describe import EXAMPLE_KEY, example_inputs
from connector.interfaces.console.frame.snippets import curl, curl_post
from connector.runtime.requests.request import class_name

HOST_URL = "http://127.0.0.1:8321"
TARGET_URL = "https://flows.example/hooks/kontor"
WIDTH = 88
INDENT = "    "


def http_run(action: Action) -> str:
    """Run an action on a host."""
    return curl(HOST_URL, action.id, example_inputs(action.raw), _key(action))


def http_options(lookup: Lookup) -> str:
    """Ask a host for the options of a lookup."""
    return curl_post(f"{HOST_URL}/v1/lookups/{lookup.id}", {"inputs": example_inputs(lookup.raw)})


def http_poll(trigger: Trigger) -> str:
    """Poll a trigger once through a host."""
    return curl_post(f"{HOST_URL}/v1/triggers/{trigger.id}/poll", {"inputs": example_inputs(trigger.raw)})


def http_subscribe(trigger: Trigger) -> str:
    """Subscribe to a trigger at a host."""
    body = {"trigger": trigger.id, "inputs": example_inputs(trigger.raw), "target_url": TARGET_URL}
    return curl_post(f"{HOST_URL}/v1/subscriptions", body)


def python_invoke(action: Action) -> str:
    """Run an action by its id."""
    given, key = example_inputs(action.raw), _key(action)
    arguments = [repr_of(action.id)] + ([literal(given, 2)] if given else []) + ([f"key={repr_of(key)}"] if key else [])
    return _session(f"    result = {_call('kontor.invoke', arguments, 1)}\n    print(result.output)\n", ())


def python_run(action: Action) -> str:
    """Run an action by its handler."""
    key = _key(action)
    arguments = [_handler(action, 2)] + ([f"key={repr_of(key)}"] if key else [])
    return _session(f"    result = {_call('kontor.run', arguments, 1)}\n    print(result.output)\n", _imports(action))


def python_watch(trigger: Trigger) -> str:
    """Watch a trigger by its handler."""
    watched = _call("kontor.watch", [_handler(trigger, 2)], 1)
    return _session(f"    for item in {watched}:\n        print(item)\n", _imports(trigger))


def python_options(lookup: Lookup) -> str:
    """Ask for the options of a lookup."""
    given = example_inputs(lookup.raw)
    arguments = [repr_of(lookup.id)] + ([literal(given, 2)] if given else [])
    asked = _call("kontor.options", arguments, 1)
    return _session(f"    for option in {asked}.options:\n        print(option.value, option.label)\n", ())


PYTHON_DELIVERY = """\
from collections.abc import Mapping

from connector import verify_delivery


def receive(headers: Mapping[str, str], body: bytes, secret: str) -> None:
    item = verify_delivery(headers, body, secret)  # raises InputError if it is not the host's
    print(item["_id"])
"""


def literal(value: Any, depth: int) -> str:
    """Return a JSON value as a Python expression that stands `depth` levels deep."""
    if isinstance(value, Mapping):
        entries = [f"{repr_of(name)}: {literal(one, depth + 1)}" for name, one in value.items()]
        return _broken("{", entries, "}", depth)
    if isinstance(value, list):
        return _broken("[", [literal(one, depth + 1) for one in value], "]", depth)
    return repr_of(value)


def repr_of(value: Any) -> str:
    """Return a plain value as Python, texts in double quotes."""
    text = repr(value)
    return f'"{value}"' if isinstance(value, str) and text == f"'{value}'" and '"' not in value else text


def _key(action: Action) -> str | None:
    return EXAMPLE_KEY if action.writes else None


def _session(body: str, imports: tuple[str, ...]) -> str:
    standard = sorted(line for line in imports if not line.startswith("from connector"))
    own = ["from connector import Connector", *(line for line in imports if line.startswith("from connector"))]
    head = "\n".join([*standard, *([""] if standard else []), *own])
    return f"{head}\n\nwith Connector().open() as kontor:\n{body}"


def _handler(manifest: Action | Trigger, depth: int) -> str:
    """The handler with its example inputs."""
    given = example_inputs(manifest.raw)
    fields = [field for field in manifest.inputs if field.name in given]
    arguments = [f"{field.name}={_typed(field, given[field.name], '', depth + 1)}" for field in fields]
    return _call(class_name(manifest.id), arguments, depth)


def _typed(field: Field, value: Any, within: str, depth: int) -> str:
    """An example as the type that the handler declares."""
    if field.fields:
        name = inner_name(field, within)
        if field.type == "list":
            return _broken("[", [_inner(field, one, name, depth + 1) for one in value], "]", depth)
        return _inner(field, value, name, depth)
    match field.type:
        case "money" | "number":
            return f'Decimal("{value}")'
        case "date":
            day = date.fromisoformat(value)
            return f"date({day.year}, {day.month}, {day.day})"
        case "date-time":
            return f'datetime.fromisoformat("{datetime.fromisoformat(value).isoformat()}")'
        case _:
            return literal(value, depth)


def _inner(field: Field, value: Mapping[str, Any], name: str, depth: int) -> str:
    fields = {one.name: one for one in field.fields}
    given = [f"{key}={_typed(fields[key], one, name, depth + 1)}" for key, one in value.items()]
    return _call(name, given, depth)


def _imports(manifest: Action | Trigger) -> tuple[str, ...]:
    """What the handler with its example inputs needs."""
    given = example_inputs(manifest.raw)
    text, own = _handler(manifest, 0), [class_name(manifest.id)]
    own += _inner_names([(field, given[field.name]) for field in manifest.inputs if field.name in given], "")
    home = f"connector.{manifest.kind}s" + (f".{manifest.area}.{manifest.id}" if len(own) > 1 else "")
    days = [name for name in ("date", "datetime") if f"{name}(" in text or f"{name}." in text]
    return (
        *((f"from datetime import {', '.join(days)}",) if days else ()),
        *(("from decimal import Decimal",) if "Decimal(" in text else ()),
        f"from {home} import {', '.join(sorted(own))}",
    )


def _inner_names(fields: list[tuple[Field, Any]], within: str) -> Iterator[str]:
    for field, value in fields:
        if field.fields:
            name = inner_name(field, within)
            yield name
            used = {key for one in (value if isinstance(value, list) else [value]) for key in one}
            some = value[0] if isinstance(value, list) else value
            yield from _inner_names([(one, some.get(one.name, {})) for one in field.fields if one.name in used], name)


def _call(name: str, arguments: list[str], depth: int) -> str:
    return _broken(f"{name}(", arguments, ")", depth)


def _broken(opening: str, parts: list[str], closing: str, depth: int) -> str:
    """Return the parts on one line, or each on its own where they are too long for one."""
    line = f"{opening}{', '.join(parts)}{closing}"
    if "\n" not in line and len(line) + len(INDENT) * depth <= WIDTH - 12:
        return line
    inner = "".join(f"{INDENT * (depth + 1)}{part},\n" for part in parts)
    return f"{opening}\n{inner}{INDENT * depth}{closing}"


def python_of(manifest: Manifest) -> list[str]:
    """Return every Python sample of a manifest."""
    match manifest:
        case Action():
            return [python_run(manifest), python_invoke(manifest)]
        case Trigger(source="poll"):
            return [python_watch(manifest)]
        case Lookup():
            return [python_options(manifest)]
        case _:
            return [PYTHON_DELIVERY]
