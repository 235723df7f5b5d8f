from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest

from connector.sandbox.banking.demo import MAIN_ACCOUNT
from connector.sandbox.server import SandboxServer
from connector.sandbox.traffic.wire import OVERRIDE_VARIABLE, Wire


@pytest.fixture(autouse=True)
def _no_override(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(OVERRIDE_VARIABLE, raising=False)


def test_the_shipped_names_are_read() -> None:
    wire = Wire.load()
    assert wire.name("opos.cutoff") == "stichtag"
    assert wire.payment_body["creditor_iban"] == "creditor_iban"
    assert wire.marker.is_set({"dropdown": "true"}, {})


def test_a_yaml_file_overrides_single_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "wire.yaml"
    file.write_text("ledger:\n  connection: verbindung\n  client: null\npayment:\n  body: {amount: betrag}\n")
    monkeypatch.setenv(OVERRIDE_VARIABLE, str(file))
    wire = Wire.load()
    assert wire.name("ledger.connection") == "verbindung"
    assert wire.name("ledger.client") is None
    assert (wire.payment_body["amount"], wire.payment_body["description"]) == ("betrag", "description")
    assert wire.name("opos.cutoff") == "stichtag"


def test_a_json_file_works_as_well(tmp_path: Path) -> None:
    file = tmp_path / "wire.json"
    file.write_text(json.dumps({"lookup": {"marker": {"in": "header", "name": "X-Source", "value": "form"}}}))
    marker = Wire.load(file).marker
    assert marker.is_set({}, {"x-source": "form"})
    assert not marker.is_set({"X-Source": "form"}, {})


def test_without_a_marker_nothing_is_a_dropdown(tmp_path: Path) -> None:
    file = tmp_path / "wire.yaml"
    file.write_text("lookup: {marker: {in: none}}")
    assert not Wire.load(file).marker.is_set({"dropdown": "true"}, {"dropdown": "true"})


@pytest.mark.parametrize(
    "text", ["opos: {stichtag: x}", "opos: text", "payment: {body: x}", "opos: {cutoff: {value: x}}", "- opos"]
)
def test_an_override_that_fits_nowhere_is_an_error(tmp_path: Path, text: str) -> None:
    file = tmp_path / "wire.yaml"
    file.write_text(text)
    with pytest.raises(ValueError, match="wire"):
        Wire.load(file)


def test_an_unknown_key_is_an_error() -> None:
    with pytest.raises(KeyError, match=r"opos\.stichtag"):
        Wire.load().name("opos.stichtag")


@pytest.mark.conforms("transactions.end_date")
def test_the_service_speaks_the_overridden_names(tmp_path: Path) -> None:
    file = tmp_path / "wire.yaml"
    file.write_text("transactions: {end_date: until}\npayment: {body: {amount: betrag, account_id: konto}}")
    with (
        SandboxServer(wire=Wire.load(file)) as server,
        httpx.Client(base_url=server.url, headers={"x-api-key": "sandbox-key"}, trust_env=False) as api,
    ):
        none = api.get("/v2/banking/transactions", params={"account_id": MAIN_ACCOUNT, "until": "2000-01-01"})
        assert none.json() == {"data": []}
        body = {"konto": MAIN_ACCOUNT, "creditor_name": "A", "creditor_iban": "DE89370400440532013000"}
        assert "betrag" in api.post("/v2/banking/payments", json=body).json()["error"]
        assert api.post("/v2/banking/payments", json={**body, "betrag": 1}).status_code == 201
