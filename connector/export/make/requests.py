"""Writes the request of an action, a lookup or a poll as Make's communication, to the service or to a Kontor host."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from connector.core.data.fields import Field
from connector.core.manifest.model import Action, Lookup
from connector.export.make import iml
from connector.export.make.names import QUELLE
from connector.export.service_request import Placed, ServiceRequest, is_free_call
from connector.export.unexpressed import duplicates
from connector.runtime.requests.request import attribute

Communication = dict[str, Any]


def to_service(request: ServiceRequest, scope: str = "") -> Communication:
    """The request as the runtime sends it. `scope` begins the names of the parameters it reads."""
    path = iml.chosen(request.choice, dict(request.paths), scope) if request.choice else request.path
    made: Communication = {
        "url": iml.path(path, request.in_path, scope),
        "method": request.method,
        "qs": {**request.fixed, **_placed(request.query, scope)},
    }
    if request.in_path:
        made["encodeUrl"] = False  # the segments are encoded already
    if request.carries_quelle:
        made["qs"]["quelle"] = QUELLE
    if request.marker.place == "query":
        made["qs"][request.marker.name] = request.marker.value
    elif request.marker.place == "header":
        made["headers"] = {request.marker.name.lower(): request.marker.value}
    if request.writes:
        made["body"] = _placed(request.body, scope) or iml.NOTHING
    return made


def to_any_path(action: Action) -> Communication:
    """The request whose method and path a person enters; those that begin like the ledger's carry the label."""
    fields = {field.name: field for field in action.inputs}
    begins = iml.literal(attribute(action, "LEDGER"))
    ledger = iml.whole(f"if(indexOf(parameters.path, {begins}) == 0, {iml.literal(QUELLE)}, undefined)")
    made: Communication = {
        "url": "{{parameters.path}}",
        "method": iml.value(fields["method"]),
        "qs": {"{{...}}": iml.value(fields["query"]), "quelle": ledger},
    }
    if "body" not in fields:
        return made
    # The body is JSON already, and leaves as it was entered.
    return {**made, "headers": {"content-type": "application/json"}, "type": "text", "body": "{{parameters.body}}"}


def run_on_host(action: Action) -> Communication:
    """The same through a host, which checks, journals and sends it."""
    body: dict[str, Any] = {"inputs": run_inputs(action.inputs)}
    if is_free_call(action):
        body["inputs"]["body"] = iml.from_json("body")
    if action.writes:
        body["key"] = "{{parameters.key}}"
    if duplicates(action):
        body["again"] = "{{parameters.again}}"
    return {"url": f"/v1/actions/{action.id}/run", "method": "POST", "qs": {}, "body": body}


def options_of_host(lookup: Lookup, scope: str) -> Communication:
    """A dropdown's options through a host, which keeps them for a while."""
    return {
        "url": f"/v1/lookups/{lookup.id}",
        "method": "POST",
        "qs": {},
        "body": {"inputs": run_inputs(lookup.inputs, scope)},
    }


def _placed(placed: Iterable[Placed], scope: str) -> dict[str, str]:
    return {one.name: iml.value(one.field, scope) for one in placed if not one.field.internal}


def run_inputs(fields: Iterable[Field], scope: str = "") -> dict[str, str]:
    """The inputs of a run, a lookup or a subscription, as the host takes them."""
    return {field.name: iml.value(field, scope) for field in fields if not field.internal}
