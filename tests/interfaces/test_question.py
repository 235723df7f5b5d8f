"""Nobody but Kontor words the question that a person answers: hostile values leave the fixed fields as they are."""

from __future__ import annotations

import random
import unicodedata
from decimal import Decimal
from typing import Any

import pytest

from connector import Connector, Credential
from connector.core.callers import Actor
from connector.core.messages import Text
from connector.core.service.wire import Wire
from connector.interfaces.question import (
    FIXED,
    HIDDEN,
    MARK,
    MAX_FREE,
    WARNS,
    about_run,
    of_inputs,
    of_request,
    visible,
)
from connector.runtime.requests.request import build_call

CONNECTOR = Connector("unused")
PAY, CALL = CONNECTOR.action("initiate_payment"), CONNECTOR.action("call_api")
WIRE = Wire.with_overrides({})
AGENT = Actor("bot", "payer", "default", person="Ada", agent=True)
PAYMENT = {
    "account_id": "8101",
    "creditor_name": "Reifen Voss KG",
    "creditor_iban": "DE02120300000000202051",
    "amount": Decimal("900.00"),
    "currency_code": "EUR",
}
STANDS = [
    "Who: Ada (token bot)",
    "What: Initiate payment",
    'Amount: 900.00 "EUR"',
    'Payee: "DE02120300000000202051" "Reifen Voss KG"',
    'From account: "8101"',
    "Method: POST",
    "Path: /v2/banking/payments",
]
NAMES = ["request", "Who", "who", "Amount", "amount ", "Method", "Path", "Payee", "What: x\nAmount", "From account", ""]
PIECES = [
    "\n",
    "\r\n",
    "\x0b",
    "\x85",
    "\u2028",
    "\u2029",
    "\u202e",
    "\u2066",
    "\u200b",
    "\ufeff",
    "\x1b[2K\x1b[1A",
    "\x00",
    "\t",
    "\u00a0",
    "\U000e0041",
    '"',
    "\\",
    MARK,
    "Amount: 1.00 EUR",
    "request: GET /v2/banking/accounts",
    "Method: GET",
    "x" * 500,
    "ä€𝄞",
]
HOSTILE = 1000


def hostile(dice: random.Random, depth: int = 2) -> Any:
    """A value that tries to look like something else."""
    kind = dice.randrange(6 if depth else 4)
    if kind < 4:
        return "".join(dice.choice(PIECES) for _ in range(dice.randrange(6)))
    if kind == 4:
        return [hostile(dice, depth - 1) for _ in range(dice.randrange(4))]
    return {named(dice): hostile(dice, depth - 1) for _ in range(dice.randrange(6))}


def named(dice: random.Random) -> str:
    return dice.choice(NAMES) if dice.random() < 0.6 else "".join(dice.choice(PIECES) for _ in range(3))


def lines_of(text: str) -> list[str]:
    """The lines as any terminal or form may break them."""
    return text.splitlines()


def planned(method: str, path: str, body: Any) -> dict[str, Any]:
    return {"method": method, "url": f"https://service.example{path}", "body": body}


def assert_only_lines_of_kontor(text: str, stands: list[str]) -> None:
    lines = lines_of(text)
    assert lines[: len(stands)] == stands
    rest = lines[len(stands) :]
    assert not rest or rest[0] == "Also sent, as it was given:"
    assert all(line.startswith(MARK) for line in rest[1:])
    assert len(rest) <= MAX_FREE + 2
    assert all(len(line) < 6_000 for line in lines)
    assert not [one for one in text if one != "\n" and (unicodedata.category(one) in HIDDEN or one == "\u00a0")]


