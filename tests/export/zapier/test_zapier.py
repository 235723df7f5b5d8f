"""The Zapier export without Zapier: complete, the same every time, and faults that its lint catches."""

from __future__ import annotations

import copy
import json
import posixpath
import re
from dataclasses import replace

import pytest

from connector import Connector
from connector.core.service.wire import Wire
from connector.export import zapier
from connector.export.catalogue import as_zip
from connector.export.shape import ExportOptions
from connector.export.zapier.rules import lint
from connector.export.zapier.wording import MAX_HELP

CONNECTOR = Connector("unused")
APP = "kontor-app.json"
KINDS = [(via, lang) for via in ("service", "host") for lang in ("en", "de")]


def build(via="service", lang="en", **more):
    return zapier.build(CONNECTOR, ExportOptions(via=via, lang=lang, wire=Wire.load({}), **more))


@pytest.mark.parametrize(("via", "lang"), KINDS)
def test_every_manifest_is_there_or_its_absence_has_a_reason(via, lang):
    export = build(via, lang)
    for kind in ("actions", "lookups", "triggers"):
        left_out = {one.id for one in export.dropped if one.kind == kind.rstrip("s") and one.reason}
        assert set(getattr(CONNECTOR, kind)) == export.holds[kind] | left_out
        assert not export.holds[kind] & left_out


def test_a_host_leaves_nothing_out_but_lines_within_lines():
    assert {one.kind for one in build("host").dropped} <= {"field", "check", "pair"}
    assert build("host").holds["triggers"] == set(CONNECTOR.triggers)


def test_a_new_action_is_exported_without_being_named(monkeypatch):
    tree = copy.deepcopy(dict(CONNECTOR.action("list_bank_accounts").raw)) | {"id": "list_cheques"}
    connector = Connector("unused")
    monkeypatch.setitem(connector._trees["actions"], "list_cheques", tree)
    export = zapier.build(connector, ExportOptions())
    assert "list_cheques" in json.loads(export.files[APP])["searches"]
    assert not export.findings


def test_a_host_is_asked_to_call_back_for_slow_reads_and_never_for_writes(monkeypatch):
    connector = Connector("unused")
    for id in ("list_bank_accounts", "initiate_payment"):
        tree = copy.deepcopy(dict(CONNECTOR.action(id).raw)) | {"duration": {"typical": 40, "timeout": 90}}
        monkeypatch.setitem(connector._trees["actions"], id, tree)
    export = zapier.build(connector, ExportOptions(via="host"))
    app = json.loads(export.files[APP])
    steps = {**app["searches"], **app["creates"]}
    waiting = {id for id, one in steps.items() if one["operation"]["perform"].get("slow")}
    assert waiting == {"get_open_items", "list_bank_accounts"}
    assert {id for id, one in steps.items() if "performResume" in one["operation"]} == waiting
    assert [one.id for one in export.dropped if "calls back" in one.reason.en] == ["initiate_payment"]


@pytest.mark.parametrize("id", ["new_transaction", "payment_status_changed", "bank_connection_needs_attention"])
def test_what_a_poll_loses_stands_on_its_form_and_in_the_report(id):
    export = build()
    [told] = [one.reason.en for one in export.dropped if one.id == id]
    assert told in about(json.loads(export.files[APP])["triggers"][id])


def test_only_polls_that_need_no_memory_are_there_and_the_others_are_named():
    export = build()
    polls = {id for id, one in CONNECTOR.triggers.items() if one.source == "poll"}
    held = {id for id in polls if CONNECTOR.trigger(id).poll and CONNECTOR.trigger(id).poll.stateless}
    own = {id for id, one in CONNECTOR.triggers.items() if one.own}
    lost = {one.id: one.reason.en for one in export.dropped if one.kind == "trigger" and one.id not in own}
    assert not own & export.holds["triggers"]
    assert export.holds["triggers"] & polls == held - {"credits_low"}
    assert set(lost) == polls - held | {"credits_low"}
    assert all("--via host" in reason for reason in lost.values())


def test_costs_and_repeats_are_told_on_the_form_and_not_in_the_description():
    app = json.loads(build().files[APP])
    payment, balance, accounts = app["creates"]["initiate_payment"], "get_trial_balance", "list_bank_accounts"
    assert "Costs 3 credits per run." in about(payment)
    assert "only when the payment is settled" in about(payment)
    assert "Without a key against repeats" in about(payment)
    assert "credit" not in payment["display"]["description"]
    assert about(app["searches"][balance]) == "Costs 1 credit per run."
    assert about(app["searches"][accounts]) is None
    new = about(app["triggers"]["new_transaction"])
    assert new.startswith("Each look costs 1 credit for every page of the list and reads up to 10 pages.")
    assert "Switching the Zap on and testing it cost a look each." in new
    assert len(new) <= MAX_HELP
    host = json.loads(build("host", "de").files[APP])
    assert about(host["triggers"]["new_transaction"]).startswith("Jede Abfrage kostet 1 Credit.")
    assert about(host["creates"]["initiate_payment"]).startswith("Kostet 3 Credits je Ausführung.")


