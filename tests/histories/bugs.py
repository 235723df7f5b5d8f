"""Seeded bugs: changes of the write path that the checker must catch, each with a short history that shows it.

A bug is data, `seeded_bugs/NAME.yaml`: the promise that it breaks, the file, the text to replace and its replacement,
the kinds of violation that catch it, and the operations and nemeses of its history.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.histories.reading import CASH_BOOK, PAYMENT, PERSON
from tests.histories.schedule import Nemesis, Planned, Schedule
from tests.histories.writes import Write

FOLDER = Path(__file__).with_name("seeded_bugs")
PACKAGES = ("connector", "actions", "triggers", "manifests", "sandbox")
ACTIONS = {"pay": PAYMENT, "book": CASH_BOOK, "save": PERSON}
CENTS = 1250


@dataclass(frozen=True)
class Bug:
    """One change, and the history that shows it."""

    name: str
    promise: str
    file: str
    replace: str
    replacement: str
    caught: frozenset[str]
    schedule: Schedule

    def fits(self, root: Path) -> bool:
        """Whether the text to replace stands in its file, once."""
        return (root / self.file).read_text(encoding="utf-8").count(self.replace) == 1

    def plant(self, root: Path, folder: Path) -> None:
        """Copy the packages to `folder` and change the copy."""
        for package in PACKAGES:
            shutil.copytree(root / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
        file = folder / self.file
        text = file.read_text(encoding="utf-8")
        if text.count(self.replace) != 1:
            raise ValueError(f"{self.name}: the text to replace does not stand once in {self.file}")
        file.write_text(text.replace(self.replace, self.replacement), encoding="utf-8")


def names() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.yaml"))


def load(name: str) -> Bug:
    """Read a bug."""
    raw = yaml.safe_load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))
    return Bug(
        name,
        raw["promise"],
        raw["file"],
        raw["replace"],
        raw["with"],
        frozenset(raw["caught"]),
        Schedule(
            name,
            1,
            raw.get("backend", "sqlite"),
            tuple(_planned(name, one) for one in raw["operations"]),
            tuple(Nemesis(**one) for one in raw.get("nemeses", ())),
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
