"""The server over real pipes and real sockets, for clients of today's protocol and of the one before."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Thread

import httpx2
import pytest
import uvicorn
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from starlette.applications import Starlette
from starlette.routing import Mount

from connector.core.limits import MAX_MCP_BODY_BYTES
from connector.interfaces.mcp import http_app
from connector.interfaces.mcp.http import sessions_by_header
from connector.sandbox.banking.demo import MAIN_ACCOUNT
from connector.sandbox.ledger.demo import ledger_connection_id

pytestmark = pytest.mark.long

KONTOR = Path(sys.executable).parent / "kontor"
ONE_X = "mcp>=1.30,<2"
PAYEE = {"creditor_name": "Reifen Voss KG", "creditor_iban": "DE02120300000000202051"}
CALL = {"name": "initiate_payment", "arguments": {"account_id": MAIN_ACCOUNT, **PAYEE, "amount": 297.5}}


@pytest.fixture
def environment(sandbox, tmp_path):
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith("KONTOR_")},
        "KONTOR_BASE_URL": sandbox.url,
        "KONTOR_API_KEY": "sandbox-key",
        "KONTOR_DATA": str(tmp_path),
    }


@pytest.fixture
def url(sandbox, connector):
    """A host that mounts the application as `http_app` says."""
    app = http_app(connector, open_session=sessions_by_header(connector, sandbox.url))

    @asynccontextmanager
    async def lifespan(_):
        async with app.router.lifespan_context(app):
            yield

    host = Starlette(routes=[Mount("/mcp", app)], lifespan=lifespan)
    server = uvicorn.Server(uvicorn.Config(host, port=0, log_level="warning"))
    thread = Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}/mcp/"
    server.should_exit = True
    thread.join()


@pytest.fixture(scope="session")
def one_x(tmp_path_factory):
    """An interpreter with the 1.x package, in an environment that is thrown away."""
    given = os.environ.get("KONTOR_MCP1_PYTHON")
    if given:
        return given
    folder = tmp_path_factory.mktemp("one-x")
    venv.create(folder, with_pip=True)
    python = str(folder / "bin" / "python")
    done = subprocess.run(
        [python, "-m", "pip", "install", "--quiet", ONE_X], capture_output=True, text=True, check=False
    )
    if done.returncode:
        if os.environ.get("CI") == "true":
            pytest.fail(done.stderr)
        pytest.skip("the 1.x package cannot be installed here")
    return python


def ask_one_x(python, transport, target, environment):
    script = Path(__file__).parent / "one_x_client.py"
    done = subprocess.run(
        [python, script, transport, target], env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def check_one_x(said, connector):
    assert said["protocol"] < "2026"
    assert set(connector.actions) < set(said["tools"])
    assert said["read_only"]["initiate_payment"] is False
    assert said["accounts"]["output"]["items"][0]["id"]
    assert said["refused"] is True
    assert said["resource"] == "get_payment"


async def test_over_stdio(environment, connector):
    async with Client(StdioServerParameters(command=str(KONTOR), args=["mcp"], env=environment)) as client:
        tools = (await client.list_tools()).tools
        accounts = await client.call_tool("list_bank_accounts", {})
    assert {tool.name for tool in tools} > set(connector.actions)
    assert accounts.structured_content["output"]["items"][0]["id"]


async def test_without_a_credential_the_tools_are_listed_and_a_call_says_what_is_missing(environment):
    bare = {name: value for name, value in environment.items() if name != "KONTOR_API_KEY"}
    async with Client(StdioServerParameters(command=str(KONTOR), args=["mcp"], env=bare)) as client:
        assert (await client.list_tools()).tools
        answer = await client.call_tool("list_bank_accounts", {})
    assert answer.is_error
    assert answer.structured_content["error"]["field"] == "api_key"


async def test_over_stdio_the_calls_carry_the_label_of_mcp_unless_another_is_set(environment, sandbox):
    inputs = {"ledger_connection": ledger_connection_id("nordlicht")}
    for label, env in (("mcp", environment), ("agent-7", {**environment, "KONTOR_QUELLE": "agent-7"})):
        async with Client(StdioServerParameters(command=str(KONTOR), args=["mcp"], env=env)) as client:
            assert not (await client.call_tool("list_cash_books", inputs)).is_error
        assert sandbox.requests()[-1]["query"]["quelle"] == label


async def test_over_http_each_request_acts_with_the_key_it_brings(url):
    for key, works in (("sandbox-key", True), ("wrong-key", False)):
        http = httpx2.AsyncClient(headers={"x-api-key": key}, trust_env=False)
        async with http, Client(streamable_http_client(url, http_client=http)) as client:
            answer = await client.call_tool("list_bank_accounts", {})
        assert answer.is_error is not works
        if not works:
            assert answer.structured_content["error"]["kind"] == "key_refused"


class RawClient:
    """Writes messages to the server's stdin as they are, which a client of the SDK cannot."""

    def __init__(self, environment):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "encoding": "utf-8"}
        self._process = subprocess.Popen([str(KONTOR), "mcp"], env=environment, **pipes)
        can = {"elicitation": {}}
        about = {"protocolVersion": "2025-06-18", "capabilities": can, "clientInfo": {"name": "raw", "version": "1"}}
        assert self.ask({"id": 0, "method": "initialize", "params": about})["result"]
        self.write({"method": "notifications/initialized"})

    def write(self, message, **replaced):
        text = json.dumps({"jsonrpc": "2.0", **message})
        for name, doubled in replaced.items():
            assert f'"{name}":' in text
            text = text.replace(f'"{name}":', f'{doubled}, "{name}":')
        self._process.stdin.write(text + "\n")
        self._process.stdin.flush()

    def ask(self, message, **replaced):
        self.write(message, **replaced)
        return json.loads(self._process.stdout.readline())

    def close(self):
        self._process.stdin.close()
        assert self._process.wait(20) == 0
        self._process.stdout.close()


