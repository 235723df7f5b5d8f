"""Changes one thing at a time in the Python interpreter, and looks whether a case notices.

Run as a program, since it changes modules while they are imported: every condition in them can be forced to true or to
false, and every name of a sentence can be exchanged, by a switch at run time. Prints the survivors as JSON.
"""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterator, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import spec_from_loader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

ROOT = Path(__file__).parents[3]
MODULES = (
    "connector/core/data/templates.py",
    "connector/core/data/answers.py",
    "connector/core/writes/marks.py",
    "connector/core/data/options.py",
    "connector/core/data/events.py",
    "connector/core/polls/progress.py",
    "connector/core/rules/__init__.py",
    "connector/core/rules/amounts.py",
    "connector/core/rules/files.py",
    "connector/core/rules/finding.py",
    "connector/core/rules/presence.py",
    "connector/core/rules/texts.py",
    "connector/core/polls/__init__.py",
    "connector/core/polls/alarm.py",
    "connector/core/polls/by_id.py",
    "connector/core/polls/cursor.py",
    "connector/core/polls/days.py",
    "connector/core/polls/page.py",
    "connector/core/polls/progress.py",
    "connector/core/polls/seen.py",
    "connector/core/polls/watch.py",
    "connector/core/polls/window.py",
    "connector/core/manifest/converters.py",
    "connector/core/manifest/formats.py",
    "connector/core/manifest/converters.py",
    "connector/core/manifest/inputs.py",
    "connector/core/values/written_dates.py",
    "connector/core/values/written_numbers.py",
    "connector/client/verdict.py",
    "actions/any/call_api.py",
    "actions/ledger/get_due_dates.py",
    "triggers/ledger/open_item_changed.py",
)
SPEAKERS = {"say": 0, "Problem": 0, "Finding": 0, "_told": 1}
"""Functions that take the name of a sentence, and at which place."""
OTHER_SENTENCE = "name_not_text"
MOST_STEPS = 3_000_000
"""A case that asks so many conditions goes round in circles."""


class EndlessError(BaseException):
    """A changed loop does not end."""


class Switch:
    """What is changed just now, and which places were passed."""

    def __init__(self) -> None:
        self.changed: tuple[int, Any] | None = None
        self.passed: set[int] = set()
        self.steps = 0

    def condition(self, place: int, value: Any) -> Any:
        """The condition's value, or what it is forced to."""
        self.passed.add(place)
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise EndlessError
        if self.changed is not None and self.changed[0] == place:
            return self.changed[1]
        return value

    def name(self, place: int, value: str) -> str:
        """The name, or another one."""
        self.passed.add(place)
        return OTHER_SENTENCE if self.changed is not None and self.changed[0] == place else value


SWITCH = Switch()
PLACES: list[dict[str, Any]] = []


