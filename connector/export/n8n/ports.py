"""Finds the TypeScript that stands in for a handler, and says what has none.

A handler in Python cannot run in n8n. Its counterpart is `typescript/service/<kind>/<id>.ts`, which exports functions
of the same names; it is found by being there. What has no counterpart is reported, never left out silently.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Literal

from connector.core.manifest.model import Action, Lookup, Manifest, Trigger
from connector.core.messages import say
from connector.export.shape import Dropped
from connector.runtime.handlers import offered

FOLDER = Path(__file__).parent / "typescript"
FUNCTIONS = {
    "action": ("check", "request", "shape"),
    "lookup": ("options",),
    "trigger": ("ask", "check", "fires", "turn"),
}
ONLY_A_GUARD = frozenset({"check"})
"""Without it the package still does the right thing, only with a mistake found later, by the service."""
_EXPORTS = re.compile(r"^export (?:function|const) (\w+)|^export \{([^}]*)\}", re.MULTILINE)


@lru_cache(maxsize=4)
def sources(via: str) -> dict[str, str]:
    """All TypeScript of the package that is not generated, by its path within the engine."""
    found = {}
    for part in ("shared", via):
        folder = FOLDER / part
        for path in sorted(folder.rglob("*.ts")):
            found[path.relative_to(folder).as_posix()] = path.read_text(encoding="utf-8")
    return found


def port_of(manifest: Manifest) -> str:
    """Where the counterpart of a manifest's handler lies within the engine."""
    return f"{manifest.kind}s/{manifest.id}.ts"


def missing(manifest: Manifest) -> list[Dropped]:
    """What of a manifest cannot be done by a package that talks to the service itself."""
    kind = _kind(manifest)
    if manifest.request is None and isinstance(manifest, Trigger) and manifest.source == "poll":
        return [Dropped("trigger", manifest.id, say("dropped_no_call"))]
    there = _exported(sources("service").get(port_of(manifest), ""))
    wanted = {name for name in FUNCTIONS[kind] if offered(manifest, name) is not None} - there
    if wanted - ONLY_A_GUARD:
        names = ", ".join(sorted(wanted - ONLY_A_GUARD))
        return [Dropped(kind, manifest.id, say("dropped_no_port", names=names))]
    return [Dropped("check", manifest.id, say("dropped_not_checked")) for _ in wanted]


def _exported(source: str) -> set[str]:
    names: set[str] = set()
    for single, several in _EXPORTS.findall(source):
        names |= {single} if single else {part.strip() for part in several.split(",")}
    return names


def _kind(manifest: Manifest) -> Literal["action", "lookup", "trigger"]:
    match manifest:
        case Action():
            return "action"
        case Lookup():
            return "lookup"
        case _:
            return "trigger"
