"""The same packages, exported for a service that calls everything otherwise, against that service."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from connector import Connector, Credential
from connector.core.service.wire import Wire
from connector.runtime.session import Session
from connector.sandbox.banking.demo import MAIN_ACCOUNT
from connector.sandbox.server import SandboxServer
from tests.platforms.marks import unmarked
from tests.platforms.node_packages.conftest import KEY, Engines
from tests.platforms.node_packages.engines.stand import Means, Stand
from tests.runtime.test_other_wire_names import OTHER
from tests.support.filled_in import NORDLICHT, all_inputs
from tests.support.parts import part
from tests.support.running_sandbox import RunningSandbox

pytestmark = pytest.mark.platforms

CONNECTOR = Connector("unused")
WIRE = Wire.with_overrides(OTHER)
CASH = CONNECTOR.action("create_cash_book_entry")


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


@pytest.fixture
def stand_elsewhere(kind: str, engines: Engines, elsewhere: RunningSandbox) -> Stand:
    stand: Stand = engines(kind, "service", wire=WIRE).stand({"baseUrl": elsewhere.url, "apiKey": KEY})
    return stand


@pytest.fixture
def session_elsewhere(kind: str, elsewhere: RunningSandbox, tmp_path: Path) -> Iterator[Session]:
    connector = Connector(str(tmp_path))
    with connector.open(Credential(elsewhere.url, KEY, quelle=kind, wire=WIRE)) as session:
        yield session
    connector.close()


def last_sent(sandbox: RunningSandbox) -> tuple[Any, ...]:
    last = sandbox.requests()[-1]
    return last["method"], last["path"], last["query"], unmarked(last["body"])


@pytest.mark.parametrize("id", part(sorted(CONNECTOR.actions)))
def test_every_action_uses_the_names_it_was_exported_with(
    id: str, stand_elsewhere: Stand, session_elsewhere: Session, elsewhere: RunningSandbox
) -> None:
    action = CONNECTOR.action(id)
    inputs = all_inputs(action, session_elsewhere)
    session_elsewhere.invoke(id, inputs)
    by_runtime = last_sent(elsewhere)
    elsewhere.order("/reset", seed=1)
    elsewhere.order("/limits", limit=1_000_000)
    assert stand_elsewhere.run(action, inputs, Means(again=True))
    assert last_sent(elsewhere) == by_runtime


def test_a_dropdown_is_marked_as_the_service_wants_it(stand_elsewhere: Stand, elsewhere: RunningSandbox) -> None:
    before = elsewhere.balance()
    field = next(one for one in CASH.inputs if one.name == "kassenname")
    assert stand_elsewhere.options(CASH, field, {"ledger_connection": NORDLICHT, "client": ""})
    assert elsewhere.requests()[-1]["dropdown"] is True
    assert elsewhere.balance() == before


def test_a_poll_uses_them_too(stand_elsewhere: Stand, elsewhere: RunningSandbox) -> None:
    flow = stand_elsewhere.poll_flow(CONNECTOR.trigger("new_payment"), "all", account_id=MAIN_ACCOUNT)
    assert {row["account_id"] for row in flow.poll()} == {MAIN_ACCOUNT}
    assert elsewhere.requests()[-1]["query"]["bankkonto"] == MAIN_ACCOUNT
