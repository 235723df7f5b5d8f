"""The lines of JavaScript that send a manifest's request to the service, exactly as the runtime would."""

from __future__ import annotations

import re

from connector.core.manifest.model import Manifest
from connector.core.wire import Wire
from connector.export.service_request import Placed, ServiceRequest, service_request
from connector.export.zapier.sources import literal, part

QUELLE = "zapier"


def sending(manifest: Manifest, wire: Wire, more: str = "") -> str:
    """Lines that leave the service's answer in `answer`. `more` is an object with further query parameters."""
    own = part("requests", manifest.id)
    if own is not None:
        return f"{own}\nconst {{ data: answer }} = await z.request(request);"
    request = service_request(manifest, wire)
    if request is None:
        raise TypeError(f"{manifest.id} sends nothing")
    pairs = [f"{literal(name)}: {literal(value)}" for name, value in request.fixed.items()]
    pairs += [_pair(placed) for placed in request.query]
    if request.carries_quelle:
        pairs.append("quelle: QUELLE")
    if request.marker.place == "query":
        pairs.append(f"{literal(request.marker.name)}: {literal(request.marker.value)}")
    if more:
        pairs.append(f"...{more}")
    asked = [f"method: {literal(request.method)}", f"url: {_url(request)}"]
    if pairs:
        asked.append(f"params: prune({{ {', '.join(pairs)} }})")
    if request.marker.place == "header":
        asked.append(f"headers: {{ {literal(request.marker.name)}: {literal(request.marker.value)} }}")
    if request.body:
        asked.append(f"body: prune({{ {', '.join(map(_pair, request.body))} }})")
    return f"const {{ data: answer }} = await z.request({{ {', '.join(asked)} }});"


def _pair(placed: Placed) -> str:
    return f"{literal(placed.name)}: inputs.{placed.field.name}"


def _url(request: ServiceRequest) -> str:
    if request.choice is not None:
        return f"{literal(dict(request.paths))}[inputs.{request.choice.name}]"
    if not request.in_path:
        return literal(request.path)
    path = re.sub(r"\{(\w+)\}", r"${encodeURIComponent(inputs.\1)}", request.path)
    return f"`{path}`"
