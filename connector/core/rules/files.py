"""The rule about files: how they begin, how their names end, how large they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from connector.core.rules.finding import Finding, Findings, Form

Inputs = Mapping[str, Any]
Kinds = Mapping[str, Mapping[str, Any]]
MEGABYTE = 1024 * 1024


def file(declared: Mapping[str, Any], inputs: Inputs, form: Form, known: Kinds) -> Findings:
    """Each file begins like one of the kinds, its name ends accordingly, and it is not too large."""
    kinds = {name: known[name] for name in declared["kinds"]}
    limit = int(declared["most_mb"]) * MEGABYTE
    for number, entry in enumerate(inputs.get(declared["each"], ())):
        content, name = entry[declared["content"]], entry[declared["name"]]
        place = f"{declared['each']}[{number}]."
        values = {"line": number + 1, "file": name}
        excess = len(content) - limit
        if excess > 0:
            sizes = {"size": len(content), "limit": limit, "excess": excess}
            yield Finding("too_large", place + declared["content"], {**values, **sizes})
            continue
        kind = next((kind for kind in kinds.values() if _begins_like(content, kind)), None)
        if kind is None:
            labels = ", ".join(kind["label"] for kind in kinds.values())
            yield Finding("unknown_kind", place + declared["content"], {**values, "kinds": labels})
        elif not name.lower().endswith(tuple(kind["endings"])):
            endings = ", ".join(kind["endings"])
            yield Finding("misnamed", place + declared["name"], {**values, "kind": kind["label"], "endings": endings})


def _begins_like(content: bytes, kind: Mapping[str, Any]) -> bool:
    return any(
        all(content[part["at"] :].startswith(bytes.fromhex(part["hex"])) for part in parts) for parts in kind["begins"]
    )
