"""Dropdowns: for each lookup where its answer carries options, and the two forms in which a field points to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from connector.core.data.fields import Field
from connector.core.manifest.model import Lookup
from connector.export.power_automate.names import operation_id
from connector.export.service_request import service_request
from connector.export.shape import ExportOptions
from connector.runtime.connector import Connector


@dataclass(frozen=True, slots=True)
class Listing:
    """Where the answer of a lookup's operation carries its options."""

    collection: str
    value: str = "value"
    label: str = "label"


def listing(options: ExportOptions) -> Listing:
    """How to read the answer of a lookup's operation: as the host or the script writes it."""
    return Listing("options" if options.via == "host" else "data")


def dropdown(field: Field, names: dict[str, str], connector: Connector, options: ExportOptions) -> dict[str, Any]:
    """Both forms of a field's dropdown. `names`: where other inputs of the form are found, by input name."""
    if field.lookup is None:
        return {}
    lookup = connector.lookup(field.lookup.id)
    wires = _parameter_names(lookup, options)
    old: dict[str, Any] = {}
    new: dict[str, Any] = {}
    for name, source in field.lookup.with_.items():
        if name not in wires:
            continue
        if isinstance(source, str) and source.startswith("$"):
            place = names.get(source[1:])
            if place is not None:
                old[wires[name]] = {"parameter": place.removeprefix("body/")}
                new[wires[name]] = {"parameterReference": place}
        else:
            value = segment(lookup, str(source)) if options.via == "service" else source
            constant = source if isinstance(source, bool) else value
            old[wires[name]] = constant
            new[wires[name]] = {"value": constant}
    found = listing(options)
    values: dict[str, Any] = {
        "operationId": operation_id(lookup),
        "value-path": found.value,
        "value-title": found.label,
        "value-collection": found.collection,
    }
    entries: dict[str, Any] = {
        "operationId": operation_id(lookup),
        "itemValuePath": found.value,
        "itemTitlePath": found.label,
        "itemsPath": found.collection,
    }
    if old:
        values["parameters"], entries["parameters"] = old, new
    return {"x-ms-dynamic-values": values, "x-ms-dynamic-list": entries}


def segment(manifest: Any, choice: str) -> str:
    """What stands in the path for a choice that decides it: the part in which the paths differ."""
    request = manifest.request
    if request is None or not request.choose or choice not in request.choose:
        return choice
    return str(request.choose[choice].split("/")[_differs(request.choose)])


def template(choose: dict[str, str], name: str) -> str:
    """The paths of a choice as one path with a parameter, where they differ in one part."""
    parts = next(iter(choose.values())).split("/")
    parts[_differs(choose)] = f"{{{name}}}"
    return "/".join(parts)


def _differs(choose: Any) -> int:
    split = [path.split("/") for path in choose.values()]
    differing = [at for at, parts in enumerate(zip(*split, strict=True)) if len(set(parts)) > 1]
    if len(differing) != 1:
        raise ValueError("the paths of a choice differ in more than one part")
    return differing[0]


def _parameter_names(lookup: Lookup, options: ExportOptions) -> dict[str, str]:
    request = service_request(lookup, options.wire)
    if options.via == "host" or request is None:
        return {field.name: field.name for field in lookup.inputs}
    names = {placed.field.name: placed.name for placed in request.query}
    return {**names, **({request.choice.name: request.choice.name} if request.choice else {})}