class Changeable(ast.NodeTransformer):
    """Makes every condition and every name of a sentence ask the switch."""

    def __init__(self, module: str) -> None:
        self.module, self.function, self.class_name = module, "", ""

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        before, self.class_name = self.class_name, f"{node.name}."
        self.generic_visit(node)
        self.class_name = before
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        before, self.function = self.function, f"{self.class_name}{node.name}"
        self.generic_visit(node)
        self.function = before
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        return self._with_test(node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        return self._with_test(node)

    def visit_While(self, node: ast.While) -> ast.AST:
        return self._with_test(node)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self.generic_visit_except(node, "ifs")
        node.ifs = [self._condition(one) for one in node.ifs]
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        place = self._place(node, "condition")
        self.generic_visit(node)
        return self._asking("condition", place, node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        speaker = getattr(node.func, "id", None) or getattr(node.func, "attr", None)
        at = SPEAKERS.get(str(speaker))
        if at is not None and len(node.args) > at:
            node.args[at] = self._name(node.args[at])
        for keyword in node.keywords:
            if keyword.arg == "reason":
                keyword.value = self._name(keyword.value)
        if speaker in ("any", "all") and len(node.args) == 1 and isinstance(node.args[0], ast.GeneratorExp):
            inner = node.args[0]
            inner.generators = [self.visit(one) for one in inner.generators]
            inner.elt = self._condition(inner.elt)
            return node
        self.generic_visit(node)
        return node

    def _with_test(self, node: Any) -> ast.AST:
        self.generic_visit_except(node, "test")
        node.test = self._condition(node.test)
        return node

    def generic_visit_except(self, node: ast.AST, left_out: str) -> None:
        """Visits all parts but one."""
        kept = getattr(node, left_out)
        setattr(node, left_out, [] if isinstance(kept, list) else ast.Constant(None))
        self.generic_visit(node)
        setattr(node, left_out, kept)

    def _condition(self, node: Any) -> Any:
        """A condition in its parts: what is joined by and, or, not is changed one by one."""
        if isinstance(node, ast.BoolOp):
            node.values = [self._condition(one) for one in node.values]
            return node
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            node.operand = self._condition(node.operand)
            return node
        if isinstance(node, ast.Compare) or _is_name_check(node):
            return self.visit(node)
        place = self._place(node, "condition")
        return self._asking("condition", place, self.visit(node))

    def _name(self, node: Any) -> Any:
        if isinstance(node, ast.IfExp):
            node.body, node.orelse = self._name(node.body), self._name(node.orelse)
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return self._asking("name", self._place(node, "name"), node)
        return node

    def _place(self, node: Any, kind: str) -> int:
        about = {"file": self.module, "function": self.function, "line": node.lineno, "kind": kind}
        PLACES.append({**about, "text": ast.unparse(node)})
        return len(PLACES) - 1

    def _asking(self, how: str, place: int, node: ast.expr) -> ast.expr:
        function = ast.Attribute(ast.Name("__switch__", ast.Load()), how, ast.Load())
        return ast.Call(function, [ast.Constant(place), node], [])


def _is_name_check(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "TYPE_CHECKING"


class ChangeableLoader(Loader):
    """Loads a module in its changeable form."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__["__switch__"] = SWITCH
        module.__file__ = str(self.path)
        exec(_changeable(self.path), module.__dict__)


def _changeable(path: Path) -> CodeType:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    changed = Changeable(str(path.relative_to(ROOT))).visit(tree)
    return compile(ast.fix_missing_locations(changed), str(path), "exec")


class ChangeableFinder(MetaPathFinder):
    """Finds the modules that are to be changed before anybody else does."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: Any = None) -> ModuleSpec | None:
        file = ROOT / (name.replace(".", "/") + ".py")
        package = ROOT / name.replace(".", "/") / "__init__.py"
        found = next((one for one in (file, package) if one.exists()), None)
        if found is None or str(found.relative_to(ROOT)) not in MODULES:
            return None
        spec = spec_from_loader(name, ChangeableLoader(found), is_package=found == package)
        if spec is not None and found == package:
            spec.submodule_search_locations = [str(found.parent)]
        return spec


def main() -> None:
    """Tries every change, and prints what survives."""
    from tests.support.parts import in_chosen_file, part

    sys.meta_path.insert(0, ChangeableFinder())
    assert PathFinder in sys.meta_path
    hunt = Hunt()
    hunt.take_stock()
    changes = [one for one in hunt.changes() if in_chosen_file(PLACES[one[0]]["file"])]
    tried = part(changes)
    survivors = [{**PLACES[place], "forced": forced} for place, forced in tried if hunt.survives(place, forced)]
    print(json.dumps({"changes": len(changes), "tried": len(tried), "survivors": survivors}))  # noqa: T201


class Hunt:
    """Which cases pass a place, and whether one of them notices a change there."""

    def __init__(self) -> None:
        from connector.testing.cases.expectation import differences
        from tests.cases.in_python import Interpreter
        from tests.cases.our_cases import all_cases

        self._interpreter, self._differences = Interpreter, differences
        # A write takes a session and most of a second; its parts that are pure have other cases.
        cases = [case for case in all_cases() if case.runs_in("python") and case.section != "writes"]
        self._cases = sorted(cases, key=lambda case: "$repeat" in str(case.body))
        self._built_by: dict[int, set[str]] = {}
        self._passed_by: dict[int, list[int]] = {}
        self._standing: Any = None

    def take_stock(self) -> None:
        """Runs everything unchanged; every case must pass."""
        self._standing = self._interpreter()
        SWITCH.passed = set()
        _ = (self._standing.catalog.library.formats, self._standing.catalog.library.states)
        everybody = set(SWITCH.passed)
        for id in sorted(self._standing.ids()):
            SWITCH.passed = set()
            self._build(self._standing, id)
            for place in SWITCH.passed | everybody:
                self._built_by.setdefault(place, set()).add(id)
        for number, case in enumerate(self._cases):
            SWITCH.passed, SWITCH.steps = set(), 0
            assert not self._differences(case, self._standing.run(case)), case.key
            for place in SWITCH.passed:
                self._passed_by.setdefault(place, []).append(number)

    def changes(self) -> Iterator[tuple[int, Any]]:
        """Every place with what it is changed to."""
        for number, place in enumerate(PLACES):
            for forced in (True, False) if place["kind"] == "condition" else (OTHER_SENTENCE,):
                yield number, forced

    def survives(self, place: int, forced: Any) -> bool:
        """Whether no case notices."""
        SWITCH.changed = (place, forced)
        try:
            built = self._built_by.get(place, set())
            if built and self._is_noticed(self._fresh(built), [c for c in self._cases if c.manifest in built]):
                return False
            return not self._is_noticed(
                self._standing, [self._cases[number] for number in self._passed_by.get(place, ())]
            )
        except Exception:
            return False  # what cannot even be built is noticed
        finally:
            SWITCH.changed = None

    def _fresh(self, ids: set[str]) -> Any:
        """An interpreter whose manifests are built under the change."""
        interpreter = self._interpreter()
        for id in sorted(ids):
            self._build(interpreter, id)
        return interpreter

    def _build(self, interpreter: Any, id: str) -> None:
        interpreter.catalog.inputs(interpreter.manifest(id))

    def _is_noticed(self, interpreter: Any, cases: list[Any]) -> bool:
        for case in cases:
            SWITCH.steps = 0
            try:
                if self._differences(case, interpreter.run(case)):
                    return True
            except (Exception, EndlessError):
                return True
        return False


if __name__ == "__main__":
    main()
