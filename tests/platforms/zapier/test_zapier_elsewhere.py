"""The same app for a service that calls everything otherwise, exported with the names that it understands."""

from __future__ import annotations

import json

import pytest

from connector import Connector, Credential
from connector.core.service.wire import Wire
from connector.export import zapier
from connector.export.catalogue import write
from connector.export.shape import ExportOptions
from connector.sandbox.banking.demo import MAIN_ACCOUNT
from connector.sandbox.server import SandboxServer
from tests.platforms.marks import unmarked
from tests.platforms.zapier.zapier_engine import Engine
from tests.platforms.zapier.zapier_form import form
from tests.runtime.test_other_wire_names import OTHER
from tests.support.filled_in import all_inputs
from tests.support.running_sandbox import RunningSandbox

pytestmark = pytest.mark.platforms
MANIFESTS = Connector("unused")


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory):
    folder = tmp_path_factory.mktemp("elsewhere")
    (folder / "wire.json").write_text(json.dumps(OTHER))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KONTOR_WIRE", str(folder / "wire.json"))
        with SandboxServer(allow_loopback_webhooks=True) as server:
            sandbox = RunningSandbox(server)
            sandbox.order("/limits", limit=1_000_000)
            write(zapier.build(MANIFESTS, ExportOptions(wire=Wire.load())), folder / "app")
            engine = Engine(folder / "app", {"base_url": sandbox.url, "api_key": "sandbox-key"})
            connector = Connector(str(folder / "data"))
            with connector.open(Credential(sandbox.url, "sandbox-key", quelle="zapier")) as session:
                yield engine, session, sandbox
            engine.close()
            connector.close()
            sandbox.close()


@pytest.mark.parametrize("id", sorted(MANIFESTS.actions))
def test_every_action_works_with_other_names(id, elsewhere):
    engine, session, sandbox = elsewhere
    action = MANIFESTS.action(id)
    inputs = all_inputs(action, session)
    shown = session.invoke(id, inputs, dry_run=True).output
    kind = "creates" if action.writes else "searches"
    assert engine.execute(f"{kind}.{id}.operation.perform", form(action, inputs))
    sent = sandbox.requests()[-1]["body"]
    assert _plain(shown["body"]) == _plain(sent)
    if action.read_back is not None:
        assert sent["eigene"]["kontor_digest"].startswith("2:")


def _plain(body):
    return json.loads(json.dumps(unmarked(body), default=float))


def test_dropdowns_and_polls_work_with_other_names(elsewhere):
    engine, session, sandbox = elsewhere
    triggers = json.loads(zapier.build(MANIFESTS, ExportOptions()).files["kontor-app.json"])["triggers"]
    everything = all_inputs(MANIFESTS.action("create_cash_book_entry"), session) | {"account_id": MAIN_ACCOUNT}
    everything |= {"geschaeftsjahrStartDatum": f"{session.clock.utcnow():%Y}-01-01"}
    before = sandbox.balance()
    for key, one in triggers.items():
        if one["display"].get("hidden"):
            assert engine.execute(f"triggers.{key}.operation.perform", everything), key
    assert sandbox.balance() == before
    assert engine.execute("triggers.new_payment.operation.perform", {"account_id": MAIN_ACCOUNT})
    first, behind = (entry["query"] for entry in sandbox.requests()[-2:])  # read on until a page brings nothing new
    assert first == {"sort": "id", "bankkonto": MAIN_ACCOUNT}
    assert behind == {**first, "from_id": behind["from_id"]}
