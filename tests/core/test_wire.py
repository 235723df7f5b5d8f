"""The wire names: shipped assumptions, overrides, and errors that help."""

import json
from pathlib import Path

import pytest
import yaml

from connector.core.errors import InputError
from connector.core.service.wire import SHIPPED, Wire

KEYS = {
    "ledger.connection", "ledger.client", "folders.type", "opos.cutoff", "opos.side", "opos.opening_balance",
    "susa.account", "accounts.payments_only", "transactions.end_date", "payments.connection", "payments.account",
    "payments.created_from", "payments.created_to", "payments.limit", "lookup.marker", "payment.body", "connect.body",
    "rate.scope", "refusal.believed",
}  # fmt: skip


def overridden(tmp_path: Path, text: str, name: str = "wire.yaml") -> Wire:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return Wire.load({"KONTOR_WIRE": str(path)})


def test_every_key_is_shipped_with_a_reason_and_the_sentence_that_leaves_it_open():
    wire = Wire.load({})
    assert set(wire) == KEYS
    assert all(name.because and name.open and not name.overridden for name in wire.names.values())


def test_the_shipped_file_states_each_name_once():
    tree = yaml.safe_load(SHIPPED.read_text(encoding="utf-8"))
    assert {f"{group}.{name}" for group, names in tree.items() for name in names} == KEYS


def test_a_yaml_file_overrides_only_what_it_names(tmp_path):
    wire = overridden(tmp_path, "opos:\n  cutoff: per\nlookup:\n  marker: {in: header, name: X-Use, value: form}\n")
    assert wire["opos.cutoff"] == "per"
    assert wire.names["opos.cutoff"].overridden
    assert wire["opos.side"] == Wire.load({})["opos.side"]
    assert (wire.marker.place, wire.marker.name, wire.marker.value) == ("header", "X-Use", "form")


def test_a_json_file_serves_as_well(tmp_path):
    text = json.dumps({"payment": {"body": {"creditor_iban": "iban"}}, "lookup": {"marker": {"in": "none"}}})
    wire = overridden(tmp_path, text, "wire.json")
    assert wire["payment.body"]["creditor_iban"] == "iban"
    assert wire["payment.body"]["amount"] == "amount"
    assert wire.marker.place == "none"


def test_a_name_may_be_declared_absent(tmp_path):
    assert overridden(tmp_path, "payments: {limit: null}")["payments.limit"] is None


def test_an_empty_file_changes_nothing(tmp_path):
    assert dict(overridden(tmp_path, "")) == dict(Wire.load({}))


def test_overrides_may_be_written_like_the_shipped_file(tmp_path):
    assert overridden(tmp_path, "opos: {cutoff: {value: per, because: they said so}}")["opos.cutoff"] == "per"


@pytest.mark.parametrize(
    ("text", "field", "hint"),
    [
        ("opos: {cutof: x}", "opos.cutof", "opos.cutoff"),
        ("ledgers: {connection: x}", "ledgers", "ledger"),
        ("opos.cutoff: x", "opos.cutoff", "opos.cutoff"),
        ("payment: {body: {creditor: x}}", "payment.body.creditor", "payment.body.creditor_name"),
        ("opos: {cutoff: 7}", "opos.cutoff", "wire.yaml"),
        ("opos: {cutoff: 'a b'}", "opos.cutoff", "wire.yaml"),
        ("lookup: {marker: {in: cookie, name: a, value: b}}", "lookup.marker", "wire.yaml"),
        ("payment: {body: [1]}", "payment.body", "wire.yaml"),
    ],
)
def test_what_cannot_be_meant_is_an_error_that_names_the_key(tmp_path, text, field, hint):
    with pytest.raises(InputError) as caught:
        overridden(tmp_path, text)
    assert caught.value.field == field
    assert hint in caught.value.remedy.en
    assert hint in caught.value.remedy.de


@pytest.mark.parametrize("text", ["- a\n- b\n", "a: [", "\x00"])
def test_a_file_that_is_no_wire_file_is_an_input_error(tmp_path, text):
    with pytest.raises(InputError):
        overridden(tmp_path, text)


def test_a_missing_file_is_an_input_error(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        Wire.load({"KONTOR_WIRE": str(tmp_path / "nowhere.yaml")})


def test_what_the_limit_counts_by_is_one_of_two_words(tmp_path):
    assert Wire.load({})["rate.scope"] == "key"
    assert overridden(tmp_path, "rate: {scope: ip}")["rate.scope"] == "ip"
    for wrong in ("address", "null", "[key]"):
        with pytest.raises(InputError) as caught:
            overridden(tmp_path, f"rate: {{scope: {wrong}}}")
        assert caught.value.field == "rate.scope"
        assert "key, ip" in str(caught.value)
