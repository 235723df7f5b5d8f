"""The same package, exported for a service that calls everything otherwise, against that service."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from connector import Connector, Credential
from connector.core.service.wire import Wire
from connector.export.shape import ExportOptions
from connector.runtime.session import Session
from connector.sandbox.banking.demo import MAIN_ACCOUNT
from connector.sandbox.server import SandboxServer
from tests.platforms.marks import unmarked
from tests.platforms.n8n.engine.n8n_engine import Engine, Flow, Stand
from tests.platforms.n8n.engine.n8n_package import transpiled
from tests.platforms.n8n.engine.n8n_tools import Toolchain
from tests.runtime.test_other_wire_names import OTHER
from tests.support.filled_in import NORDLICHT, all_inputs
from tests.support.running_sandbox import RunningSandbox

pytestmark = pytest.mark.platforms

CONNECTOR = Connector("unused")
WIRE = Wire.with_overrides(OTHER)


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    path = tmp_path_factory.mktemp("wire") / "wire.json"
    path.write_text(json.dumps(OTHER))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KONTOR_WIRE", str(path))
        with SandboxServer(allow_loopback_webhooks=True) as server:
            sandbox = RunningSandbox(server)
            sandbox.order("/limits", limit=1_000_000)
            yield sandbox
            sandbox.close()


@pytest.fixture(scope="module")
def stand_elsewhere(
    tools: Toolchain, elsewhere: RunningSandbox, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stand]:
    folder = transpiled(tools, tmp_path_factory.mktemp("other") / "n8n-nodes-kontor", ExportOptions(wire=WIRE))
    engine = Engine(tools, folder)
    yield Stand(engine, {"baseUrl": elsewhere.url, "apiKey": "sandbox-key"})
    engine.close()


@pytest.fixture
def session_elsewhere(elsewhere: RunningSandbox, tmp_path: Path) -> Iterator[Session]:
    connector = Connector(str(tmp_path))
    with connector.open(Credential(elsewhere.url, "sandbox-key", quelle="n8n", wire=WIRE)) as session:
        yield session
    connector.close()


def last_sent(sandbox: RunningSandbox) -> tuple[Any, ...]:
    last = sandbox.requests()[-1]
    return last["method"], last["path"], last["query"], unmarked(last["body"])


@pytest.mark.parametrize("id", sorted(CONNECTOR.actions))
def test_every_operation_uses_the_names_it_was_exported_with(
    id: str, stand_elsewhere: Stand, session_elsewhere: Session, elsewhere: RunningSandbox
) -> None:
    action = CONNECTOR.action(id)
    inputs = all_inputs(action, session_elsewhere)
    session_elsewhere.invoke(id, inputs)
    by_runtime = last_sent(elsewhere)
    elsewhere.order("/reset", seed=1)
    elsewhere.order("/limits", limit=1_000_000)
    assert stand_elsewhere.run(action, inputs)
    assert last_sent(elsewhere) == by_runtime


def test_a_dropdown_is_marked_as_the_service_wants_it(stand_elsewhere: Stand, elsewhere: RunningSandbox) -> None:
    before = elsewhere.balance()
    stand = stand_elsewhere
    assert stand.options("cash_books_by_ledger_connection_by_client", {"ledger_connection": NORDLICHT})
    assert elsewhere.requests()[-1]["dropdown"] is True
    assert elsewhere.balance() == before


def test_a_poll_uses_them_too(stand_elsewhere: Stand, elsewhere: RunningSandbox) -> None:
    flow = Flow(stand_elsewhere, CONNECTOR.trigger("new_payment"), "all", account_id=MAIN_ACCOUNT)
    assert {row["account_id"] for row in flow.poll()} == {MAIN_ACCOUNT}
    assert elsewhere.requests()[-1]["query"]["bankkonto"] == MAIN_ACCOUNT
