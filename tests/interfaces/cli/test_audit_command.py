"""`kontor audit` on the data of this machine and over HTTP."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from conftest import Kontor


@pytest.fixture
def filled(kontor: Kontor, where: dict[str, str]) -> dict[str, str]:
    """A log with entries of two workspaces."""
    kontor("workspaces", "create", "kunde-a", **where)
    for name in ("one", "two", "three"):
        kontor("tokens", "create", name, "--role", "viewer", "--workspace", "kunde-a", **where)
    kontor("tokens", "create", "default", "--role", "viewer", **where)
    return where


def change(environment: dict[str, str], statement: str) -> None:
    with sqlite3.connect(Path(environment["KONTOR_DATA"]) / "kontor.db") as direct:
        assert direct.execute(statement).rowcount


def test_the_export_has_a_line_for_each_entry(kontor: Kontor, filled: dict[str, str]) -> None:
    lines = [json.loads(line) for line in kontor("audit", "export", **filled).out.splitlines()]
    mine = [one for one in lines if one["workspace"] == "kunde-a"]
    assert [one["what"] for one in mine] == ["workspace.created", *["token.created"] * 3]
    assert [one["number"] for one in mine] == [1, 2, 3, 4]
    assert {one["face"] for one in mine} == {"http" if filled else "cli"}
    assert all(one["origin"] for one in mine)
    whole = kontor("audit", "export", "--workspace", "kunde-a", "--json", **filled).document
    assert (whole["ok"], whole["entries"]) == (True, mine)


def test_an_intact_log_is_told_with_its_anchor_and_a_changed_entry_is_named(
    kontor: Kontor, filled: dict[str, str], environment: dict[str, str]
) -> None:
    intact = kontor("audit", "verify", "--json", **filled)
    assert (intact.status, intact.document["ok"]) == (0, True)
    chains: dict[Any, Any] = {one["workspace"]: one for one in intact.document["chains"]}
    anchor = chains["kunde-a"]["anchor"]
    assert anchor.startswith("4-")
    assert anchor in kontor("audit", "verify", "--workspace", "kunde-a", **filled).out
    assert kontor("audit", "verify", "--anchor", anchor, **filled).status == 0
    assert kontor("audit", "verify", "--anchor", anchor, "--workspace", "default", **filled).status == 5
    change(environment, "UPDATE audit SET subject = 'four' WHERE subject = 'three'")
    broken = kontor("audit", "verify", **filled)
    assert broken.status == 5
    assert "Entry 4" in broken.out
    change(environment, "DELETE FROM audit WHERE subject = 'four'")
    change(environment, "UPDATE audit_heads SET number = 3, seal = (SELECT seal FROM audit WHERE subject = 'two')")
    missing = kontor("audit", "verify", "--anchor", anchor, "--workspace", "kunde-a", "--json", **filled)
    finding = missing.document["chains"][0]["finding"]
    assert (missing.status, finding["reason"], finding["number"], finding["until"]) == (5, "end", 4, 4)


def test_what_is_no_anchor_is_refused(kontor: Kontor, filled: dict[str, str]) -> None:
    refused = kontor("audit", "verify", "--anchor", "yesterday", "--json", **filled)
    assert (refused.status, refused.error["field"]) == (2, "anchor")


def test_an_empty_log_is_intact(kontor: Kontor, where: dict[str, str]) -> None:
    assert kontor("audit", "verify", "--json", **where).document == {"ok": True, "chains": []}