def about(operation):
    fields = operation["operation"]["inputFields"]
    return next((one["helpText"] for one in fields if one.get("type") == "copy"), None)


def test_amounts_are_text_on_the_form_so_that_no_digit_is_lost():
    fields = json.loads(build().files[APP])["creates"]["create_cash_book_entry"]["operation"]["inputFields"]
    lines = next(one for one in fields if one["key"] == "belegzeilen")["children"]
    types = {one["key"]: one.get("type") for one in [*fields, *lines]}
    assert types["betrag"] == types["belegzeilen_betrag"] == "string"


def test_a_dropdown_that_is_optional_can_be_left_or_made_empty():
    for lang in ("en", "de"):
        for one in operations(json.loads(build(lang=lang).files[APP])):
            keys = {field["key"]: field for field in one["operation"]["inputFields"]}
            for field in keys.values():
                if "dynamic" in field and not field["required"]:
                    assert "default" not in field
                    assert not any(keys[other]["required"] is False for other in field.get("dependsOn", ()))


def operations(app):
    return [one for kind in ("triggers", "searches", "creates") for one in app[kind].values()]


@pytest.mark.parametrize(("via", "lang"), KINDS)
def test_the_lint_finds_nothing_in_it(via, lang):
    assert build(via, lang).findings == ()


@pytest.mark.parametrize(("via", "lang"), KINDS)
def test_the_same_input_gives_the_same_bytes(via, lang):
    assert as_zip(build(via, lang)) == as_zip(zapier.build(Connector("unused"), ExportOptions(via=via, lang=lang)))


@pytest.mark.parametrize("via", ["service", "host"])
def test_the_package_is_whole(via):
    files = build(via).files
    papers = {"package.json", "package-lock.json", "README.md", "icon.png"}
    assert {APP, "pack.json", "index.js", *papers} == {n for n in files if "/" not in n}
    assert files["icon.png"].startswith(b"\x89PNG")
    assert json.loads(files["package.json"])["version"] == json.loads(files[APP])["version"]
    scripts = {name: text.decode() for name, text in files.items() if name.endswith(".js")}
    for name, text in scripts.items():
        for meant in re.findall(r"from '(\.[^']+)'", text):
            assert posixpath.normpath(posixpath.join(posixpath.dirname(name), meant)) in files, (name, meant)
    assert not [name for name in scripts if name.endswith("host.js")] or via == "host"


def test_no_code_stands_in_the_app_as_text():
    for via in ("service", "host"):
        assert b'"source"' not in build(via).files[APP]


def test_it_is_built_without_node(monkeypatch):
    def no_node():
        raise AssertionError("an export asks for Node")

    monkeypatch.setattr("connector.export.node.compile._node", no_node)
    monkeypatch.setenv("PATH", "")
    assert build().files["core/kontor.js"]


def test_the_wire_names_in_force_are_written_into_it():
    wire = Wire.with_overrides({"ledger": {"connection": "verbindung"}, "opos": {"cutoff": None}})
    export = zapier.build(CONNECTOR, ExportOptions(wire=wire))
    inputs = json.loads(export.files["pack.json"])["actions"]["list_cash_books"]["inputs"]
    assert {field["name"]: field.get("as") for field in inputs}["ledger_connection"] == "verbindung"
    assert any(one.id == "get_open_items.cutoff" for one in export.dropped)
    form = json.loads(export.files[APP])["searches"]["get_open_items"]["operation"]["inputFields"]
    assert "cutoff" not in {field["key"] for field in form}


def test_it_says_plainly_that_the_service_has_one_url():
    export = build()
    triggers = json.loads(export.files[APP])["triggers"]
    for id in CONNECTOR.triggers:
        if CONNECTOR.trigger(id).source == "event" and not CONNECTOR.trigger(id).own:
            assert "one webhook URL" in about(triggers[id])
    assert b"One webhook URL" in export.files["README.md"]


def broken(change):
    export = build()
    app = json.loads(export.files[APP])
    change(app)
    files = {**export.files, APP: json.dumps(app).encode()}
    return [f"{one.where}: {one.message}" for one in lint(replace(export, files=files))]


def field(app, key, operation="create_cash_book_entry"):
    fields = app["creates"][operation]["operation"]["inputFields"]
    return next(one for one in fields if one["key"] == key)


def fault(name, words):
    return lambda change: pytest.param(change, words, id=name)


