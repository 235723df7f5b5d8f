"""Answers are bounded: a long one comes in pages, and reading on costs nothing. Asked by the protocol's own client."""

from __future__ import annotations

import json

import pytest
from mcp import Client

from connector import Connector
from connector.core.errors import InputError
from connector.interfaces.mcp import answer_pages
from connector.interfaces.mcp.answer_pages import MAX_CHARACTERS, MAX_ITEMS, AnswerPages
from connector.interfaces.mcp.run_tools import run_tools
from connector.interfaces.mcp.tools import all_tools
from connector.sandbox.banking.demo import MAIN_ACCOUNT

TOOL, INPUTS = "list_transactions", {"account_id": MAIN_ACCOUNT, "sort": "id"}
TOOLS = [*all_tools(Connector("unused"), "en"), *run_tools("en")]


@pytest.fixture
def many(sandbox):
    """More transactions than fit on two pages."""
    sandbox.order("/reset", seed=1)
    for number in range(2 * MAX_ITEMS + 20):
        sandbox.order("/transactions", account_id=MAIN_ACCOUNT, amount=number + 1)


def asked(sandbox):
    return sum(row["path"].startswith("/v2/banking/transactions") for row in sandbox.requests())


@pytest.mark.usefixtures("many")
async def test_a_long_answer_comes_in_pages_that_together_are_the_whole_and_cost_one_call(server, sandbox):
    whole = [row["id"] for row in sandbox.api.get("/v2/banking/transactions", params=INPUTS).json()["data"]]
    assert len(whole) > 2 * MAX_ITEMS
    before, ids, page, pages = asked(sandbox), [], {}, 0
    async with Client(server) as client:
        while True:
            answer = await client.call_tool(TOOL, {**INPUTS, **page})
            shown = answer.structured_content
            assert not answer.is_error, answer.content
            assert len(shown["output"]["items"]) <= MAX_ITEMS
            assert len(answer.content[0].text) <= MAX_CHARACTERS + 2_000
            assert json.loads(answer.content[0].text)["next"] == shown["next"]
            assert shown["credits"]["cost"] == (0 if page else 1)
            ids += [row["id"] for row in shown["output"]["items"]]
            pages += 1
            if shown["next"] is None:
                break
            assert shown["next"] in answer.content[1].text, "the text says how to go on"
            page = {"page": shown["next"]}
    assert ids == whole
    assert pages >= 3
    assert asked(sandbox) == before + 1, "only the first page is paid for"


@pytest.mark.usefixtures("many")
async def test_a_page_may_be_read_again(server):
    async with Client(server) as client:
        mark = (await client.call_tool(TOOL, INPUTS)).structured_content["next"]
        one, two = [await client.call_tool(TOOL, {**INPUTS, "page": mark}) for _ in range(2)]
    assert one.structured_content == two.structured_content


@pytest.mark.usefixtures("many")
async def test_a_page_of_other_inputs_another_tool_or_nobody_is_refused_and_nothing_is_sent(server, sandbox):
    async with Client(server) as client:
        mark = (await client.call_tool(TOOL, INPUTS)).structured_content["next"]
        before = len(sandbox.requests())
        for tool, arguments in (
            (TOOL, {"account_id": MAIN_ACCOUNT, "page": mark}),
            ("list_payments", {**INPUTS, "page": mark}),
            (TOOL, {**INPUTS, "page": "nobody.1"}),
            (TOOL, {**INPUTS, "page": mark.rpartition(".")[0] + ".99"}),
            (TOOL, {**INPUTS, "page": 2}),
            ("initiate_payment", {"page": mark}),
        ):
            refused = await client.call_tool(tool, arguments)
            assert refused.is_error
            assert refused.structured_content["error"]["field"] == "page"
    assert len(sandbox.requests()) == before


async def test_a_short_answer_has_no_next(server):
    async with Client(server) as client:
        answer = await client.call_tool("list_bank_accounts", {})
    assert "next" not in answer.structured_content
    assert len(answer.content) == 1


def test_a_page_belongs_to_whoever_made_the_call():
    pages = AnswerPages()
    document = {"ok": True, "output": {"items": list(range(3 * MAX_ITEMS))}}
    mark = pages.first("a", "t", {}, document).document["next"]
    assert pages.following("a", "t", {"page": mark}).document["output"]["items"][0] == MAX_ITEMS
    with pytest.raises(InputError):
        pages.following("b", "t", {"page": mark})


def test_pages_are_forgotten_after_a_while_and_beyond_a_bound(monkeypatch):
    monkeypatch.setattr(answer_pages, "KEPT_SECONDS", 0)
    pages, document = AnswerPages(), {"output": {"items": list(range(3 * MAX_ITEMS))}}
    mark = pages.first("a", "t", {}, document).document["next"]
    with pytest.raises(InputError):
        pages.following("a", "t", {"page": mark})
    monkeypatch.setattr(answer_pages, "KEPT_CHARACTERS", 10)
    cut = AnswerPages().first("a", "t", {}, document)
    assert (cut.document["next"], len(cut.document["output"]["items"])) == (None, MAX_ITEMS)
    assert cut.note is not None, "it says that the rest is not kept"


@pytest.mark.parametrize(
    "output",
    [{"text": "ä" * 100_000}, {"items": [{"text": "x" * 90_000}]}, {"note": "y" * 90_000, "items": [1, 2]}],
    ids=["no list", "one long item", "a long text beside a list"],
)
def test_what_cannot_be_cut_by_items_is_cut_as_text(output):
    pages, document = AnswerPages(), {"ok": True, "output": output}
    page, text = pages.first("a", "t", {}, document).document, ""
    while True:
        assert len(json.dumps(page, ensure_ascii=False)) <= 2 * MAX_CHARACTERS
        text += page["output"]["json_part"]
        if page["next"] is None:
            break
        page = pages.following("a", "t", {"page": page["next"]}).document
    assert json.loads(text) == output


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_whatever_may_be_long_takes_a_page(tool):
    takes = "page" in tool.input_schema["properties"]
    assert takes is (tool.annotations.read_only_hint or tool.name == "call_api")


async def test_an_id_given_as_a_number_is_read_as_its_digits_or_refused_where_they_may_be_lost(server, sandbox):
    async with Client(server) as client:
        small = await client.call_tool("get_payment", {"id": 12})
        large = await client.call_tool("get_payment", {"id": int(MAIN_ACCOUNT)})
        lookup = await client.call_tool("list_options", {"lookup": 1})
    assert [row["path"] for row in sandbox.requests()][-1].endswith("/payments/12")
    assert small.structured_content["error"]["kind"] == "not_found"
    assert (large.structured_content["error"]["kind"], large.structured_content["error"]["field"]) == ("input", "id")
    assert lookup.structured_content["error"]["field"] == "lookup"


def test_a_number_that_a_double_cannot_hold_becomes_text():
    from connector.interfaces.mcp.results import to_json_types

    assert to_json_types({"id": 2**53 + 1, "n": 7, "yes": True}) == {"id": str(2**53 + 1), "n": 7, "yes": True}
