"""`kontor audit` on the data of this machine and over HTTP."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.interfaces.cli.kontor_command import Kontor


@pytest.fixture
def filled(kontor_here: Kontor, where: dict[str, str]) -> dict[str, str]:
    """A log with entries of two workspaces."""
    kontor_here("workspaces", "create", "kunde-a", **where)
    for name in ("one", "two", "three"):
        kontor_here("tokens", "create", name, "--role", "viewer", "--workspace", "kunde-a", **where)
    kontor_here("tokens", "create", "default", "--role", "viewer", **where)
    return where


def change(environment: dict[str, str], statement: str) -> None:
    with sqlite3.connect(Path(environment["KONTOR_DATA"]) / "kontor.db") as direct:
        assert direct.execute(statement).rowcount


def test_the_export_has_a_line_for_each_entry(kontor_here: Kontor, filled: dict[str, str]) -> None:
    lines = [json.loads(line) for line in kontor_here("audit", "export", **filled).out.splitlines()]
    mine = [one for one in lines if one["workspace"] == "kunde-a"]
    assert [one["what"] for one in mine] == ["workspace.created", *["token.created"] * 3]
    assert [one["number"] for one in mine] == [1, 2, 3, 4]
    assert {one["face"] for one in mine} == {"http" if filled else "cli"}
    assert all(one["origin"] for one in mine)
    whole = kontor_here("audit", "export", "--workspace", "kunde-a", "--json", **filled).document
    assert (whole["ok"], whole["entries"]) == (True, mine)


def test_an_intact_log_is_told_with_its_anchor_and_a_changed_entry_is_named(
    kontor_here: Kontor, filled: dict[str, str], environment: dict[str, str]
) -> None:
    intact = kontor_here("audit", "verify", "--json", **filled)
    assert (intact.status, intact.document["ok"]) == (0, True)
    chains: dict[Any, Any] = {one["workspace"]: one for one in intact.document["chains"]}
    anchor = chains["kunde-a"]["anchor"]
    assert anchor.startswith("4-")
    assert anchor in kontor_here("audit", "verify", "--workspace", "kunde-a", **filled).out
    assert kontor_here("audit", "verify", "--anchor", anchor, **filled).status == 0
    assert kontor_here("audit", "verify", "--anchor", anchor, "--workspace", "default", **filled).status == 5
    change(environment, "UPDATE audit SET subject = 'four' WHERE subject = 'three'")
    broken = kontor_here("audit", "verify", **filled)
    assert broken.status == 5
    assert "Entry 4" in broken.out
    change(environment, "DELETE FROM audit WHERE subject = 'four'")
    change(environment, "UPDATE audit_heads SET number = 3, seal = (SELECT seal FROM audit WHERE subject = 'two')")
    missing = kontor_here("audit", "verify", "--anchor", anchor, "--workspace", "kunde-a", "--json", **filled)
    finding = missing.document["chains"][0]["finding"]
    assert (missing.status, finding["reason"], finding["number"], finding["until"]) == (5, "end", 4, 4)


def test_what_is_no_anchor_is_refused(kontor_here: Kontor, filled: dict[str, str]) -> None:
    refused = kontor_here("audit", "verify", "--anchor", "yesterday", "--json", **filled)
    assert (refused.status, refused.error["field"]) == (2, "anchor")


def test_a_new_log_is_intact(kontor_here: Kontor, where: dict[str, str]) -> None:
    document = kontor_here("audit", "verify", "--json", **where).document
    assert document["ok"] is True
    # opening the data of this machine seals what grants rights, once
    assert [(one["workspace"], one["entries"]) for one in document["chains"]] in ([], [(None, 1)])


def test_a_budget_and_what_the_policy_refuses_are_in_the_log_of_this_machine(kontor_here: Kontor) -> None:
    assert kontor_here("credits", "--per-day", "50", "--json").status == 0
    undeclared = ("--set", "method=POST", "--set", "path=/v2/not-declared", "--set", "body={}")
    assert kontor_here("run", "call_api", *undeclared, "--json").status == 3
    lines = [json.loads(line) for line in kontor_here("audit", "export").out.splitlines()]
    told = [(one["what"], one["face"], bool(one["origin"])) for one in lines if one["what"] != "rights.sealed"]
    assert told == [("budget.changed", "cli", True), ("right.refused", "cli", True)]
    details = {one["what"]: one["details"] for one in lines}
    assert details["budget.changed"]["per_day"] == 50
    assert details["right.refused"]["action"] == "call_api"


def test_a_right_that_was_changed_from_outside_is_shown_and_cleared(
    kontor_here: Kontor, filled: dict[str, str], environment: dict[str, str]
) -> None:
    clean = kontor_here("rights", "--json", **filled)
    assert (clean.status, clean.document["rights"]) == (0, [])
    change(environment, "UPDATE tokens SET role = 'admin' WHERE name = 'two'")
    shown = kontor_here("rights", "--json", **filled)
    [right] = shown.document["rights"]
    assert (shown.status, right["subject"], right["reason"]) == (5, "tokens/kunde-a/two", "altered")
    assert right["since"]
    assert "tokens/kunde-a/two" in kontor_here("rights", **filled).out
    cleared = kontor_here("rights", "clear", "tokens/kunde-a/two", "--json", **filled)
    assert (cleared.status, cleared.document["became"]) == (0, "revoked")
    assert "is as Kontor has left it" in kontor_here("rights", **filled).out
    gone = kontor_here("rights", "clear", "tokens/kunde-a/two", "--json", **filled)
    assert (gone.status != 0, gone.error["kind"], gone.error["field"]) == (True, "input", "subject")
    assert kontor_here("rights", "clear", "--json", **filled).error["field"] == "SUBJECT"
    told = [json.loads(line) for line in kontor_here("audit", "export", **filled).out.splitlines()]
    assert [one["subject"] for one in told if one["what"] == "rights.cleared"] == ["tokens/kunde-a/two"]
