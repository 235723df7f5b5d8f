"""The TypeScript that every Node platform carries: the core, and the code beside manifests."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from connector.core.manifest.model import Action, Manifest, Trigger

CORE = Path(__file__).parent / "core"
HOUSE = Path(__file__).parents[3]
"""Where `actions` and `triggers` stand beside `connector`."""
_ENDING = re.compile(r"(\bfrom '\.[^']*)\.ts'")
_CORE_FROM_CODE = re.compile(r"(\bfrom ')(?:\.\./)+connector/export/node/core/")


@cache
def core() -> dict[str, str]:
    """The core, by path within its folder, with imports as bundlers and compilers want them: without an ending."""
    return {path.relative_to(CORE).as_posix(): without_endings(_read(path)) for path in sorted(CORE.rglob("*.ts"))}


def code(manifests: Iterable[Manifest]) -> dict[str, str]:
    """The code beside these manifests by `kind/id.ts`, importing the core from the folder `core` two floors up."""
    found = {}
    for manifest in manifests:
        path = _beside(manifest)
        if path is not None and has_code(manifest):
            text = _CORE_FROM_CODE.sub(r"\1../../core/", without_endings(_read(path)))
            found[f"{manifest.kind}s/{manifest.id}.ts"] = text
    return found


def lacks_code(manifest: Manifest) -> bool:
    """Whether what it cannot declare is said in Python only."""
    path = _beside(manifest)
    return path is not None and not path.is_file()


def has_code(manifest: Manifest) -> bool:
    """Whether it has code that a package carries."""
    path = _beside(manifest)
    return path is not None and path.is_file()


def exported_as(id: str) -> str:
    """The name under which the code of a manifest is exported: `callApi`."""
    first, *rest = id.split("_")
    return "".join((first, *(part.capitalize() for part in rest)))


def without_endings(source: str) -> str:
    """The same source with `./x` instead of `./x.ts` in its imports."""
    return _ENDING.sub(r"\1'", source)


def _beside(manifest: Manifest) -> Path | None:
    if not isinstance(manifest, Action | Trigger) or not manifest.code:
        return None
    return HOUSE / f"{manifest.kind}s" / manifest.area / f"{manifest.id}.ts"


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")
