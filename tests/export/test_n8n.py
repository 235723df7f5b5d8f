"""The n8n package: complete by the manifests, exact by its forms, and without a secret or a guess."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from promised import PROMISED

from connector import Connector
from connector.core.messages import Text
from connector.core.wire import Wire
from connector.export.n8n import ports, wording
from connector.export.n8n.fields import form, place_of, stands_in_form
from connector.export.n8n.literal import literal
from connector.export.n8n.package import build
from connector.export.shape import Export, ExportOptions, Via

CONNECTOR = Connector("unused")
OPTIONS = ExportOptions(wire=Wire.load({}))
EXPORT = build(CONNECTOR, OPTIONS)


def text_of(export: Export, name: str) -> str:
    return export.files[name].decode()


def engine_file(export: Export, name: str) -> str:
    return text_of(export, f"nodes/Kontor/engine/{name}")


def test_all_promised_actions_are_there_by_both_ways() -> None:
    for via in ("service", "host"):
        assert build(CONNECTOR, replace(OPTIONS, via=via)).holds["actions"] >= PROMISED


def test_a_host_carries_every_trigger() -> None:
    assert build(CONNECTOR, replace(OPTIONS, via="host")).holds["triggers"] == set(CONNECTOR.triggers)


def test_what_the_service_cannot_tell_is_reported() -> None:
    dropped = {(one.kind, one.id): one.reason.en for one in EXPORT.dropped}
    assert "no call" in dropped["trigger", "credits_low"]
    assert text_of(EXPORT, "README.md").count("credits_low") == 1


def test_a_handler_without_a_counterpart_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    known = ports.sources("service")
    without = {name: text for name, text in known.items() if name != "triggers/new_payment.ts"}
    without["actions/list_payments.ts"] = "export const nothing = 1;"
    monkeypatch.setattr(ports, "sources", lambda via: without)
    export = build(CONNECTOR, OPTIONS)
    dropped = {(one.kind, one.id) for one in export.dropped}
    assert {("trigger", "new_payment"), ("check", "list_payments")} <= dropped
    assert "new_payment" not in export.holds["triggers"]
    assert "list_payments" in export.holds["actions"]
    assert "new_payment:" not in engine_file(export, "handlers.ts")


def test_every_handler_of_a_promised_action_has_its_counterpart() -> None:
    kept = ("action", "check")
    assert [one for one in EXPORT.dropped if one.kind in kept and one.id in PROMISED] == []


def test_no_counterpart_is_left_of_a_manifest_that_is_gone() -> None:
    there = {f"{kind}/{id}.ts" for kind in ("actions", "lookups", "triggers") for id in getattr(CONNECTOR, kind)}
    rooms = {name for name in ports.sources("service") if "/" in name}
    assert rooms <= there


def test_a_wire_name_is_written_into_the_package() -> None:
    wire = Wire.with_overrides({"ledger": {"connection": "verbindung"}, "payment": {"body": {"amount": "betrag"}}})
    tables = engine_file(build(CONNECTOR, replace(OPTIONS, wire=wire)), "tables.ts")
    assert "as: 'verbindung'" in tables
    assert re.search(r"name: 'amount',[^}]*as: 'betrag'", tables)


def test_a_field_that_the_service_has_no_name_for_is_left_out_and_reported() -> None:
    export = build(CONNECTOR, replace(OPTIONS, wire=Wire.with_overrides({"payments": {"limit": None}})))
    assert ("field", "list_payments.limit") in {(one.kind, one.id) for one in export.dropped}
    assert "'limit'" not in text_of(export, "nodes/Kontor/bankingDescription.ts")


def test_the_package_says_who_calls() -> None:
    assert "QUELLE = 'n8n'" in engine_file(EXPORT, "tables.ts")


def test_the_secret_fields_are_hidden_and_nothing_secret_is_inside() -> None:
    for via, secrets in (("service", 1), ("host", 2)):
        credential = text_of(build(CONNECTOR, replace(OPTIONS, via=via)), "credentials/KontorApi.credentials.ts")
        assert credential.count("password: true") == secrets


@pytest.mark.parametrize("via", ["service", "host"])
def test_the_credential_test_has_words_for_every_refusal_in_both_languages(via: Via) -> None:
    told = {}
    for lang in ("en", "de"):
        source = text_of(build(CONNECTOR, replace(OPTIONS, via=via, lang=lang)), "credentials/KontorApi.credentials.ts")
        told[lang] = dict(re.findall(r"value: (\d+),\s+message: '(.+?)',\n", source))
        assert set(told[lang]) == {"401", "403", "404", "429"}
    assert not set(told["en"].values()) & set(told["de"].values())
    assert ("token" in told["en"]["401"]) is (via == "host")


def test_the_addresses_given_are_the_defaults() -> None:
    options = replace(OPTIONS, base_url="https://a.example", host_url="https://b.example")
    for via, address in (("service", "https://a.example"), ("host", "https://b.example")):
        export = build(CONNECTOR, replace(options, via=via))
        assert f"default: '{address}'" in text_of(export, "credentials/KontorApi.credentials.ts")


def test_package_json_names_every_node_and_no_dependency() -> None:
    package = json.loads(EXPORT.files["package.json"])
    assert "dependencies" not in package
    assert package["n8n"]["strict"] is True
    for built in (*package["n8n"]["nodes"], *package["n8n"]["credentials"]):
        assert built.removeprefix("dist/").replace(".js", ".ts") in EXPORT.files


def test_every_sentence_that_the_package_says_is_in_it() -> None:
    for via in ("service", "host"):
        export = build(CONNECTOR, replace(OPTIONS, via=via))
        sources = "".join(content.decode() for name, content in export.files.items() if name.endswith(".ts"))
        said = set(re.findall(r"say\(\s*'(\w+)'", sources))
        sentences = engine_file(export, "sentences.ts")
        assert said
        assert [name for name in said if f"\t{name}: " not in sentences] == []


def test_german_labels_stay_german() -> None:
    shown = text_of(build(CONNECTOR, replace(OPTIONS, lang="de")), "nodes/Kontor/ledgerDescription.ts")
    assert "'Verbindung zur Buchhaltung Name or ID'" in shown
    assert "Kassenbuchung anlegen" in shown


def test_an_optional_switch_can_be_left_alone() -> None:
    """A switch that is always in the form would always be sent."""
    for manifest in (*CONNECTOR.actions.values(), *CONNECTOR.triggers.values()):
        for field in manifest.inputs:
            if field.type in {"boolean", "enum"} and not field.required and field.default is None:
                assert not stands_in_form(field)
                assert place_of(field).startswith("additionalFields.")


def test_amounts_are_text_fields_so_that_no_digit_is_lost() -> None:
    action = CONNECTOR.action("create_cash_book_entry")
    parameters = form(action.inputs, {"operation": [action.id]}, "en", lambda field: ("method", []))
    types = {one["name"]: one["type"] for one in _flat(parameters)}
    assert types["betrag"] == "string"


def _flat(parameters: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for one in parameters:
        if "type" in one:
            yield one
        yield from _flat([inner for inner in one.get("options", []) if isinstance(inner, dict)])
        yield from _flat(one.get("values", []))


@pytest.mark.parametrize(
    ("given", "title"),
    [
        ("Start of the fiscal year", "Start of the Fiscal Year"),
        ("After id", "After ID"),
        ("IBAN of the payer", "IBAN of the Payer"),
        ("Webhook url", "Webhook URL"),
    ],
)
def test_titles_are_cased_as_n8n_wants_them(given: str, title: str) -> None:
    assert wording.title(Text(given, given), "en") == title


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("One sentence.", "One sentence"),
        ("One. Two", "One. Two."),
        ("<advisor> & `client`.", "&lt;advisor&gt; and 'client'"),
    ],
)
def test_descriptions_are_written_as_n8n_wants_them(given: str, shown: str) -> None:
    assert wording.description(Text(given, given), "en") == shown


def test_a_literal_survives_quotes_and_line_breaks() -> None:
    assert literal({"it's": 'a "b"\n', "n": None, "list": [1, 2]}) == (
        "{\n\t'it\\'s': 'a \"b\"\\n',\n\tn: null,\n\tlist: [1, 2],\n}"
    )
