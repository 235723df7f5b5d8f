"""The page of what each platform has: the exports are held to it, and it to what the manifests declare."""

from __future__ import annotations

import re

import pytest

from connector import Connector
from connector.core.messages import say
from connector.export import catalogue
from docs.site.platform_table import FILE, HOST, KINDS, PROMISES, YES, text

CONNECTOR = Connector("unused")
PAGE = FILE.read_text(encoding="utf-8")
ROW = re.compile(r"^\| `(\w+)` \| (.+) \|$", re.MULTILINE)


def section(title: str) -> str:
    return PAGE.partition(f"## {title}\n")[2].partition("\n## ")[0]


def cells(kinds: str) -> dict[str, dict[str, str]]:
    """The expected cell of every manifest on every platform."""
    rows = {id: row.split(" | ") for id, row in ROW.findall(section(kinds.capitalize()))}
    return {id: dict(zip(catalogue.platforms(), row, strict=True)) for id, row in rows.items()}


def test_every_export_has_what_the_page_expects_of_it() -> None:
    assert text(CONNECTOR) == PAGE, "if that is meant: python -m docs.site.platform_table, and read what changed"


@pytest.mark.parametrize("kinds", KINDS)
def test_a_host_brings_everything_to_every_platform(kinds: str) -> None:
    expected = cells(kinds)
    assert set(expected) == set(getattr(CONNECTOR, kinds))
    for id, row in expected.items():
        for platform, cell in row.items():
            if id == "known_payees" and cell.startswith("no "):  # no field is filled from it: an IBAN is typed
                continue
            assert cell == YES or re.fullmatch(rf"{HOST}( \[\d+\])+", cell), f"{id} on {platform}: {cell}"


def test_what_only_a_host_knows_is_had_only_through_it() -> None:
    own = {id for id, trigger in CONNECTOR.triggers.items() if trigger.own}
    assert own
    for id in own:
        assert all(cell.startswith(HOST) for cell in cells("triggers")[id].values())


def test_a_write_that_a_repeat_would_duplicate_stands_only_where_something_guards_it() -> None:
    risky = {id for id, action in CONNECTOR.actions.items() if action.repeat == "duplicates" and action.request}
    assert risky
    for id in risky:
        for platform, cell in cells("actions")[id].items():
            assert cell.startswith(HOST) is catalogue.is_unguarded(platform, "service"), f"{id} on {platform}: {cell}"


def test_every_number_leads_to_a_reason() -> None:
    numbered = re.findall(r"^(\d+)\. \S", section("Reasons"), re.MULTILINE)
    assert set(re.findall(r"\[(\d+)\]", PAGE)) == set(numbered)


def test_one_table_says_what_each_way_guarantees() -> None:
    rows = [line for line in section("What each way guarantees").splitlines() if line.startswith("| ")]
    assert [row.split(" | ")[0].removeprefix("| ") for row in rows[1:]] == list(PROMISES)
    for platform in catalogue.platforms():
        assert rows[0].count(say(f"export_name_{platform}").en) == 1
