"""Seeded bugs: changes of the write path that the checker must catch, each with a short history that shows it.

A bug is data, `seeded_bugs/ROOM/NAME.yaml`: the promise that it breaks, the functions that it replaces, the kinds of
violation that catch it, and the operations and faults of its history. A function is known by its name and by the names
of its parameters, wherever it stands; what replaces it, `bug`, gets the original and the same parameters.
"""

from __future__ import annotations

import ast
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.histories.plan.schedule import Fault, Planned, Schedule
from tests.histories.plan.writes import Write
from tests.histories.rules.reading import CASH_BOOK, PAYMENT, PERSON

FOLDER = Path(__file__).with_name("seeded_bugs")
PACKAGES = ("connector", "actions", "triggers", "manifests", "sandbox")
ACTIONS = {"pay": PAYMENT, "book": CASH_BOOK, "save": PERSON}
CODE = ("connector", "actions", "triggers")
CENTS = 1250
BUG, ORIGINAL = "bug", "original"
PLANTED = """

def _planted(original, bug):
    def planted(*given, **named):
        return bug(original, *given, **named)

    return planted


{code}

{name} = _planted({name}, bug)
"""


@dataclass(frozen=True)
class Bug:
    """One change, and the history that shows it."""

    name: str
    promise: str
    functions: Mapping[str, str]
    """By the name of a function, or `Class.method`: the code of the `bug` that replaces it."""
    caught: frozenset[str]
    schedule: Schedule

    def places(self, root: Path) -> dict[str, list[Path]]:
        """Return, by the name of each function, the files that define it with the parameters that the bug takes."""
        places: dict[str, list[Path]] = {name: [] for name in self.functions}
        wanted = {name: _parameters_of_bug(code) for name, code in self.functions.items()}
        for package in CODE:
            for path in sorted((root / package).rglob("*.py")):
                for name, parameters in _defined(path, self.functions):
                    if parameters == wanted[name]:
                        places[name].append(path.relative_to(root))
        return places

    def plant(self, root: Path, folder: Path) -> None:
        """Copy the packages to `folder` and replace the functions in the copy."""
        for package in PACKAGES:
            shutil.copytree(root / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
        for name, files in self.places(root).items():
            if len(files) != 1:
                raise ValueError(f"{self.name}: {name} is defined in {files}, and must be defined once")
            with (folder / files[0]).open("a", encoding="utf-8") as file:
                file.write(PLANTED.format(code=self.functions[name], name=name))


def _defined(path: Path, names: Mapping[str, str]) -> Iterator[tuple[str, list[str]]]:
    """Yield those of the functions that a module defines, each with its parameters."""
    text = path.read_text(encoding="utf-8")
    if not any(f"def {name.rpartition('.')[2]}(" in text for name in names):
        return  # to parse all modules would take seconds
    for node in ast.parse(text).body:
        inner = [(f"{node.name}.", member) for member in node.body] if isinstance(node, ast.ClassDef) else [("", node)]
        for prefix, member in inner:
            if isinstance(member, ast.FunctionDef) and prefix + member.name in names:
                yield prefix + member.name, _parameters(member)


def _parameters(function: ast.FunctionDef) -> list[str]:
    given = function.args
    return [argument.arg for argument in (*given.posonlyargs, *given.args, *given.kwonlyargs)]


def _parameters_of_bug(code: str) -> list[str]:
    """Return the parameters of a bug after the first, which is the original function."""
    (function,) = ast.parse(code).body
    assert isinstance(function, ast.FunctionDef)
    first, *others = _parameters(function)
    assert (function.name, first) == (BUG, ORIGINAL)
    return others


def names() -> list[str]:
    return sorted(path.stem for path in FOLDER.rglob("*.yaml"))


def load(name: str) -> Bug:
    """Read a bug."""
    (path,) = FOLDER.rglob(f"{name}.yaml")
    raw = yaml.safe_load(path.read_text(encoding="utf-8"))
    return Bug(
        name,
        raw["promise"],
        raw["functions"],
        frozenset(raw["caught"]),
        Schedule(
            name,
            1,
            raw.get("backend", "sqlite"),
            tuple(_planned(name, raw_operation) for raw_operation in raw["operations"]),
            tuple(Fault(**raw_fault) for raw_fault in raw.get("faults", ())),
        ),
    )


def _planned(name: str, raw: dict[str, Any]) -> Planned:
    write = Write(ACTIONS[raw["do"]], f"{name} {raw.get('mark', 'a')}", raw.get("cents", CENTS))
    return Planned(
        float(raw["at"]),
        raw.get("lane", "http-0-a"),
        write,
        raw.get("key"),
        raw.get("notation", 0),
        raw.get("again", False),
    )
