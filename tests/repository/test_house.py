"""The house: rooms in layers, arrows that go one way, no circle of imports."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
LAYERS = (
    "connector.version",
    "connector.core",
    "connector.resources",
    "connector.client",
    "connector.store",
    "connector.runtime",
    "connector.durable",
    "connector.operations",
    "connector.export",
    "connector.testing",
    "connector.interfaces",
)
"""From the bottom up: a room imports rooms below it, and itself."""
HANDLERS = ("actions", "triggers")
LINKED = ("actions", "triggers", "manifests", "sandbox")
"""Folders at the top that are linked into the package."""
NO_ROOMS = {"__pycache__", *LINKED}
MOST_ROOMS = 10
MOST_ENTRIES = 16
MANY = ("connector/store/migrations/versions", "tests/cases")
"""Migrations and cases may be many; manifests stand in folders by area."""
MADE_BY_MACHINE = {"__pycache__", "build", "resources.py"}


def test_no_module_imports_itself_through_others() -> None:
    assert _circles_in("connector", *HANDLERS) == []


def test_no_folder_imports_itself_through_others() -> None:
    imports = _imports("connector")
    folders = {module for module in imports if (ROOT / module.replace(".", "/")).is_dir()}
    arrows: dict[str, set[str]] = {folder: set() for folder in folders}
    for module, targets in imports.items():
        one = _folder(module, folders)
        arrows[one] |= {other for other in (_folder(target, folders) for target in targets) if _beside(one, other)}
    assert [circle for circle in _circles(arrows) if len(circle) > 1] == []


def test_no_module_of_the_sandbox_or_the_benchmarks_imports_itself_through_others() -> None:
    assert _circles_in("sandbox") == []
    assert _circles_in("bench") == []


def test_the_sandbox_imports_nothing_of_the_connector() -> None:
    imports = _imports("sandbox", "connector")
    own = {module: found for module, found in imports.items() if module.startswith("connector.sandbox")}
    assert own
    assert not [(module, one) for module, found in own.items() for one in found - own.keys()]


def test_no_arrow_runs_back_up() -> None:
    upward = [
        (module, target)
        for module, targets in _imports("connector", *HANDLERS).items()
        for target in targets
        if _layer(target) > _layer(module)
    ]
    assert upward == []


def test_there_are_few_rooms_on_a_floor() -> None:
    rooms = [path for path in (ROOT / "connector").iterdir() if path.is_dir() and path.name not in NO_ROOMS]
    assert len(rooms) <= MOST_ROOMS


def test_no_folder_is_crowded() -> None:
    tops = ("connector", "actions", "triggers", "sandbox", "bench", "docs", "tests")
    folders = [path for top in tops for path in (ROOT / top, *(ROOT / top).rglob("*")) if path.is_dir()]
    crowded = {
        str(folder.relative_to(ROOT)): len(entries)
        for folder in (ROOT, *folders)
        if not folder.is_symlink() and not MADE_BY_MACHINE & set(folder.parts)
        if len(entries := [path for path in folder.glob("[!.]*") if _counts(path)]) > MOST_ENTRIES
    }
    assert crowded.keys() - set(MANY) == set()


def test_every_test_that_a_document_names_is_there() -> None:
    documents = [path for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")) if path.name != "CHANGELOG.md"]
    named = {name for path in documents for name in re.findall(r"`(?:tests/)?([\w/]+/test_\w+\.py)`", path.read_text())}
    assert len(named) > 20
    assert {name for name in named if not (ROOT / "tests" / name).exists()} == set()


def test_what_stands_at_the_top_is_linked_into_the_package() -> None:
    for name in LINKED:
        assert (ROOT / "connector" / name).readlink() == Path("..") / name


def test_only_the_guard_against_private_targets_goes_below_httpx_and_nothing_below_pydantic() -> None:
    below = {
        str(path.relative_to(ROOT))
        for package in ("connector", "actions", "triggers", "sandbox", "bench", "tests")
        for path in (ROOT / package).rglob("*.py")
        if any(name.split(".")[0] in ("httpcore", "pydantic_core") for name in _named(path))
    }
    assert below == {"connector/durable/sending/pinned_address.py"}


def _counts(entry: Path) -> bool:
    """Whether somebody has made it."""
    return entry.name not in MADE_BY_MACHINE and entry.suffix != ".egg-info" and entry != ROOT / "dist"


def _named(path: Path) -> list[str]:
    """The modules that a file imports."""
    statements = _import_statements(path)
    plain = [alias.name for node in statements if isinstance(node, ast.Import) for alias in node.names]
    return plain + [node.module or "" for node in statements if isinstance(node, ast.ImportFrom)]


def _circles_in(*packages: str) -> list[list[str]]:
    return [circle for circle in _circles(_imports(*packages)) if len(circle) > 1]


def _folder(module: str, folders: set[str]) -> str:
    return module if module in folders else _folder(module.rpartition(".")[0], folders)


def _beside(one: str, other: str) -> bool:
    """Whether neither folder holds the other."""
    return not f"{one}.".startswith(f"{other}.") and not f"{other}.".startswith(f"{one}.")


def _layer(module: str) -> int:
    """Handlers are pure and stand beside the resources; the package itself may name anything."""
    if any(module.startswith(f"connector.{name}.") for name in HANDLERS):
        return LAYERS.index("connector.resources")
    found = [place for place, room in enumerate(LAYERS) if module == room or module.startswith(f"{room}.")]
    return found[0] if found else len(LAYERS)


def _imports(*packages: str) -> dict[str, set[str]]:
    """What each module imports, wherever in the file that stands and whether or not it is only for types."""
    files = {_name(path): path for package in packages for path in (ROOT / package).rglob("*.py")}
    return {module: _imported(path, module, set(files)) for module, path in files.items()}


def _imported(path: Path, module: str, known: set[str]) -> set[str]:
    found: set[str] = set()
    for node in _import_statements(path):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif node.module:
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= (inner & known) or {node.module}
    return {one for one in found if one in known and one != module}


@cache
def _import_statements(path: Path) -> list[ast.Import | ast.ImportFrom]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]


def _name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(("connector", *parts) if parts[0] in LINKED else parts).removesuffix(".__init__")


def _circles(imports: dict[str, set[str]]) -> list[list[str]]:
    """The strongly connected parts of the graph, by Tarjan's algorithm."""
    index: dict[str, int] = {}
    low: dict[str, int] = defaultdict(int)
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(module: str) -> None:
        index[module] = low[module] = len(index)
        stack.append(module)
        for target in imports[module]:
            if target not in index:
                visit(target)
                low[module] = min(low[module], low[target])
            elif target in stack:
                low[module] = min(low[module], index[target])
        if low[module] == index[module]:
            at = stack.index(module)
            found.append(sorted(stack[at:]))
            del stack[at:]

    for module in imports:
        if module not in index:
            visit(module)
    return found
