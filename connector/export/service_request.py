"""What a manifest sends to the service under the wire names in force, for exporters that write requests down.

It says the same as `runtime/requests/request.py`, but about any inputs: which field goes where, under which name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from connector.core.data.fields import Field
from connector.core.manifest.model import Manifest
from connector.core.service.wire import Marker, Wire
from connector.runtime.requests.request import wire_name

BESIDE = ("beside_query", "beside_body")
"""Places of inputs whose names are not known before they are filled in, which only Kontor can send."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A field, and what the service calls it."""

    field: Field
    name: str


@dataclass(frozen=True, slots=True)
class ServiceRequest:
    """One request, before its inputs are known."""

    method: str
    path: str
    """With `{name}` for path inputs; empty where an input chooses the path."""
    choice: Field | None
    """The input that chooses the path."""
    paths: Mapping[str, str]
    """The paths to choose from, by the choosing input's value."""
    fixed: Mapping[str, str]
    """Query parameters that are always the same."""
    query: tuple[Placed, ...]
    body: tuple[Placed, ...]
    in_path: tuple[Field, ...]
    absent: tuple[Field, ...]
    """Fields whose parameter this service does not have, or whose names nobody knows yet."""
    carries_quelle: bool
    marker: Marker
    """How the request says that it fills a dropdown; place `none` for other requests."""

    @property
    def writes(self) -> bool:
        """Whether the method may change something."""
        return self.method != "GET"

    @property
    def addresses(self) -> list[tuple[str, str]]:
        """Every path that it may go to, with the value that chooses it, if one does."""
        return [(path, value) for value, path in self.paths.items()] if self.choice else [(self.path, "")]


def is_free_call(manifest: Manifest) -> bool:
    """Whether method and path are inputs, so that it can call any path of the service."""
    return manifest.request is None and {"method", "path"} <= {field.name for field in manifest.inputs}


def service_request(manifest: Manifest, wire: Wire) -> ServiceRequest | None:
    """The manifest's request; None when it sends nothing, or builds its request itself."""
    request = manifest.request
    if request is None:
        return None
    query: list[Placed] = []
    body: list[Placed] = []
    absent: list[Field] = []
    for field in manifest.inputs:
        if field.place not in ("query", "body", *BESIDE):
            continue
        name = None if field.place in BESIDE else wire_name(field, wire)
        if name is None:
            absent.append(field)
        else:
            (query if field.place == "query" else body).append(Placed(field, name))
    return ServiceRequest(
        method=request.method,
        path=request.path or "",
        choice=next((field for field in manifest.inputs if field.name == request.by), None),
        paths=request.choose,
        fixed=request.query,
        query=tuple(query),
        body=tuple(body),
        in_path=tuple(field for field in manifest.inputs if field.place == "path"),
        absent=tuple(absent),
        carries_quelle=manifest.carries_quelle,
        marker=wire.marker if manifest.carries_marker else Marker("none"),
    )
