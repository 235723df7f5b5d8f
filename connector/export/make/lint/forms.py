"""Rules about a Make app's forms, dropdowns, interfaces and samples."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import parse_qsl

from connector.export.make.lint.app import MakeApp, deep
from connector.export.shape import Finding

RPC = re.compile(r"rpc://(?P<id>[^?]+)(?:\?(?P<query>.*))?")
READ = re.compile(r"\{\{parameters\.([A-Za-z0-9_]+)\}\}")
FITS: dict[str, tuple[type, ...]] = {
    "text": (str,),
    "date": (str,),
    "number": (int, float),
    "integer": (int,),
    "uinteger": (int,),
    "boolean": (bool,),
    "collection": (dict,),
    "array": (list,),
}


def parameters_are_named(app: MakeApp) -> Iterator[Finding]:
    """Every parameter and every field of a collection has a name, a type and a label."""
    for component in app.components:
        for code in ("params", "staticParams", "mappableParams", "interface"):
            for parameter in deep(app.code(component, code)):
                if "name" not in parameter and set(parameter) == {"type"}:
                    continue  # what a list of plain values holds
                for part in ("name", "type", "label"):
                    if not parameter.get(part):
                        yield Finding(component.where, f"a parameter in {code} has no {part}: {str(parameter)[:60]}")


def names_are_unique(app: MakeApp) -> Iterator[Finding]:
    """No two parameters of a form have the same name."""
    for component in app.components:
        names = [parameter.get("name") for _, parameter in app.form(component)]
        for name in sorted({str(name) for name in names if names.count(name) > 1}):
            yield Finding(component.where, f"has the parameter {name} twice")


def options_are_there(app: MakeApp) -> Iterator[Finding]:
    """A choice offers something."""
    for component in app.components:
        for where, parameter in app.form(component):
            if parameter.get("type") == "select" and not _store(parameter):
                yield Finding(where, f"the choice {parameter.get('name')} offers nothing")


def dropdowns_resolve(app: MakeApp) -> Iterator[Finding]:
    """The RPC behind a dropdown exists, takes what it is given, and is given what the form has."""
    rpcs = {rpc.id: {one.get("name") for one in app.code(rpc, "params") or ()} for rpc in app.of_kind("rpc")}
    for component in app.components:
        known = {parameter.get("name") for _, parameter in app.form(component)}
        for where, parameter in app.form(component):
            store = _store(parameter)
            found = RPC.fullmatch(store) if isinstance(store, str) else None
            if found is None:
                continue
            if found["id"] not in rpcs:
                yield Finding(where, f"{parameter.get('name')} points to rpc://{found['id']}, which is not there")
                continue
            for name, value in parse_qsl(found["query"] or "", keep_blank_values=True):
                if name not in rpcs[found["id"]]:
                    yield Finding(where, f"rpc://{found['id']} takes no {name}")
                for read in READ.findall(value):
                    if read not in known:
                        yield Finding(where, f"the dropdown of {parameter.get('name')} reads {read}, which is no field")


def options_are_shaped(app: MakeApp) -> Iterator[Finding]:
    """An RPC gives labels and values."""
    for rpc in app.of_kind("rpc"):
        output = (app.code(rpc, "communication") or {}).get("response", {}).get("output")
        for option in output if isinstance(output, list) else [output]:
            if not isinstance(option, Mapping) or not {"label", "value"} <= set(option):
                yield Finding(rpc.where, "gives options without label and value")
                break


def samples_fit(app: MakeApp) -> Iterator[Finding]:
    """A sample has only declared fields, each of its type."""
    for module in app.of_kind("module"):
        sample, interface = app.code(module, "samples"), app.code(module, "interface")
        if isinstance(sample, dict) and isinstance(interface, list):
            yield from _misfits(module.where, sample, interface, "")


def _misfits(where: str, sample: Mapping[str, Any], interface: list[Any], at: str) -> Iterator[Finding]:
    fields = {field.get("name"): field for field in interface if isinstance(field, dict)}
    for name, value in sample.items():
        field, place = fields.get(name), f"{at}{name}"
        if field is None:
            yield Finding(where, f"the sample has {place}, which the interface does not know")
        elif value is not None:
            yield from _misfit(where, value, field, place)


def _misfit(where: str, value: Any, field: Mapping[str, Any], place: str) -> Iterator[Finding]:
    kinds = FITS.get(str(field.get("type")))
    boolean = isinstance(value, bool) and field.get("type") != "boolean"
    if kinds and (boolean or not isinstance(value, kinds)):
        yield Finding(where, f"the sample's {place} is no {field.get('type')}")
    spec = field.get("spec")
    if isinstance(spec, list) and spec:
        for inner in value if isinstance(value, list) else [value]:
            if isinstance(inner, dict):
                yield from _misfits(where, inner, spec, f"{place}.")


def _store(parameter: Mapping[str, Any]) -> Any:
    options = parameter.get("options")
    return options.get("store") if isinstance(options, dict) else options


RULES = (
    parameters_are_named,
    names_are_unique,
    options_are_there,
    dropdowns_resolve,
    options_are_shaped,
    samples_fit,
)