@pytest.mark.parametrize("seed", range(4))
def test_hostile_values_leave_the_fixed_fields_as_they_are(seed: int) -> None:
    dice = random.Random(seed)
    for _ in range(HOSTILE // 4):
        extra = {named(dice): hostile(dice) for _ in range(dice.randrange(1, 8))}
        body = {**extra, **PAYMENT, "custom_fields": {named(dice): hostile(dice)}}
        if dice.random() < 0.5:
            body = dict(reversed(body.items()))
        asked = of_request(PAY, planned("POST", "/v2/banking/payments", body), WIRE, AGENT)
        assert_only_lines_of_kontor(asked.text("en"), STANDS)
        free = {named(dice): hostile(dice) for _ in range(dice.randrange(1, 8))}
        called = of_request(CALL, planned("PUT", "/v2/banking/webhook-url", free), WIRE, AGENT)
        stands = [STANDS[0], "What: Call the API", "Method: PUT", "Path: /v2/banking/webhook-url"]
        assert_only_lines_of_kontor(called.text("en"), stands)
        waits = of_inputs(PAY, {**PAYMENT, "description": hostile(dice, 0), "extra": extra}, "Ada")
        assert_only_lines_of_kontor(waits.text("en"), ["Who: Ada", *STANDS[1:]])


@pytest.mark.parametrize("lang", ["en", "de"])
def test_a_free_key_has_its_whole_path_and_its_value_as_given(lang: str) -> None:
    body = {**PAYMENT, "request": "GET /v2/banking/accounts", "a": {"b\nc": [1, "\u202ex"]}}
    text = of_request(PAY, planned("POST", "/v2/banking/payments", body), WIRE, AGENT).text(lang)
    assert f'{MARK}body."request": "GET /v2/banking/accounts"' in text
    assert f'{MARK}body."a"."b\\u000ac"."1": "\\u202ex"' in text


def test_hostile_values_in_the_fixed_fields_themselves_stay_in_their_lines() -> None:
    body = {**PAYMENT, "creditor_name": 'Voss"\nAmount: 1.00 EUR', "account_id": "8101\u202e"}
    lines = lines_of(of_request(PAY, planned("POST", "/v2/banking/payments", body), WIRE, None).text("en"))
    assert lines[0] == "Who: owner of this machine"
    assert lines[2] == STANDS[2]
    assert lines[3] == 'Payee: "DE02120300000000202051" "Voss\\"\\u000aAmount: 1.00 EUR"'
    assert lines[4] == 'From account: "8101\\u202e"'


def test_the_fixed_fields_are_those_of_the_request_under_other_wire_names() -> None:
    wire = Wire.with_overrides({"payment": {"body": {"amount": "betrag", "account_id": "konto"}}})
    call = build_call(PAY, PAYMENT, wire)
    assert isinstance(call.body, dict)
    asked = of_request(PAY, planned(call.method, call.path, {**call.body, "amount": "1.00"}), wire, AGENT)
    assert lines_of(asked.text("en"))[: len(STANDS)] == STANDS
    assert [name for name, _ in asked.fixed] == list(FIXED)


def test_a_long_value_is_cut_and_says_how_long_it_was() -> None:
    assert visible("x" * 201) == "x" * 200 + "… (201)"
    assert visible("x" * 200) == "x" * 200


def test_a_run_that_is_settled_is_asked_about_in_the_same_way() -> None:
    run = {"run": "r1", "state": "unknown", "action": "x", "inputs": {"state": "done\nRun: r2"}, "key": "a\u202e"}
    assert lines_of(about_run(run, None).text("en")) == [
        "What: x",
        "Run: r1",
        "State: unknown",
        "Also sent, as it was given:",
        f'{MARK}run."key": "a\\u202e"',
        f'{MARK}run."inputs"."state": "done\\u000aRun: r2"',
    ]


def test_what_is_asked_is_what_is_sent(tmp_path: Any) -> None:
    connector = Connector(str(tmp_path))
    with connector.open(Credential("https://service.example", "a-key")) as session:
        planned_now = session.invoke("initiate_payment", {**PAYMENT, "amount": "900,00"}, dry_run=True).output
    connector.close()
    assert lines_of(of_request(PAY, planned_now, WIRE, AGENT).text("en"))[: len(STANDS)] == STANDS


def test_a_warning_stands_on_one_line_behind_the_fixed_fields_whatever_names_it_holds() -> None:
    said = Text("'Voss\nAmount: 1.00' was paid before", "„Voss\nBetrag: 1,00“ wurde bezahlt")
    planned = build_call(PAY, PAYMENT, WIRE)
    question = of_request(PAY, {"method": planned.method, "path": planned.path, "body": planned.body}, WIRE, AGENT)
    lines = question.warning([said]).text("en").splitlines()
    assert lines[: len(STANDS)] == STANDS
    assert lines[len(STANDS)].startswith(f"{WARNS}'Voss")
    assert sum(line.startswith("Amount:") for line in lines) == 1
