"""An agent whose write has an unknown outcome, or is a likely repeat: it is told what it can do with its own tools."""

from __future__ import annotations

import json

import pytest
from mcp import Client

from connector.interfaces.mcp.run_tools import LIST_RUNS, SETTLE_RUN, run_tools
from connector.sandbox.banking.demo import MAIN_ACCOUNT
from connector.sandbox.ledger.demo import ledger_connection_id
from tests.interfaces.mcp.person import Person, with_person

PAYMENTS, CASH_BOOK = "/v2/banking/payments", "/v2/ledger-duo/kassenbuch-advanced"
PAYMENT = {
    "account_id": MAIN_ACCOUNT,
    "creditor_name": "Reifen Voss KG",
    "creditor_iban": "DE02120300000000202051",
    "amount": 12.5,
}
ENTRY = {
    "ledger_connection": ledger_connection_id("nordlicht"),
    "kassenname": "Ladenkasse",
    "transaktionsdatum": "2026-05-04T10:30:00",
    "waehrung": "EUR",
    "belegzeilen": [{"betrag": 119, "gegenkonto": "8400"}],
}


def sent(sandbox, path):
    return sum(row["method"] == "POST" and row["path"].startswith(path) for row in sandbox.requests())


def error_of(result):
    assert result.is_error, result
    return result.structured_content["error"]


def told(result):
    return "\n".join(part.text for part in result.content)


async def lose_the_answer(client, sandbox, **more):
    sandbox.order("/faults", kind="drop_after", times=1, match={"method": "POST", "path": CASH_BOOK})
    return await client.call_tool("create_cash_book_entry", {**ENTRY, **more})


async def unknown_runs(client):
    return (await client.call_tool(LIST_RUNS, {})).structured_content["runs"]


@pytest.mark.parametrize("key", [None, "task-1"])
async def test_an_unknown_outcome_names_the_tools_and_no_command(server, sandbox, key):
    async with with_person(server) as client:
        lost = await lose_the_answer(client, sandbox, **({"key": key} if key else {}))
        error = error_of(lost)
        assert (error["kind"], error["outcome"]) == ("outcome_unknown", "unknown")
        for lang in ("en", "de"):
            assert SETTLE_RUN in error["remedy"][lang]
            assert error["details"]["run"] in error["remedy"][lang]
        assert "kontor runs" not in json.dumps(error["remedy"])
        assert SETTLE_RUN in told(lost)
        [run] = await unknown_runs(client)
        assert (run["run"], run["action"], run["state"]) == (
            error["details"]["run"],
            "create_cash_book_entry",
            "unknown",
        )
        assert run["inputs"]["kassenname"] == "Ladenkasse"


async def test_a_write_that_equals_an_unknown_one_is_refused_until_that_is_settled(server, sandbox):
    async with with_person(server) as client:
        run = error_of(await lose_the_answer(client, sandbox))["details"]["run"]
        again = error_of(await client.call_tool("create_cash_book_entry", {**ENTRY, "again": True}))
        assert (again["kind"], again["outcome"]) == ("likely_repeat", "not_sent")
        assert SETTLE_RUN in again["remedy"]["en"]
        assert run in again["remedy"]["en"]
        assert sent(sandbox, CASH_BOOK) == 1
        settled = await client.call_tool(SETTLE_RUN, {"run": run, "happened": False, "note": "seen"})
        assert settled.structured_content["run"]["state"] == "settled"
        assert await unknown_runs(client) == []
        done = await client.call_tool("create_cash_book_entry", {**ENTRY, "again": True})
    assert not done.is_error
    assert sent(sandbox, CASH_BOOK) == 2


async def test_settling_needs_the_persons_word_and_shows_what_it_is_about(server, sandbox):
    async with with_person(server) as client:
        run = error_of(await lose_the_answer(client, sandbox))["details"]["run"]
    for happened, consequence in ((True, "never sent"), (False, "happen twice")):
        person = Person("decline")
        async with with_person(server, person) as client:
            declined = await client.call_tool(SETTLE_RUN, {"run": run, "happened": happened})
            assert error_of(declined)["outcome"] == "not_sent"
            assert declined.structured_content["run"]["inputs"]["kassenname"] == "Ladenkasse"
            assert len(await unknown_runs(client)) == 1
        assert consequence in person.asked[0]
    async with Client(server) as client:
        assert error_of(await client.call_tool(SETTLE_RUN, {"run": run, "happened": True}))["kind"] == "right_missing"


async def test_what_happened_is_not_sent_again_under_its_key(server, sandbox):
    async with with_person(server) as client:
        run = error_of(await lose_the_answer(client, sandbox, key="task-1"))["details"]["run"]
        await client.call_tool(SETTLE_RUN, {"run": run, "happened": True})
        repeated = await client.call_tool("create_cash_book_entry", {**ENTRY, "key": "task-1"})
    assert repeated.structured_content["replayed"] is True
    assert sent(sandbox, CASH_BOOK) == 1


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"run": "none", "happened": True}, "run"),
        ({"happened": True}, "run"),
        ({"run": "none"}, "happened"),
        ({"run": "none", "happened": "yes"}, "happened"),
        ({"run": "none", "happened": True, "confirm": True}, "confirm"),
        ({"run": "none", "happened": True, "other": 1}, "other"),
    ],
)
async def test_wrong_arguments_are_named(server, arguments, field):
    async with with_person(server) as client:
        error = error_of(await client.call_tool(SETTLE_RUN, arguments))
    assert error["field"] == field
    assert "kontor runs" not in json.dumps(error["remedy"])


async def test_a_run_whose_outcome_is_known_is_not_settled(server, sandbox):
    async with with_person(server) as client:
        made = await client.call_tool("initiate_payment", PAYMENT)
        run = made.structured_content["run"]
        error = error_of(await client.call_tool(SETTLE_RUN, {"run": run, "happened": False}))
    assert (error["kind"], error["field"]) == ("input", "run")
    assert LIST_RUNS in error["remedy"]["en"]


async def test_the_same_call_repeated_without_a_key_pays_once(server, sandbox):
    async with with_person(server) as client:
        first = await client.call_tool("initiate_payment", PAYMENT)
        second = error_of(await client.call_tool("initiate_payment", PAYMENT))
        assert (first.is_error, second["kind"], second["outcome"]) == (False, "likely_repeat", "not_sent")
        assert "again: true" in second["remedy"]["en"]
        assert "--again" not in json.dumps(second["remedy"])
        assert sent(sandbox, PAYMENTS) == 1
        meant = await client.call_tool("initiate_payment", {**PAYMENT, "again": True})
    assert not meant.is_error
    assert sent(sandbox, PAYMENTS) == 2


def test_the_tools_say_whether_they_change_something():
    listing, settling = run_tools("de")
    assert (listing.annotations.read_only_hint, settling.annotations.read_only_hint) == (True, False)
    assert settling.annotations.destructive_hint is True
    assert settling.input_schema["required"] == ["run", "happened"]
