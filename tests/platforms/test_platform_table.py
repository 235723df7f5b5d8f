"""The page of what each platform has: the exports are held to it, and it to what the manifests declare."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from connector import Connector, Credential
from connector.core.errors import InputError
from connector.core.messages import say
from connector.export import catalogue
from connector.export.openapi.per_manifest import document
from connector.interfaces.mcp.tools import all_tools
from docs.site.markdown import word
from docs.site.platform_table import FACES, FILE, KINDS, PROMISES, text
from tests.support.filled_in import all_inputs
from tests.support.running_sandbox import RunningSandbox

CONNECTOR = Connector("unused")
PAGE = FILE.read_text(encoding="utf-8")
YES, HOST, NO = "yes", "via host", "no"
COLUMNS = (*FACES, *catalogue.platforms())
ROW = re.compile(r"^\| `(\w+)` \| (.+) \|$", re.MULTILINE)


def section(title: str) -> str:
    return PAGE.partition(f"## {title}\n")[2].partition("\n## ")[0]


def cells(kinds: str) -> dict[str, dict[str, str]]:
    """The expected cell of every manifest in every face and on every platform."""
    rows = {id: row.split(" | ") for id, row in ROW.findall(section(kinds.capitalize()))}
    return {id: dict(zip(COLUMNS, row, strict=True)) for id, row in rows.items()}


def on_platforms(kinds: str) -> dict[str, dict[str, str]]:
    return {id: {name: row[name] for name in catalogue.platforms()} for id, row in cells(kinds).items()}


def test_every_export_has_what_the_page_expects_of_it() -> None:
    assert text(CONNECTOR, "en") == PAGE, "if that is meant: python -m docs.site.platform_table, and read what changed"


@pytest.mark.parametrize("kinds", KINDS)
def test_a_host_brings_everything_to_every_platform(kinds: str) -> None:
    expected = on_platforms(kinds)
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
        assert all(cell.startswith(HOST) for cell in on_platforms("triggers")[id].values())


def test_a_write_that_a_repeat_would_duplicate_stands_only_where_something_guards_it() -> None:
    risky = {id for id, action in CONNECTOR.actions.items() if action.repeat == "duplicates" and action.request}
    assert risky
    for id in risky:
        for platform, cell in on_platforms("actions")[id].items():
            assert cell.startswith(HOST) is catalogue.is_unguarded(platform, "service"), f"{id} on {platform}: {cell}"


def test_every_number_leads_to_a_reason() -> None:
    numbered = re.findall(r"^(\d+)\. \S", section("Reasons"), re.MULTILINE)
    assert set(re.findall(r"\[(\d+)\]", PAGE)) == set(numbered)


def test_one_table_says_what_each_way_guarantees() -> None:
    rows = [line for line in section("What each way guarantees").splitlines() if line.startswith("| ")]
    assert [row.split(" | ")[0].removeprefix("| ") for row in rows[1:]] == [word(name).en for name in PROMISES]
    for platform in catalogue.platforms():
        assert rows[0].count(say(f"export_name_{platform}").en) == 1


def test_german_has_the_same_cells_and_reasons_in_its_own_words() -> None:
    german = text(CONNECTOR, "de")
    words = {YES: "ja", HOST: "über Host", "direct": "direkt", NO: "nein"}
    assert [re.sub("|".join(words), lambda found: words[found[0]], row) for _, row in ROW.findall(PAGE)] == [
        row for _, row in ROW.findall(german)
    ]
    english = {line for line in PAGE.splitlines() if re.match(r"\d+\. ", line)}
    reasons = [line for line in german.splitlines() if re.match(r"\d+\. ", line)]
    assert len(reasons) == len(english)
    assert not english & set(reasons)


def test_an_agent_has_every_action_and_lookup_as_the_server_offers_them_and_no_trigger() -> None:
    offered = {tool.name: tool for tool in all_tools(CONNECTOR, "en")}
    assert {id for id, row in cells("actions").items() if row["mcp"] == YES} == set(offered) - {"list_options"}
    lookups = offered["list_options"].input_schema["properties"]["lookup"]["enum"]
    assert {id for id, row in cells("lookups").items() if row["mcp"] == YES} == set(lookups)
    assert not [name for name in offered if name in CONNECTOR.triggers]
    assert all(row["mcp"].startswith(NO) for row in cells("triggers").values())


def test_without_a_host_python_and_the_command_line_poll_what_the_page_says(
    sandbox: RunningSandbox, tmp_path: Path
) -> None:
    sandbox.order("/limits", limit=1_000_000)
    with Connector(str(tmp_path)).open(Credential(sandbox.url, "sandbox-key")) as session:
        for id, row in cells("triggers").items():
            assert row["cli"] == row["python"]
            if row["python"] == YES:
                assert session.poll(id, all_inputs(CONNECTOR.trigger(id), session)).cursor
            else:
                with pytest.raises(InputError, match="cannot be polled"):
                    session.poll(id, {})


def test_a_host_answers_over_http_for_all_of_them() -> None:
    paths = document(CONNECTOR)["paths"]
    subscribed = json.dumps(paths["/v1/subscriptions"]["post"])
    for kinds, ending in {"actions": "/run", "lookups": "", "triggers": "/poll"}.items():
        for id, row in cells(kinds).items():
            assert row["http"] == YES
            assert f"/v1/{kinds}/{id}{ending}" in paths or f'"{id}"' in subscribed, id


def test_every_create_is_paired_with_a_search_or_says_why_not() -> None:
    rows = dict(ROW.findall(section("Find or create")))
    assert set(rows) == {id for id, action in CONNECTOR.actions.items() if action.writes}
    assert all(row == YES or re.fullmatch(rf"{NO}( \[\d+\])+", row) for row in rows.values())
