"""What people copy does what the runtime would do, to the digit, and never holds the key."""

from __future__ import annotations

import json as plain_json
import shlex
from decimal import Decimal
from typing import Any

import pytest
import responses

from connector import Connector, Credential
from connector.core.values import json
from connector.interfaces.cli.inputs_from_args import inputs_from
from connector.interfaces.console.frame import snippets

BASE = "https://service.example"
KEY = "the-very-secret-key"
LEDGER = "0b54a7c2-5a0e-4e0b-9d8e-3f6f3c1d2a90"
CONNECTOR = Connector()
EXAMPLES = {
    action.id: {
        field.name: field.example
        for field in action.inputs
        if field.example is not None and field.name != "opening_balance"
    }
    for action in CONNECTOR.actions.values()
}
EXAMPLES["call_api"] = {"method": "POST", "path": "/v2/banking/connect", "body": {"country_code": "DE"}}
AWKWARD = {
    "account_id": "8101",
    "creditor_name": "Müller & Söhne 'Nord'",
    "creditor_iban": "DE02120300000000202051",
    "amount": Decimal("10.10"),
    "description": 'He said ""yes"" $HOME `x` \\ end',
}


def dry_run(action: str, inputs: dict[str, Any]) -> dict[str, Any]:
    with CONNECTOR.open(Credential(BASE, KEY)) as kontor:
        shown: dict[str, Any] = kontor.invoke(action, inputs, dry_run=True).output
    return shown


def executed(snippet: str, shown: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    """The request that the snippet sends."""
    monkeypatch.setenv("KONTOR_API_KEY", KEY)
    with responses.RequestsMock() as service:
        service.add(shown["method"], shown["url"].partition("?")[0], json={"data": []})
        exec(compile(snippet, "snippet", "exec"), {})
        return service.calls[0].request


@pytest.mark.parametrize("action", sorted(EXAMPLES))
def test_the_requests_snippet_sends_what_the_runtime_sends(action: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = dry_run(action, EXAMPLES[action])
    snippet = snippets.requests_python(shown)
    assert KEY not in snippet
    sent = executed(snippet, shown, monkeypatch)
    assert sent.method == shown["method"]
    assert sent.url == shown["url"]
    assert sent.headers["x-api-key"] == KEY
    assert sent.headers["accept"] == shown["headers"]["accept"]
    if shown["body"] is None:
        assert sent.body is None
    else:
        assert sent.headers["content-type"] == "application/json"
        exact = plain_json.loads(sent.body, parse_float=Decimal)
        assert exact == shown["body"]
        assert str(exact) == str(shown["body"])  # 10.10 stays 10.10


def test_awkward_texts_survive_the_requests_snippet(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = dry_run("initiate_payment", AWKWARD)
    sent = executed(snippets.requests_python(shown), shown, monkeypatch)
    assert plain_json.loads(sent.body, parse_float=Decimal) == shown["body"]


@pytest.mark.parametrize("text", ['"""', 'a"""b', "back\\slash", "line\nbreak", "'''", "\\"])
def test_no_text_breaks_out_of_its_literal(text: str) -> None:
    literal = snippets._literal({"text": text, "list": [text]})
    assert plain_json.loads(eval(literal)) == {"text": text, "list": [text]}


def test_the_command_line_is_read_back_as_the_same_inputs() -> None:
    words = shlex.split(snippets.command_line("initiate_payment", AWKWARD, "run-1"))
    assert words[:4] == ["kontor", "run", "initiate_payment", "--input"]
    assert words[5:] == ["--key", "run-1"]
    read = inputs_from(CONNECTOR.action("initiate_payment").inputs, words[4], [])
    assert read == AWKWARD
    assert str(read["amount"]) == "10.10"


def test_curl_takes_token_and_key_from_the_environment() -> None:
    text = snippets.curl("https://kontor.example", "initiate_payment", AWKWARD, "run-1")
    words = shlex.split(text.replace("\\\n", " "))
    assert "https://kontor.example/v1/actions/initiate_payment/run" in words
    assert "Authorization: Bearer $KONTOR_HOST_TOKEN" in words
    assert "x-api-key: $KONTOR_API_KEY" in words
    assert json.decode(words[-1]) == {"inputs": AWKWARD, "key": "run-1"}


def test_the_kontor_snippet_runs_the_action_with_exact_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, Any] = {}

    class Pretend:
        def open(self) -> Pretend:
            return self

        def __enter__(self) -> Pretend:
            return self

        def __exit__(self, *args: object) -> None:
            pass

        def invoke(self, action: str, inputs: dict[str, Any], key: str | None = None) -> Any:
            seen.update(action=action, inputs=inputs, key=key, output="done")
            return type("Result", (), {"output": "done"})

    monkeypatch.setattr("connector.Connector", Pretend, raising=False)
    exec(compile(snippets.kontor_python("initiate_payment", AWKWARD, "run-1"), "snippet", "exec"), {})
    assert seen["action"] == "initiate_payment"
    assert seen["key"] == "run-1"
    assert seen["inputs"] == AWKWARD
