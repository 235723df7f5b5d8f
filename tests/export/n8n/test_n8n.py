"""The n8n package: complete by the manifests, exact by its forms, and without a secret or a guess."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator
from dataclasses import replace
from graphlib import TopologicalSorter
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from connector import Connector
from connector.core.errors import KontorError
from connector.core.messages import Text, sentences
from connector.core.service.wire import Wire
from connector.export.n8n import forms, operations, wording
from connector.export.n8n.dropdowns import Dropdowns
from connector.export.n8n.fields import form, place_of, stands_in_form
from connector.export.n8n.literal import literal
from connector.export.n8n.package import build
from connector.export.node import sources
from connector.export.shape import Export, ExportOptions, Via
from tests.export.promised import PROMISED

CONNECTOR = Connector("unused")
OPTIONS = ExportOptions(wire=Wire.load({}))
EXPORT = build(CONNECTOR, OPTIONS)
RESOURCES = operations.resources(CONNECTOR.actions.values())
LANGUAGES = ("en", "de")
VIAS: tuple[Via, ...] = ("service", "host")


def text_of(export: Export, name: str) -> str:
    return export.files[name].decode()


def typescript(export: Export) -> dict[str, str]:
    return {name: text_of(export, name) for name in export.files if name.endswith(".ts")}


def pack_of(export: Export) -> dict[str, Any]:
    found = re.search(r"PACK: Pack = (\{.*?^\});", text_of(export, "nodes/Kontor/pack.ts"), re.DOTALL | re.MULTILINE)
    assert found
    pack: dict[str, Any] = json.loads(found[1])
    return pack


def forms_of(options: ExportOptions) -> tuple[list[dict[str, Any]], Dropdowns]:
    """Every parameter of the three nodes, and the dropdowns among them."""
    dropdowns = Dropdowns(frozenset(CONNECTOR.lookups))
    found = [
        parameter
        for resource in operations.resources(CONNECTOR.actions.values())
        for parameter in operations.operations(resource, options, dropdowns)
    ]
    triggers = list(CONNECTOR.triggers.values())
    found += forms.triggers([one for one in triggers if one.source == "poll"], options, dropdowns)
    found += forms.events([one for one in triggers if one.source == "event"], options, dropdowns)
    return found, dropdowns


def shown_for(parameters: list[dict[str, Any]], choice: str, id: str) -> list[dict[str, Any]]:
    """The parameters that stand in the form of one operation or trigger."""
    return [one for one in parameters if id in one.get("displayOptions", {}).get("show", {}).get(choice, [])]


def test_all_promised_actions_are_there_by_both_ways() -> None:
    for via in ("service", "host"):
        assert build(CONNECTOR, replace(OPTIONS, via=via)).holds["actions"] >= PROMISED


def test_a_host_carries_every_trigger() -> None:
    assert build(CONNECTOR, replace(OPTIONS, via="host")).holds["triggers"] == set(CONNECTOR.triggers)


def test_what_the_service_cannot_tell_is_reported() -> None:
    dropped = {(one.kind, one.id): one.reason.en for one in EXPORT.dropped}
    assert "no call" in dropped["trigger", "credits_low"]
    assert "forged event" in dropped["check", "connection_destroyed"]
    assert text_of(EXPORT, "README.md").count("credits_low") == 1


def test_code_without_a_counterpart_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sources, "HOUSE", tmp_path)
    export = build(CONNECTOR, OPTIONS)
    dropped = {(one.kind, one.id) for one in export.dropped}
    assert {("trigger", "open_item_changed"), ("action", "call_api")} <= dropped
    assert not {"open_item_changed", "call_api"} & (export.holds["triggers"] | export.holds["actions"])
    assert "callApi" not in text_of(export, "nodes/Kontor/code.ts")
    assert "call_api" not in pack_of(export)["actions"]


def test_all_code_beside_manifests_has_its_counterpart() -> None:
    assert [one for one in EXPORT.dropped if one.kind == "action"] == []
    coded = {one.id for one in (*CONNECTOR.actions.values(), *CONNECTOR.triggers.values()) if one.code}
    assert {PurePosixPath(name).stem for name in EXPORT.files if "/code/" in name} == coded


def imports_in(files: dict[str, str]) -> dict[str, set[str]]:
    """What each module of a package imports of it, types too."""
    pattern = re.compile(r"^(?:import|export)\b[^;]*?\bfrom '(\.[^']+)';", re.MULTILINE)
    return {
        name: {
            f"{posixpath.normpath(posixpath.join(posixpath.dirname(name), target))}.ts"
            for target in pattern.findall(source)
        }
        for name, source in files.items()
    }


@pytest.mark.parametrize("via", VIAS)
def test_the_core_goes_along_whole_with_imports_that_a_compiler_resolves(via: Via) -> None:
    files = typescript(build(CONNECTOR, replace(OPTIONS, via=via)))
    assert {f"nodes/Kontor/core/{name}" for name in sources.core()} <= set(files)
    for name, targets in imports_in(files).items():
        assert targets <= set(files), name


@pytest.mark.parametrize("via", VIAS)
def test_the_adapter_imports_the_core_one_way_and_nothing_imports_itself_through_others(via: Via) -> None:
    arrows = imports_in(typescript(build(CONNECTOR, replace(OPTIONS, via=via))))
    TopologicalSorter(arrows).prepare()  # raises on a circle
    core = {name: targets for name, targets in arrows.items() if name.startswith("nodes/Kontor/core/")}
    assert {target for targets in core.values() for target in targets} <= set(core)
    adapter = {target for name, targets in arrows.items() if "/adapter/" in name for target in targets}
    places = ("core/", "adapter/", "code.ts", "pack.ts")
    assert [target for target in adapter if not target.startswith(tuple(f"nodes/Kontor/{one}" for one in places))] == []


def test_a_wire_name_is_written_into_the_package() -> None:
    wire = Wire.with_overrides({"ledger": {"connection": "verbindung"}, "payment": {"body": {"amount": "betrag"}}})
    actions = pack_of(build(CONNECTOR, replace(OPTIONS, wire=wire)))["actions"]
    names = {(id, one["name"]): one.get("as") for id, action in actions.items() for one in action["inputs"]}
    assert names["list_cash_books", "ledger_connection"] == "verbindung"
    assert names["initiate_payment", "amount"] == "betrag"


def test_a_field_that_the_service_has_no_name_for_is_left_out_and_reported() -> None:
    export = build(CONNECTOR, replace(OPTIONS, wire=Wire.with_overrides({"payments": {"limit": None}})))
    assert ("field", "list_payments.limit") in {(one.kind, one.id) for one in export.dropped}
    export = build(CONNECTOR, replace(OPTIONS, wire=Wire.with_overrides({"transactions": {"end_date": None}})))
    assert ("field", "list_transactions.to_date") in {(one.kind, one.id) for one in export.dropped}
    assert "'to_date'" not in text_of(export, "nodes/Kontor/bankingDescription.ts")


@pytest.mark.conforms("endpoints.quelle_of_a_platform")
def test_the_package_says_who_calls() -> None:
    assert pack_of(EXPORT)["quelle"] == "n8n"


def test_the_secret_fields_are_hidden_and_nothing_secret_is_inside() -> None:
    for via, secrets in (("service", 1), ("host", 2)):
        credential = text_of(build(CONNECTOR, replace(OPTIONS, via=via)), "credentials/KontorApi.credentials.ts")
        assert credential.count("password: true") == secrets


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


@pytest.mark.parametrize("via", VIAS)
def test_every_sentence_that_the_package_can_say_is_in_it_in_both_languages(via: Via) -> None:
    told = {lang: pack_of(build(CONNECTOR, replace(OPTIONS, via=via, lang=lang)))["messages"] for lang in LANGUAGES}
    names = sentences_of(typescript(build(CONNECTOR, replace(OPTIONS, via=via))))
    assert {"missing", "sum.differs", "file.misnamed", "range.too_small", "package_choose_first", "write_lost"} <= names
    assert [name for name in sorted(names) if name not in sentences()] == []
    for lang in LANGUAGES:
        assert [name for name in sorted(names) if told[lang].get(name, name) == name] == []


def test_what_only_code_says_stands_in_its_manifest_in_both_languages() -> None:
    for manifest in (*CONNECTOR.actions.values(), *CONNECTOR.triggers.values()):
        source = sources.code([manifest]).get(f"{manifest.kind}s/{manifest.id}.ts", "")
        assert set(re.findall(r"refuse\('(\w+)'", source)) <= set(manifest.messages)


def sentences_of(files: dict[str, str]) -> set[str]:
    """The names of all sentences that the sources can say: by themselves, by a rule, by a format, as a remedy."""
    own = [kind for kind in KontorError.__subclasses__() if kind.__module__ == KontorError.__module__]
    said = {f"{kind.kind}_remedy" for kind in own} & set(sentences())
    said |= {str(one["message"]) for one in CONNECTOR.library.declared_formats.values() if one.get("message")}
    for name, source in files.items():
        if name.endswith("/core/rules/rules.ts"):
            said |= _of_rules(source)
        elif name.endswith("/core/rules/files.ts"):
            said |= {f"file.{reason}" for reason in re.findall(r"reason: '(\w+)'", source)}
        else:
            for found in re.findall(r"\b(?:say|Misfit)\(\s*'([\w.]+)'|\breason: '(\w+)'", source):
                said |= set(filter(None, found))
            for kind, reason in re.findall(r"\bproblem\(\s*[\w.]+,\s*'(\w+)',\s*(?:'(\w+)')?", source):
                said |= set(filter(None, (f"{kind}_remedy", reason)))
            for kind, reason in re.findall(r"\bas\(\s*'(\w+)'(?:,\s*'(\w+)')?", source):
                said |= {f"{kind}_remedy", reason or kind}
    return said


def _of_rules(source: str) -> set[str]:
    """`rule.reason` for every reason in the table of rules."""
    said, rule = set(), ""
    for line in source[source.index("const RULES") :].splitlines():
        if found := re.match(r"\t(\w+): \(", line):
            rule = found[1]
        if line == "};":
            break
        if "reason" in line:
            said |= {f"{rule}.{reason}" for reason in re.findall(r"'([a-z_]+)'", line.partition("reason")[2])}
    return said | {"range.too_small", "range.too_large"}


def test_german_labels_are_german() -> None:
    shown = text_of(build(CONNECTOR, replace(OPTIONS, lang="de")), "nodes/Kontor/ledgerDescription.ts")
    assert "'Verbindung zur Buchhaltung'" in shown
    assert "Kassenbuchung anlegen" in shown
    assert "Alle abrufen" in shown


# The forms.


def test_operations_stand_under_what_they_are_about() -> None:
    found = {one.value: operations.operation_names(one, "en") for one in RESOURCES}
    assert found["cashBookEntry"] == {"create_cash_book_entry": "Create"}
    assert found["cashBook"] == {"list_cash_books": "Get Many"}
    assert found["payment"] == {"get_payment": "Get", "initiate_payment": "Initiate", "list_payments": "Get Many"}
    assert found["personAccount"] == {"save_person_account": "Create or Update"}
    assert found["webhookUrl"] == {"get_webhook_url": "Get", "set_webhook_url": "Set"}
    assert found["apiCall"] == {"call_api": "Call the API"}
    assert operations.operation_names(RESOURCES[0], "de") != operations.operation_names(RESOURCES[0], "en")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_two_operations_of_a_resource_have_the_same_name(lang: str) -> None:
    for resource in RESOURCES:
        names = list(operations.operation_names(resource, lang).values())
        assert sorted(set(names)) == sorted(names)
    twice = operations.Resource(
        Text("Bank", "Bank"), (CONNECTOR.action("list_payments"), CONNECTOR.action("list_bank_accounts"))
    )
    assert set(operations.operation_names(twice, "en").values()) == {"List Payments", "List Bank Accounts"}


def test_an_action_without_a_noun_stands_under_its_area() -> None:
    [resource] = operations.resources([replace(CONNECTOR.action("list_payments"), noun=None)])
    assert resource.value == "banking"


def test_every_list_is_shown_whole_or_up_to_a_limit() -> None:
    parameters, _ = forms_of(OPTIONS)
    for action in CONNECTOR.actions.values():
        shown = {one["name"]: one for one in shown_for(parameters, "operation", action.id)}
        assert ({"returnAll", "limit"} <= set(shown)) is action.is_list
        if action.is_list:
            limit = shown["limit"]
            assert (limit["default"], limit["displayOptions"]["show"]["returnAll"]) == (50, [False])
            assert "limit" not in {one["name"] for one in shown.get("additionalFields", {}).get("options", [])}


def test_every_optional_dropdown_can_be_left_empty_and_no_other() -> None:
    parameters, dropdowns = forms_of(OPTIONS)
    methods = [
        (
            one["modes"][0]["typeOptions"]["searchListMethod"],
            not one.get("required") and not one["default"]["value"],
        )
        for one in _flat(parameters)
        if one["type"] == "resourceLocator"
    ]
    assert [name for name, optional in methods if bool(dropdowns.methods[name].get("optional")) is not optional] == []
    assert sum(optional for _, optional in methods) == 28


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_dropdown_can_be_searched_and_takes_an_id_that_is_typed(lang: Any) -> None:
    parameters, _ = forms_of(replace(OPTIONS, lang=lang))
    dropdowns = [one for one in _flat(parameters) if one["type"] == "resourceLocator"]
    assert len(dropdowns) > 28
    for one in dropdowns:
        from_list, typed = one["modes"]
        assert (from_list["type"], from_list["typeOptions"]["searchable"], typed["type"]) == ("list", True, "string")
        assert from_list["displayName"] == {"en": "From List", "de": "Aus der Liste"}[lang]


def test_what_costs_or_happens_twice_is_told_in_the_form() -> None:
    for via in VIAS:
        parameters, _ = forms_of(replace(OPTIONS, via=via))
        for action in CONNECTOR.actions.values():
            notices = {
                one["name"]: one["displayName"]
                for one in shown_for(parameters, "operation", action.id)
                if one["type"] == "notice"
            }
            known_to_be_free = not action.cost.credits and not action.cost.assumed
            assert ("costNotice" in notices) is not known_to_be_free
            assert ("repeatNotice" in notices) is (action.repeat == "duplicates" and via == "service")
        for trigger in CONNECTOR.triggers.values():
            shown = shown_for(parameters, "trigger", trigger.id)
            [told] = [one["displayName"] for one in shown if one["type"] == "notice"]
            assert told.count("A day costs") == 1
            assert ("A day costs nothing." in told) is (not trigger.cost.credits)
            assert trigger.cost.note is None or trigger.cost.note.en in told
    paid = shown_for(parameters, "operation", "get_open_items")[0]["displayName"]
    assert "5 credits" in paid


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_description_is_one_sentence_that_fits_two_lines(lang: Any) -> None:
    parameters, _ = forms_of(replace(OPTIONS, lang=lang))
    choices = [one for one in parameters if one["name"] in {"operation", "trigger"}]
    shown = [*_flat(parameters), *(option for one in choices for option in one["options"])]
    words = [re.sub(r"\. [^.]*<a .*</a>.*", "", one["description"]) for one in shown if "description" in one]
    assert words
    assert [one for one in words if len(one) > wording.TWO_LINES] == []


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
        ("This is one. This is two.", "This is one"),
        ("Up to 9. Not 0.", "Up to 9. Not 0."),
        ("<advisor> & `client`.", "&lt;advisor&gt; and 'client'"),
    ],
)
def test_descriptions_are_written_as_n8n_wants_them(given: str, shown: str) -> None:
    assert wording.description(Text(given, given), "en") == shown


def test_a_literal_survives_quotes_and_line_breaks() -> None:
    assert literal({"it's": 'a "b"\n', "n": None, "list": [1, 2]}) == (
        "{\n\t'it\\'s': 'a \"b\"\\n',\n\tn: null,\n\tlist: [1, 2],\n}"
    )
