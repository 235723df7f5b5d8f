"""Completion: what a shell is offered for a line that is being typed, and in bash itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from connector.core.manifest.load import load
from connector.interfaces.cli.commands.completion import SCRIPTS, candidates_for
from connector.interfaces.cli.dispatch import NAMES

BIN = Path(sys.executable).parent


def offered(line: str) -> set[str]:
    return {word for word, _ in candidates_for(line)}


def test_the_first_word_is_a_command() -> None:
    assert offered("kontor ") == set(NAMES)
    assert offered("kontor app") == {"approvals", "approve"}


def test_every_action_trigger_and_lookup_is_offered_where_its_id_belongs() -> None:
    library = load()
    assert offered("kontor run ") == set(library["actions"])
    assert offered("kontor poll ") == set(library["triggers"])
    assert offered("kontor options ") == set(library["lookups"])
    assert offered("kontor describe ") == {id for kind in library.values() for id in kind}
    assert offered("kontor run --key x initiate_pay") == {"initiate_payment"}
    assert offered("kontor run initiate_payment ") == set()


@pytest.mark.parametrize("command", ["run initiate_payment", "poll new_transaction", "options bank_accounts"])
def test_the_inputs_are_those_of_the_manifest(command: str) -> None:
    kind = {"run": "actions", "poll": "triggers", "options": "lookups"}[command.split()[0]]
    fields = load()[kind][command.split()[1]]["inputs"]
    assert offered(f"kontor {command} --set ") == {f"{field['name']}=" for field in fields}


def test_values_to_choose_from_follow_the_name_of_an_input() -> None:
    assert offered("kontor run initiate_payment --set template_identifier=") == {
        "template_identifier=SEPA",
        "template_identifier=SEPA_INSTANT",
    }
    assert offered("kontor options bank_accounts --set payments_only=t") == {"payments_only=true"}


def test_options_and_the_choices_of_an_option() -> None:
    assert {"--set", "--dry-run", "--json"} <= offered("kontor run initiate_payment --")
    assert offered("kontor describe x --kind ") == {"action", "trigger", "lookup"}
    assert offered("kontor audit ") == {"verify", "export"}
    assert offered("kontor nonsense ") == set()


def test_every_command_offers_its_options() -> None:
    for name in NAMES:
        assert "--help" in offered(f"kontor {name} --"), name


@pytest.mark.parametrize(
    ("line", "completed"),
    [
        ("kontor run initiate_pay", ["initiate_payment"]),
        ("kontor run initiate_payment --set template_identifier=SEPA_", ["SEPA_INSTANT"]),
        ("kontor run initiate_payment --set creditor_n", ["creditor_name="]),
    ],
)
def test_bash_completes_a_line(line: str, completed: list[str]) -> None:
    asked = f"""{SCRIPTS["bash"]}
COMP_LINE='{line}' COMP_POINT={len(line)}
compopt() {{ :; }}
_kontor
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    given = subprocess.run(
        ["bash", "--norc", "-c", asked],
        env={"PATH": f"{BIN}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert given.stdout.split() == completed
