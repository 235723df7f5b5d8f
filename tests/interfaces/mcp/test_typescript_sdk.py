"""The server as the official TypeScript SDK sees it: it holds every answer against its schema, errors too."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from connector import Connector, Credential
from connector.interfaces.mcp.results import to_json_types
from tests.platforms.node import find_node, or_skip
from tests.platforms.npm import installed
from tests.support.filled_in import needed_inputs

pytestmark = pytest.mark.platforms

ACTIONS = Connector("unused").actions
KONTOR = Path(sys.executable).parent / "kontor"
SCRIPT = Path(__file__).with_name("typescript_client.mjs")
PAYMENT = {"creditor_name": "Reifen Voss KG", "creditor_iban": "DE02120300000000202051", "amount": 12.5}
FIRST = [
    {"name": "list_bank_accounts", "arguments": {}},
    {"name": "list_options", "arguments": {"lookup": "bank_accounts"}},
    {"name": "get_payment", "arguments": {"id": "4711"}},
    {"name": "list_options", "arguments": {"lookup": "cash_books"}},
    {"name": "initiate_payment", "arguments": {**PAYMENT, "account_id": "222483902742913301"}},
]


@pytest.fixture
def told(sandbox, tmp_path):
    with or_skip():
        node, packages = find_node(), installed("mcp") / "node_modules"
    (tmp_path / "node_modules").symlink_to(packages)
    script = shutil.copy(SCRIPT, tmp_path)
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("KONTOR_")},
        "KONTOR_BASE_URL": sandbox.url,
        "KONTOR_API_KEY": "sandbox-key",
        "KONTOR_DATA": str(tmp_path / "data"),
    }
    with Connector(str(tmp_path / "beside")).open(Credential(sandbox.url, "sandbox-key")) as session:
        calls = FIRST + [
            {"name": id, "arguments": to_json_types(needed_inputs(action, session))} for id, action in ACTIONS.items()
        ]
    command = [node.program, str(script), str(KONTOR), json.dumps(calls)]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def test_answers_and_errors_arrive_with_message_and_remedy(told):
    assert set(ACTIONS) <= set(told["tools"])
    assert [call for call in told["told"] if "thrown" in call] == []
    accounts, options, payment, cash_books, paid, *more = told["told"]
    every, wrong = more[: len(ACTIONS)], more[len(ACTIONS) :]
    for call in every:  # this client has nobody to ask, so writes wait for a person
        assert call.get("isError", False) is ACTIONS[call["name"]].writes or call["name"] == "call_api", call
        assert ("output" in call["structuredContent"]) is not call.get("isError", False)
    assert accounts["structuredContent"]["output"]["items"]
    assert options["structuredContent"]["options"]
    assert payment["structuredContent"]["error"]["kind"] == "not_found"
    assert cash_books["structuredContent"]["error"]["field"] == "ledger_connection"
    assert paid["structuredContent"]["error"]["kind"] == "right_missing"
    assert len(wrong) == len(told["tools"])
    for call in (payment, cash_books, paid, *wrong):
        error = call["structuredContent"]["error"]
        assert call["isError"], call["name"]
        assert error["message"] in call["content"][0]["text"]
        assert error["remedy"]["en"] in call["content"][0]["text"]
