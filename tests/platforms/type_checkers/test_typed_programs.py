"""Type checkers pass a flow by handlers, and find what is wrong with one: mypy and pyright."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.platforms.node import find_node, or_skip
from tests.platforms.npm import installed

pytestmark = pytest.mark.platforms

PROGRAM = Path(__file__).with_name("program.py")
MISTAKES = {
    "a name of an input": ("amount=amount", "amont=amount"),
    "a missing input": ('creditor_name="Reifen Voss KG", ', ""),
    "an amount as a list": ("amount=amount", "amount=[amount]"),
    "an account as a number": ("account_id=account, creditor_name", "account_id=8101, creditor_name"),
    "a kind of transfer that there is not": ("amount=amount", 'amount=amount, template_identifier="WIRE"'),
    "a key that is no text": ('key="run 17, step 3"', "key=17"),
    "a field that a payment lacks": ('key="run 17, step 3").output', 'key="run 17, step 3").output.colour'),
    "a field that a transaction lacks": ("total += row.amount", "total += row.amont"),
    "an amount where a text belongs": ("row.id > known[-1].id", "row.amount > known[-1].id"),
    "another output": ("known: list[Transaction]", "known: list[Payment]"),
    "a trigger that is run": ("kontor.run(ListTransactions(", "kontor.run(NewTransaction("),
    "an action that there is not": ('invoke("get_payment"', 'invoke("get_paymant"'),
    "an input that an action lacks": ('{"id": "5013"}', '{"id": "5013", "colour": "red"}'),
    "an input of another type": ('{"id": "5013"}', '{"id": ["5013"]}'),
    "an action without its input": ('{"id": "5013"}', "{}"),
}


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the program, and one more for each mistake."""
    folder, text = tmp_path_factory.mktemp("programs"), PROGRAM.read_text(encoding="utf-8")
    (folder / "right.py").write_text(text, encoding="utf-8")
    for number, (before, after) in enumerate(MISTAKES.values()):
        assert before in text
        (folder / f"wrong_{number}.py").write_text(text.replace(before, after, 1), encoding="utf-8")
    return folder


def by_mypy(folder: Path) -> set[str]:
    # Errors in modules that are followed count for none of the programs.
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--output=json", "--config-file="]
    paths = [str(path) for path in sorted(folder.glob("*.py"))]
    done = subprocess.run([*command, *paths], capture_output=True, text=True, timeout=600)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    return {Path(one["file"]).name for one in found if one["severity"] == "error"}


def by_pyright(folder: Path) -> set[str]:
    with or_skip():
        node, program = find_node(), installed("pyright") / "node_modules/pyright/index.js"
        command = [node.program, str(program), "--outputjson", "--pythonpath", sys.executable, str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        found = json.loads(done.stdout)["generalDiagnostics"]
        return {Path(one["file"]).name for one in found if one["severity"] == "error"}
    raise AssertionError("unreachable")


@pytest.mark.parametrize("checker", [by_mypy, by_pyright])
def test_a_checker_passes_the_program_and_finds_each_mistake(checker, programs: Path) -> None:
    found = checker(programs)
    assert "right.py" not in found
    missed = [what for number, what in enumerate(MISTAKES) if f"wrong_{number}.py" not in found]
    assert missed == []
