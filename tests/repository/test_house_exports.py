"""The house of exports: the TypeScript core's rooms in layers, adapters above it, no circle of imports, no crowd."""

from __future__ import annotations

import os.path
import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CORE = "connector/export/node/core"
LAYERS = (
    "values",
    "messages",
    "platform",
    "manifest",
    "rules",
    "answers",
    "polls",
    "events",
    "client",
    "poller",
    "writes",
    "host",
    "kontor",
    "backend",
)
"""From the bottom up: a room of the core imports rooms below it, and itself."""
BESIDE_MANIFESTS = ("actions", "triggers")
ZAPIER, N8N = "connector/export/zapier/adapter", "connector/export/n8n/typescript"
ON_NODE = "connector/export/node/adapter"
"""What adapters share whose platform runs on plain Node."""
NODE_RED, ACTIVEPIECES = "connector/export/node_red/adapter", "connector/export/activepieces/adapter"
MAX_ENTRIES = 16
GENERATED = {"__pycache__", "build"}
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_IMPORTED = re.compile(r"\bfrom '(\.[^']+)'")
"""Of an import or a re-export, whether or not it is only for types."""


def imports(*folders: str) -> dict[str, set[str]]:
    """What each module imports of ours, both by their path below the root."""
    paths = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.ts"))]
    return {str(path.relative_to(ROOT)): _imported(path) for path in paths}


def _imported(path: Path) -> set[str]:
    targets = _IMPORTED.findall(_COMMENT.sub("", path.read_text(encoding="utf-8")))
    return {os.path.normpath(path.relative_to(ROOT).parent / target) for target in targets}


def circle_in(arrows: dict[str, set[str]]) -> list[str]:
    """A circle of imports, empty where there is none."""
    try:
        TopologicalSorter(arrows).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def room_of(module: str) -> str:
    return module.removeprefix(f"{CORE}/").split("/")[0].removesuffix(".ts")


def test_no_module_imports_itself_through_others() -> None:
    arrows = imports(CORE, *BESIDE_MANIFESTS, ZAPIER, ON_NODE, NODE_RED, ACTIVEPIECES)
    assert circle_in(arrows) == []
    assert {target for targets in arrows.values() for target in targets} <= set(arrows)


def test_no_room_imports_itself_through_others() -> None:
    arrows: dict[str, set[str]] = {}
    for module, targets in imports(CORE).items():
        arrows.setdefault(room_of(module), set()).update(map(room_of, targets))
    assert circle_in({room: targets - {room} for room, targets in arrows.items()}) == []


def test_no_arrow_runs_back_up() -> None:
    upward = [
        (module, target)
        for module, targets in imports(CORE).items()
        for target in targets
        if LAYERS.index(room_of(target)) > LAYERS.index(room_of(module))
    ]
    assert upward == []


def test_the_core_knows_nobody_above_it() -> None:
    assert [target for targets in imports(CORE).values() for target in targets if not target.startswith(CORE)] == []


@pytest.mark.parametrize("folder", [ZAPIER, ON_NODE, NODE_RED, ACTIVEPIECES, *BESIDE_MANIFESTS])
def test_whoever_uses_the_core_imports_it_and_its_own_folder(folder: str) -> None:
    """n8n's adapter imports what an export writes beside it: `tests/export` follows that in the package."""
    below = (CORE, folder, *((ON_NODE,) if folder in (NODE_RED, ACTIVEPIECES) else ()))
    found = {target for targets in imports(folder).values() for target in targets}
    assert {target for target in found if not target.startswith(below)} == set()


def test_a_folder_is_seen_at_a_glance() -> None:
    folders = [
        path for name in ("connector/export", "tests/export") for path in [ROOT / name, *(ROOT / name).rglob("*")]
    ]
    entries = {
        str(folder.relative_to(ROOT)): len([path for path in folder.iterdir() if path.name not in GENERATED])
        for folder in folders
        if folder.is_dir() and not GENERATED & set(folder.parts)
    }
    assert {CORE, ZAPIER, NODE_RED, f"{N8N}/shared"} <= set(entries)
    assert {folder: count for folder, count in entries.items() if count > MAX_ENTRIES} == {}


@pytest.mark.parametrize(
    ("arrows", "circle"),
    [
        ({"a": {"b"}, "b": {"c"}, "c": set()}, []),
        ({"a": {"b"}, "b": {"a"}}, ["a", "b", "a"]),
    ],
)
def test_a_circle_is_noticed(arrows: dict[str, set[str]], circle: list[str]) -> None:
    assert circle_in(arrows) == circle
