"""`kontor actions | triggers | lookups | describe`, the help and the version: looking around without a credential."""

from __future__ import annotations

import json
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from connector.core.manifest.load import load

HEAVY = {
    "alembic",
    "argparse",
    "asyncio",
    "babel",
    "difflib",
    "httpx",
    "msgspec",
    "pathlib",
    "pydantic",
    "sqlalchemy",
    "yaml",
}


@pytest.mark.parametrize("kind", ["actions", "triggers", "lookups"])
def test_a_list_names_everything_of_its_kind(kontor_here: Any, kind: str) -> None:
    document = kontor_here(kind, "--json").document
    assert document["ok"] is True
    assert {one["id"] for one in document[kind]} == set(load()[kind])
    for one in document[kind]:
        assert {"id", "area", "title", "description", "cost"} <= set(one)
        assert set(one["title"]) == {"en", "de"}


def test_an_action_in_a_list_says_what_it_does_and_what_it_needs(kontor: Any) -> None:
    actions = {one["id"]: one for one in kontor("--json", "actions").document["actions"]}
    payment = actions["initiate_payment"]
    assert payment["effect"] == "create"
    assert payment["repeat"] == "duplicates"
    assert payment["cost"]["credits"] == 3
    assert "creditor_iban" in payment["required"]


def test_people_see_cost_and_effect_in_their_language(kontor: Any) -> None:
    english, german = kontor("actions"), kontor("actions", KONTOR_LANG="de")
    assert next(line.split() for line in english.out.splitlines() if "get_open_items" in line) == [
        *("get_open_items", "reads", "5", "credits", "Get", "open", "items")
    ]
    assert next(line.split() for line in german.out.splitlines() if "get_open_items" in line) == [
        *("get_open_items", "liest", "5", "Credits", "Offene", "Posten", "abrufen")
    ]


def test_a_list_loads_nothing_heavy() -> None:
    loaded_by("actions")  # compiles manifests and words, so that YAML is not needed
    assert not HEAVY & loaded_by("actions")


def test_the_version_and_a_command_that_shows_no_number_load_no_babel() -> None:
    assert "babel" not in loaded_by("--version")
    assert "babel" not in loaded_by("describe", "get_open_items")


def loaded_by(*arguments: str) -> set[str]:
    """The packages that a command has imported when it ends."""
    code = (
        "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr));"
        f"from connector.interfaces.cli import main; main({list(arguments)})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in done.stderr.split()}


def test_describe_shows_the_manifest_whole(kontor: Any) -> None:
    written = json.loads(json.dumps(load()["actions"]["get_open_items"]), parse_float=Decimal)
    assert kontor("describe", "get_open_items", "--json").document == {"ok": True, "manifest": written}


def test_describe_tells_people_what_to_enter_and_where_options_come_from(kontor: Any) -> None:
    shown = kontor("describe", "create_cash_book_entry", KONTOR_LANG="de").out
    assert shown.startswith("Kassenbuchung anlegen")
    assert "belegzeilen[0].betrag" in shown
    assert "kontor options cash_books" in " ".join(shown.split())
    assert "1 Credit" in shown


def test_an_unknown_id_is_an_input_error_with_a_suggestion(kontor: Any) -> None:
    ending = kontor("describe", "get_open_itms", "--json")
    assert ending.status == 2
    assert ending.error["kind"] == "input"
    assert "get_open_items" in ending.error["remedy"]["en"]


def test_the_help_groups_the_commands_in_both_languages(kontor: Any, kontor_here: Any) -> None:
    assert "Look around" in kontor_here("--help").out
    german = kontor("--help", KONTOR_LANG="de")
    assert german.status == 0
    assert "Umsehen" in german.out
    assert "führt eine Aktion aus" in german.out


def test_help_and_version_are_documents_too(kontor: Any, kontor_here: Any) -> None:
    assert "--dry-run" in kontor_here("run", "--help", "--json").document["help"]
    assert kontor("--version", "--json").document["ok"] is True


@pytest.mark.parametrize(
    "arguments", [[], ["no_such_command"], ["run"], ["actions", "--no-such-option"], ["sandbox", "--port", "x"]]
)
def test_a_wrong_command_line_is_an_input_error(kontor_here: Any, arguments: list[str]) -> None:
    ending = kontor_here(*arguments, "--json")
    assert ending.status == 2
    assert ending.error["kind"] == "input"
    assert ending.error["outcome"] == "not_sent"


def test_a_reader_that_goes_away_is_no_error(script: Path) -> None:
    kontor = subprocess.Popen([script, "actions", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert kontor.stdout is not None
    kontor.stdout.close()
    _, err = kontor.communicate(timeout=60)
    assert err == b""


@pytest.mark.parametrize(
    ("words", "id"),
    [
        ("OPOS", "get_open_items"),
        ("susa", "get_trial_balance"),
        ("Kassenbuch", "create_cash_book_entry"),
        ("überweisung", "initiate_payment"),
        ("offene posten", "get_open_items"),
        ("bank statement", "list_transactions"),
    ],
)
def test_actions_are_found_by_the_words_of_an_office(words: str, id: str, capsys: pytest.CaptureFixture[str]) -> None:
    from connector.interfaces.cli.dispatch import run

    assert run(["actions", "--search", words], as_json=True) == 0
    found = [one["id"] for one in json.loads(capsys.readouterr().out)["actions"]]
    assert id in found
    assert len(found) < 8


def test_words_that_nothing_is_called_by_find_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    from connector.interfaces.cli.dispatch import run

    assert run(["actions", "--search", "OPOS Kassenbuch"], as_json=True) == 0
    assert json.loads(capsys.readouterr().out)["actions"] == []
