"""The same actions and lookups against a service that calls everything otherwise, with a wire file that says so."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from connector import Connector, Credential
from connector.core.service.wire import Wire
from connector.sandbox.server import SandboxServer
from tests.support.filled_in import all_inputs
from tests.support.running_sandbox import RunningSandbox

OTHER = {
    "ledger": {"connection": "verbindung", "client": "mandant"},
    "folders": {"type": "art"},
    "opos": {"cutoff": "per", "side": "seite", "opening_balance": "eb"},
    "susa": {"account": "konto"},
    "accounts": {"payments_only": "zahlbar"},
    "transactions": {"end_date": "bis"},
    "payments": {
        "connection": "bankverbindung",
        "account": "bankkonto",
        "created_from": "ab",
        "created_to": "bis",
        "limit": "anzahl",
    },
    "lookup": {"marker": {"in": "header", "name": "X-Formular", "value": "ja"}},
    "payment": {
        "body": {"account_id": "konto", "creditor_iban": "iban", "amount": "betrag", "custom_fields": "eigene"}
    },
    "connect": {"body": {"provider_code": "bank", "return_url": "zurueck"}},
}
CONNECTOR = Connector("unused")


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory):
    path = tmp_path_factory.mktemp("wire") / "wire.json"
    path.write_text(json.dumps(OTHER))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KONTOR_WIRE", str(path))
        with SandboxServer(allow_loopback_webhooks=True) as server:
            sandbox = RunningSandbox(server)
            sandbox.order("/limits", limit=1_000_000)
            yield sandbox, path
            sandbox.close()


@pytest.fixture
def session(elsewhere, tmp_path):
    sandbox, path = elsewhere
    connector = Connector(str(tmp_path))
    wire = Wire.load({"KONTOR_WIRE": str(path)})
    with connector.open(Credential(sandbox.url, "sandbox-key", wire=wire)) as session:
        yield session
    connector.close()


@pytest.mark.conforms(
    "endpoints.ledger_connection",
    "invoice_folders.type_filter",
    "open_items.parameter_names",
    "trial_balance.open_names",
    "payments.parameter_names",
    "bank_connect.endpoint",
)
@pytest.mark.parametrize("id", sorted(CONNECTOR.actions))
def test_every_action_works_with_other_names(id, session, elsewhere):
    action = CONNECTOR.action(id)
    inputs = all_inputs(action, session)
    result = session.invoke(id, inputs)
    assert result.output
    sent = elsewhere[0].requests()[-1]
    assumed = {
        name for field in action.inputs if field.wire for name in [Wire.load({})[field.wire]] if isinstance(name, str)
    }
    given = {session.credential.wire[field.wire] for field in action.inputs if field.wire and field.place == "query"}
    assert not assumed & (set(sent["query"]) - given)


@pytest.mark.conforms("endpoints.dropdown_use")
@pytest.mark.parametrize("id", sorted(CONNECTOR.lookups))
def test_every_lookup_works_with_other_names_and_is_free(id, session, elsewhere):
    before = elsewhere[0].balance()
    assert session.options(id, all_inputs(CONNECTOR.lookup(id), session)).options
    assert elsewhere[0].balance() == before


@pytest.mark.conforms("errors.missing_parameter")
def test_without_the_wire_file_the_error_says_which_key_to_set_to_what(elsewhere, tmp_path):
    sandbox, _ = elsewhere
    connector = Connector(str(tmp_path))
    from connector.core.errors import Refused

    inputs = all_inputs(CONNECTOR.action("list_cash_books"), None)  # type: ignore[arg-type]
    with (
        connector.open(Credential(sandbox.url, "sandbox-key", wire=Wire.load({}))) as session,
        pytest.raises(Refused) as caught,
    ):
        session.invoke("list_cash_books", inputs)
    assert "'ledger.connection' to 'verbindung'" in caught.value.remedy.en
    assert "„ledger.connection“ auf „verbindung“" in caught.value.remedy.de


def test_the_command_line_takes_the_wire_file_from_the_environment(elsewhere, tmp_path):
    sandbox, path = elsewhere
    env = {
        **os.environ,
        "KONTOR_BASE_URL": sandbox.url,
        "KONTOR_API_KEY": "sandbox-key",
        "KONTOR_WIRE": str(path),
        "KONTOR_DATA": str(tmp_path),
    }
    inputs = json.dumps(all_inputs(CONNECTOR.action("get_open_items"), None))  # type: ignore[arg-type]
    command = [Path(sys.executable).parent / "kontor", "run", "get_open_items", "--input", inputs, "--json"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    document = json.loads(done.stdout)
    assert (done.returncode, document["ok"]) == (0, True), done
    assert document["output"]["konten"]