@pytest.fixture
def raw(environment):
    client = RawClient(environment)
    yield client
    client.close()


def sent_payments(sandbox):
    return [one for one in sandbox.requests() if one["method"] == "POST"]


def test_over_stdio_a_member_that_is_given_twice_is_refused_by_name(raw, sandbox):
    refused = raw.ask({"id": 1, "method": "tools/call", "params": CALL}, amount='"amount": 1')
    assert refused["id"] == 1
    assert "'amount' is given twice" in refused["error"]["message"]
    assert refused["error"]["data"]["field"] == "amount"
    assert raw.ask({"id": 2, "method": "ping"}) == {"jsonrpc": "2.0", "id": 2, "result": {}}
    assert sent_payments(sandbox) == []


def test_over_stdio_an_ambiguous_answer_confirms_nothing(raw, sandbox):
    asked = raw.ask({"id": 1, "method": "tools/call", "params": CALL})
    assert asked["method"] == "elicitation/create"
    answer = {"id": asked["id"], "result": {"action": "accept", "content": {"confirm": True}}}
    told = raw.ask(answer, action='"action": "decline"')
    assert told["id"] == 1
    assert told["result"]["structuredContent"]["error"]["outcome"] == "not_sent"
    assert sent_payments(sandbox) == []


@pytest.mark.parametrize("version", ["2025-06-18", "2026-07-28"])
def test_over_http_a_member_that_is_given_twice_is_refused_by_name(url, sandbox, version):
    text = json.dumps({"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": CALL})
    headers = {
        "x-api-key": "sandbox-key",
        "accept": "application/json, text/event-stream",
        "content-type": "application/json",
        "mcp-protocol-version": version,
    }
    doubled = text.replace('"amount":', '"amount": 1, "\\u0061mount":')
    with httpx2.Client(headers=headers, trust_env=False) as http:
        refused = http.post(url, content=doubled)
        assert refused.status_code == 400
        assert refused.json()["id"] == "a"
        assert refused.json()["error"]["data"]["field"] == "amount"
        assert "'amount' is given twice" not in http.post(url, content=text).text
        assert http.post(url, content=b" " * (MAX_MCP_BODY_BYTES + 1)).status_code == 413
    assert sent_payments(sandbox) == []


@pytest.mark.platforms
def test_a_client_of_the_protocol_before_over_stdio(one_x, environment, connector):
    check_one_x(ask_one_x(one_x, "stdio", str(KONTOR), environment), connector)


@pytest.mark.platforms
def test_a_client_of_the_protocol_before_over_http(one_x, url, environment, connector):
    check_one_x(ask_one_x(one_x, "http", url, environment), connector)
