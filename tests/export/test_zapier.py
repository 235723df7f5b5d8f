"""The Zapier export without Zapier: complete, the same every time, and faults that its lint catches."""

from __future__ import annotations

import copy
import json
from dataclasses import replace

import pytest

from connector import Connector
from connector.core.wire import Wire
from connector.export import zapier
from connector.export.catalogue import as_zip
from connector.export.shape import ExportOptions

CONNECTOR = Connector("unused")
APP = "kontor-app.json"
KINDS = [(via, lang) for via in ("service", "host") for lang in ("en", "de")]


def build(via="service", lang="en", **more):
    return zapier.build(CONNECTOR, ExportOptions(via=via, lang=lang, wire=Wire.load({}), **more))


@pytest.mark.parametrize(("via", "lang"), KINDS)
def test_every_manifest_is_there_or_its_absence_has_a_reason(via, lang):
    export = build(via, lang)
    for kind in ("actions", "lookups", "triggers"):
        left_out = {one.id for one in export.dropped if one.kind == kind.rstrip("s") and one.reason.en}
        assert set(getattr(CONNECTOR, kind)) == export.holds[kind] | left_out
        assert not export.holds[kind] & left_out


def test_a_host_leaves_nothing_out_but_lines_within_lines():
    assert {one.kind for one in build("host").dropped} <= {"field", "check"}
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
    waiting = {id for id, one in steps.items() if "callback_url" in json.dumps(one["operation"]["perform"])}
    assert waiting == {"get_open_items", "list_bank_accounts"}
    assert [one.id for one in export.dropped if "calls back" in one.reason.en] == ["initiate_payment"]


@pytest.mark.parametrize(("via", "lang"), KINDS)
def test_the_lint_finds_nothing_in_it(via, lang):
    assert build(via, lang).findings == ()


@pytest.mark.parametrize(("via", "lang"), KINDS)
def test_the_same_input_gives_the_same_bytes(via, lang):
    assert as_zip(build(via, lang)) == as_zip(zapier.build(Connector("unused"), ExportOptions(via=via, lang=lang)))


def test_the_package_is_whole():
    files = build().files
    assert set(files) == {APP, "index.js", "package.json", "README.md", "icon.png"}
    assert len(files["index.js"].decode().strip().splitlines()) == 3
    assert files["icon.png"].startswith(b"\x89PNG")
    assert json.loads(files["package.json"])["version"] == json.loads(files[APP])["version"]


def test_the_wire_names_in_force_are_written_into_it():
    wire = Wire.with_overrides({"ledger": {"connection": "verbindung"}, "opos": {"cutoff": None}})
    export = zapier.build(CONNECTOR, ExportOptions(wire=wire))
    source = json.loads(export.files[APP])["searches"]["list_cash_books"]["operation"]["perform"]["source"]
    assert '"verbindung": inputs.ledger_connection' in source
    assert any(one.id == "get_open_items.cutoff" for one in export.dropped)


def test_it_says_plainly_that_the_service_has_one_url():
    export = build()
    triggers = json.loads(export.files[APP])["triggers"]
    for id in CONNECTOR.triggers:
        if CONNECTOR.trigger(id).source == "event":
            assert "one webhook URL" in triggers[id]["display"]["description"]
    assert b"One webhook URL" in export.files["README.md"]


def broken(change):
    export = build()
    app = json.loads(export.files[APP])
    change(app)
    files = {**export.files, APP: json.dumps(app).encode()}
    return [f"{one.where}: {one.message}" for one in zapier.lint(replace(export, files=files))]


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
    fault("never-returns", "never returns")(
        lambda app: app["creates"]["call_api"]["operation"].update(perform={"source": "const a = 1;"})
    ),
    fault("braces-in-code", "double braces")(
        lambda app: app["creates"]["call_api"]["operation"].update(perform={"source": "return '{{bundle.x}}'"})
    ),
    fault("no-resume", "performResume")(
        lambda app: app["creates"]["call_api"]["operation"].update(perform={"source": "return z.generateCallbackUrl()"})
    ),
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
    fault("no-errors", "afterResponse is missing")(lambda app: app.pop("afterResponse")),
]


@pytest.mark.parametrize(("change", "words"), FAULTS)
def test_the_lint_catches(change, words):
    assert any(words in finding for finding in broken(change)), broken(change)
