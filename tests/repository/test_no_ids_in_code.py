"""No code knows an action, a lookup, a trigger or a path of the service: those stand in manifests only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from connector import Connector
from connector.export.handlers.python_handlers import GENERATED

ROOT = Path(__file__).parents[2]
CODE = (".py", ".ts", ".js", ".csx", ".html", ".css", ".j2")
CONNECTOR = Connector("unused")
IDS = frozenset((*CONNECTOR.actions, *CONNECTOR.lookups, *CONNECTOR.triggers))
WORD = re.compile(r"""["'`/]([a-z][a-z0-9_]+)(?=["'`/?])""")
SERVICE_PATH = re.compile(r"/v2/[A-Za-z]")
ORDINARY = {
    "connector/core/data/options.py": {"currencies"},  # a table of Kontor
    "connector/core/writes/policy.py": {"known_payees"},  # a setting of the policy
    "connector/core/writes/policy_change.py": {"known_payees"},  # the same
    "connector/operations/money.py": {"known_payees"},  # the same
    "connector/export/node/pack.py": {"currencies"},  # the same
    "connector/core/manifest/form.py": {"currencies"},  # the name of that table
    "connector/export/node/core/manifest/form.ts": {"currencies"},
    "connector/durable/upkeep/attention.py": {"payments"},  # a blank of a sentence
    "connector/interfaces/console/pages/sandbox.py": {"payments"},  # its control interface and its own state
    "connector/testing/sandbox.py": {"payments"},  # the same
    "connector/interfaces/console/pages/money.py": {"payments"},  # the address of a page
    "connector/interfaces/console/money/bank_rows.py": {"payments"},  # the same
}
BUILT = "connector/export/node/build/"


def known_in(text: str) -> Iterator[str]:
    """The ids and the beginnings of paths that a text names."""
    yield from (word for word in WORD.findall(text) if word in IDS)
    yield from SERVICE_PATH.findall(text)


def modules() -> list[str]:
    found = [path for path in (ROOT / "connector").rglob("*") if path.suffix in CODE]
    names = [path.relative_to(ROOT).as_posix() for path in found]
    return sorted(name for name in names if not name.startswith(BUILT) and not is_generated(ROOT / name))


def is_generated(path: Path) -> bool:
    """Whether it is made from the manifests, as another test makes sure."""
    return path.read_text(encoding="utf-8").startswith(GENERATED)


def test_no_module_names_an_id_or_a_path_of_the_service() -> None:
    found = {name: set(known_in((ROOT / name).read_text(encoding="utf-8"))) for name in modules()}
    assert {name: words for name, words in found.items() if words} == ORDINARY


@pytest.mark.parametrize(
    "text", ['"list_payments"', "'bank_accounts'", "`new_payment`", 'f"triggers/new_payment?x"', "/v2/banking/accounts"]
)
def test_what_names_one_is_found(text: str) -> None:
    assert list(known_in(text))


@pytest.mark.parametrize("text", ["list_payments()", "# payments are free", '"/v2/"', '"payments_only"'])
def test_ordinary_words_are_not(text: str) -> None:
    assert not list(known_in(text))
