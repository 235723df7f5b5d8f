"""Cases: for each manifest, inputs and the request or refusal that they lead to, answers and outputs, pages and items.

`kontor check FOLDER --cases` runs those of a folder; in pytest, `all_in` gives them one by one.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from connector.testing.cases.expectation import differences
from connector.testing.cases.files import Case, read
from connector.testing.cases.interpreter import SECTIONS, Interpreter


@dataclass(frozen=True)
class RunnableCase:
    """A case of a file, and what runs it."""

    case: Case
    file: Path
    interpreter: Interpreter

    def differences(self) -> list[str]:
        """What is other than the case says; empty when it passes."""
        if self.case.manifest not in self.interpreter.ids():
            return [f"there is no manifest {self.case.manifest}"]
        return differences(self.case, self.interpreter.run(self.case))

    def __str__(self) -> str:
        return self.case.key


def all_in(manifests: str | Path, cases: str | Path) -> list[RunnableCase]:
    """The cases of a folder, for manifests of another one: a file each, named by the id of its manifest.

    Raises `InputError` for manifests, and `ValueError` for a file of cases, that are wrong in their form.
    """
    interpreter = Interpreter(str(Path(manifests).resolve()))
    return [
        RunnableCase(case, path, interpreter)
        for path in sorted(Path(cases).glob("*.yaml"))
        for case in read(path)
        if case.section in SECTIONS and case.runs_in("python")
    ]