FAULTS = [
    fault("missing-dropdown", "is not there")(
        lambda app: app["triggers"].pop("options_ledger_connections_duo"),
    ),
    fault("dropdown-shows-nothing", "does not give")(
        lambda app: field(app, "kassenname").update(
            dynamic=field(app, "kassenname")["dynamic"].replace("name", "title")
        ),
    ),
    fault("dropdown-without-its-source", "which the form does not have")(
        lambda app: app["creates"]["create_cash_book_entry"]["operation"]["inputFields"].remove(
            field(app, "ledger_connection")
        ),
    ),
    fault("no-sample", "no sample")(lambda app: app["searches"]["get_payment"]["operation"].pop("sample")),
    fault("no-output-fields", "no output fields")(
        lambda app: app["searches"]["get_payment"]["operation"].pop("outputFields")
    ),
    fault("sample-beyond-fields", "no output field names")(
        lambda app: app["searches"]["get_payment"]["operation"]["sample"].update(surprise=1)
    ),
    fault("trigger-without-id", "no id")(
        lambda app: app["triggers"]["new_payment"]["operation"]["sample"].update(id=None)
    ),
    fault("no-primary-field", "primary")(
        lambda app: [one.pop("primary", 0) for one in app["triggers"]["new_payment"]["operation"]["outputFields"]]
    ),
    fault("no-unsubscribe", "performUnsubscribe is missing")(
        lambda app: app["triggers"]["payment_settled"]["operation"].pop("performUnsubscribe")
    ),
    fault("no-perform", "perform is missing")(lambda app: app["creates"]["call_api"]["operation"].pop("perform")),
    fault("step-without-a-word", "does not say what it does")(
        lambda app: app["creates"]["call_api"]["operation"].update(perform={"id": "call_api"})
    ),
    fault("no-resume", "performResume")(
        lambda app: app["searches"]["get_payment"]["operation"]["perform"].update(slow=True)
    ),
    fault("one-or-many", "one thing or many")(
        lambda app: app["searches"]["get_payment"]["operation"]["perform"].pop("finds")
    ),
    fault("trigger-begins", "does not begin")(
        lambda app: app["triggers"]["new_payment"]["display"].update(description="Fires on payments.")
    ),
    fault("search-begins", "does not begin")(
        lambda app: app["searches"]["get_payment"]["display"].update(description="Reads a payment.")
    ),
    fault("create-begins", "does not begin")(
        lambda app: app["creates"]["call_api"]["display"].update(description="Call the API.")
    ),
    fault("description-too-long", "description is too long")(
        lambda app: app["creates"]["call_api"]["display"].update(description=f"Calls {'x' * 140}.")
    ),
    fault("two-sentences", "not one sentence")(
        lambda app: app["creates"]["call_api"]["display"].update(description="Calls it. Costs nothing.")
    ),
    fault("bare-link", "bare link")(lambda app: field(app, "betrag").update(helpText="See https://a.example.")),
    fault("empty-help", "no more than its label")(lambda app: field(app, "betrag").update(helpText="Total amount.")),
    fault("text-that-is-a-field", "shown as a text")(lambda app: field(app, "betrag").update(type="copy")),
    fault("small-letter", "small letter")(lambda app: app["creates"]["call_api"]["display"].update(label="call")),
    fault("label-too-long", "too long")(lambda app: app["creates"]["call_api"]["display"].update(label="X" * 65)),
    fault("small-letter-in-form", "the label of betrag")(lambda app: field(app, "betrag").update(label="amount")),
    fault("no-help", "has no help")(lambda app: field(app, "betrag").pop("helpText")),
    fault("same-key-twice", "the same key")(lambda app: field(app, "betrag").update(key="kassenname")),
    fault("lines-within-lines", "lines within lines")(
        lambda app: field(app, "belegzeilen")["children"][0].update(children=[{"key": "x", "label": "X"}])
    ),
    fault("wrong-key", "filed under")(lambda app: app["creates"]["call_api"].update(key="call")),
    fault("code-in-sample", "takes for code")(
        lambda app: app["searches"]["get_payment"]["operation"]["sample"].update(extra={"source": "return 1"})
    ),
    fault("no-label-of-the-account", "no label")(lambda app: app["authentication"].pop("connectionLabel")),
    fault("key-in-the-clear", "secret")(
        lambda app: [one.update(type="string") for one in app["authentication"]["fields"]]
    ),
    fault("key-with-a-default", "has a default")(lambda app: app["authentication"]["fields"][-1].update(default="k")),
    fault("account-untested", "not tested")(lambda app: app["authentication"].pop("test")),
]


@pytest.mark.parametrize(("change", "words"), FAULTS)
def test_the_lint_catches(change, words):
    assert any(words in finding for finding in broken(change)), broken(change)
