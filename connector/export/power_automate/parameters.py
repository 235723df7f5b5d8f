"""Parameters of an operation: those a person fills in, and those that are always the same."""

from __future__ import annotations

from typing import Any, Literal

from connector.core.data.fields import Field
from connector.core.manifest.model import Manifest
from connector.core.messages import Text, say
from connector.export.power_automate.dropdowns import dropdown, segment
from connector.export.power_automate.names import QUELLE
from connector.export.power_automate.schemas import input_type, must_be_given, visibility
from connector.export.service_request import ServiceRequest
from connector.export.shape import ExportOptions
from connector.runtime.connector import Connector

Parameter = dict[str, Any]
Place = Literal["query", "path", "header"]


def entered(
    field: Field, name: str, place: Place, names: dict[str, str], connector: Connector, options: ExportOptions
) -> Parameter:
    """A parameter that a form shows."""
    made: Parameter = {
        "name": name,
        "in": place,
        "required": place == "path" or must_be_given(field),
        **input_type(field, options.lang),
        "x-ms-summary": field.label.in_(options.lang),
        "description": " ".join(field.help.in_(options.lang).split()),
        **visibility(field),
        **dropdown(field, names, connector, options),
    }
    if place == "path":
        made["x-ms-url-encoding"] = "single"
    return made


def fixed(name: str, value: str, place: Place, lang: str) -> Parameter:
    """A parameter that nobody sees and that is always the same."""
    return {
        "name": name,
        "in": place,
        "required": True,
        "type": "string",
        "default": value,
        "x-ms-summary": say("power_fixed").in_(lang),
        "description": say("power_fixed_help").in_(lang),
        "x-ms-visibility": "internal",
    }


def hidden(name: str, label: Text, help: Text, lang: str) -> Parameter:
    """A query parameter that only the platform fills in."""
    return {
        "name": name,
        "in": "query",
        "required": False,
        "type": "string",
        "x-ms-summary": label.in_(lang),
        "description": help.in_(lang),
        "x-ms-visibility": "internal",
    }


def of_request(
    manifest: Manifest, request: ServiceRequest, connector: Connector, options: ExportOptions
) -> list[Parameter]:
    """The parameters of a request to the service, without its body."""
    names = places(request)
    made = [entered(field, field.name, "path", names, connector, options) for field in request.in_path]
    if request.choice is not None:
        made.append(_choice(manifest, request.choice, connector, options))
    made += [
        entered(placed.field, placed.name, "query", names, connector, options)
        for placed in request.query
        if not placed.field.internal
    ]
    made += [fixed(name, value, "query", options.lang) for name, value in request.fixed.items()]
    if request.carries_quelle:
        made.append(fixed("quelle", QUELLE, "query", options.lang))
    if request.marker.place in ("query", "header"):
        place: Place = "query" if request.marker.place == "query" else "header"
        made.append(fixed(request.marker.name, request.marker.value, place, options.lang))
    return made


def places(request: ServiceRequest) -> dict[str, str]:
    """Where each input of a form is found, as dropdowns refer to it."""
    found = {field.name: field.name for field in request.in_path}
    found |= {placed.field.name: placed.name for placed in request.query}
    return {**found, **{placed.field.name: f"body/{placed.name}" for placed in request.body}}


def _choice(manifest: Manifest, field: Field, connector: Connector, options: ExportOptions) -> Parameter:
    """The input that decides the path: its values are the parts in which the paths differ."""
    made = entered(field, field.name, "path", {}, connector, options)
    made["enum"] = [segment(manifest, choice.value) for choice in field.values]
    made["x-ms-enum-values"] = [
        {"value": segment(manifest, choice.value), "displayName": choice.label.in_(options.lang)}
        for choice in field.values
    ]
    if field.default is not None:
        made["default"] = segment(manifest, str(field.default))
    return made
