"""Every rule of the Make lint: a fault is seeded into an app without faults, and the lint names it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from connector import Connector
from connector.export import make
from connector.export.make.lint import lint
from connector.export.shape import Export, ExportOptions
from tests.export.vendor_lint import present, vendor_findings

CONNECTOR = Connector("unused")
CLEAN = {via: make.build(CONNECTOR, ExportOptions(via=via, with_writes=True)) for via in ("service", "host")}
Files = dict[str, Any]
INDEX, BASE = "makecomapp.json", "general/base.iml.json"


def module(id: str, code: str) -> str:
    return f"modules/{id}/{id}.{code}.iml.json"


def with_fault(fault: Callable[[Files], None], via: str = "service") -> Export:
    clean = CLEAN[via]
    files: Files = {name: json.loads(text) for name, text in clean.files.items() if name.endswith(".json")}
    fault(files)
    made = {name: text for name, text in clean.files.items() if not name.endswith(".json")}
    made |= {name: json.dumps(tree).encode() for name, tree in files.items()}
    return replace(clean, files=made, findings=())


def put(name: str, *path: Any, value: Any) -> Callable[[Files], None]:
    """Sets a value deep inside a file; the value `...` removes it."""

    def fault(files: Files) -> None:
        here = files[name]
        for step in path[:-1]:
            here = here[step]
        if value is ...:
            del here[path[-1]]
        else:
            here[path[-1]] = value

    return fault


def drop_file(name: str) -> Callable[[Files], None]:
    def fault(files: Files) -> None:
        del files[name]

    return fault


COMPONENTS = (INDEX, "components")
LIST, CREATE, TRIGGER = "listPayments", "initiatePayment", "watchNewTransaction"
ATTACH = "webhooks/hookRefreshComplete/hookRefreshComplete.attach.iml.json"
DETACH = "webhooks/hookRefreshComplete/hookRefreshComplete.detach.iml.json"
HOOK = "webhooks/hookRefreshComplete/hookRefreshComplete.communication.iml.json"
RPC = "rpcs/optionsCashBooks/optionsCashBooks"
STORE = "rpc://optionsNowhere"

FAULTS = {
    # what Make's schemas catch too
    "a write without a body": (put(module(CREATE, "communication"), "body", value=...), "without a body"),
    "a query that is an expression": (
        put(module(LIST, "communication"), "qs", value="{{parameters}}"),
        "must be an object",
    ),
    "headers that are an expression": (put(BASE, "headers", value="{{x}}"), "headers must be an object"),
    "a range of statuses": (
        put(BASE, "response", "error", "500-599", value={"type": "ConnectionError", "message": "x"}),
        "only three digits",
    ),
    "an unknown error type": (
        put(BASE, "response", "error", "404", "type", value="NotFoundError"),
        "unknown error type",
    ),
    "an error map without a message": (put(BASE, "response", "error", "message", value=...), "no message"),
    "uid at the top of a webhook": (put(HOOK, "uid", value="{{body.id}}"), "uid at the top"),
    "a kind of component missing": (put(*COMPONENTS, "function", value=...), "no key function"),
    # what they miss
    "a choice that offers nothing": (
        put(module("getBankConnection", "mappable-params"), 0, "options", value=[]),
        "offers nothing",
    ),
    "a parameter without a name": (put(module(CREATE, "mappable-params"), 2, "name", value=...), "has no name"),
    "a field of a list without a label": (
        put(module("createCashBookEntry", "mappable-params"), 5, "spec", 0, "label", value=...),
        "has no label",
    ),
    "two parameters of one name": (put(module(CREATE, "mappable-params"), 2, "name", value="account_id"), "twice"),
    "a dropdown to nowhere": (put(module("getPayment", "mappable-params"), 0, "options", value=STORE), "is not there"),
    "a dropdown that passes too much": (
        put(module("getPayment", "mappable-params"), 0, "options", value="rpc://optionsPayments?of_x=1"),
        "takes no of_x",
    ),
    "a dropdown that reads no field": (
        put(
            module("getPayment", "mappable-params"),
            0,
            "options",
            value="rpc://optionsPayments?of_account_id={{parameters.nix}}",
        ),
        "which is no field",
    ),
    "options without a value": (
        put(f"{RPC}.communication.iml.json", "response", "output", "value", value=...),
        "label and value",
    ),
    "an RPC without a limit": (put(f"{RPC}.communication.iml.json", "response", "limit", value=...), "without a limit"),
    "a search without a limit": (put(module(LIST, "communication"), "response", "limit", value=...), "without a limit"),
    "a limit beyond Make's": (put(f"{RPC}.communication.iml.json", "response", "limit", value=5000), "cut by Make"),
    "a limit nobody can set": (put(module("listBankAccounts", "mappable-params"), 3, "name", value="count"), "can set"),
    "a module without an interface": (drop_file(module(LIST, "interface")), "not there"),
    "an empty interface": (lambda files: files.update({module(LIST, "interface"): []}), "empty interface"),
    "no samples": (lambda files: files.update({module(LIST, "samples"): {}}), "empty samples"),
    "no samples in the index": (put(*COMPONENTS, "module", LIST, "codeFiles", "samples", value=...), "has no samples"),
    "a sample with an undeclared field": (put(module(LIST, "samples"), "nix", value=1), "does not know"),
    "a sample of another type": (put(module(LIST, "samples"), "amount", value="viel"), "is no number"),
    "a sample wrong deep inside": (
        put(module("listBankAccounts", "samples"), "extra", "transactions_count", "posted", value="x"),
        "extra.transactions_count.posted",
    ),
    "the key in the log of the base": (put(BASE, "log", value=...), "no log.sanitize"),
    "the key in the log of the connection": (
        put("connections/kontor/kontor.communication.iml.json", "log", "sanitize", value=["request.headers.accept"]),
        "does not list request.headers.x-api-key",
    ),
    "a connection without a test": (
        put("connections/kontor/kontor.communication.iml.json", "url", value=...),
        "without a test",
    ),
    "a limit that is not told apart": (put(BASE, "response", "error", "429", "type", value="DataError"), "status 429"),
    "a write that Make repeats": (
        put(module(CREATE, "communication"), "response", "error", "503", "type", value="ConnectionError"),
        "would be repeated",
    ),
    "a write that inherits the base's errors": (
        put(module(CREATE, "communication"), "response", "error", value=...),
        "would be repeated",
    ),
    "a parameter that is in no form": (
        put(module(LIST, "communication"), "qs", "x", value="{{parameters.nix}}"),
        "in no form",
    ),
    "an expression that is not closed": (
        put(module(LIST, "communication"), "url", value="/v2/{{parameters.limit}"),
        "not closed",
    ),
    "an attach that steals the URL": (lambda files: files.update({ATTACH: files[ATTACH][1]}), "without looking"),
    "a detach that takes a foreign URL": (put(DETACH, 1, "condition", value=...), "without looking"),
    "a webhook without detach": (
        put(*COMPONENTS, "webhook", "hookRefreshComplete", "codeFiles", "detach", value=...),
        "no detach",
    ),
    "a trigger without memory": (
        put(module(TRIGGER, "communication"), "response", "trigger", value=...),
        "does not say type",
    ),
    "a trigger that reads everything again": (
        put(module(TRIGGER, "communication"), "qs", "from_id", value=...),
        "behind the last id",
    ),
    "a trigger without a date": (
        put(module("watchNewBankAccount", "communication"), "response", "trigger", "date", value=...),
        "without saying which",
    ),
    "a trigger without a start": (
        put(module(TRIGGER, "epoch"), "response", "output", "date", value=...),
        "where to start",
    ),
    "a file that is not there": (drop_file(module(LIST, "communication")), "which is not there"),
    "a file that nobody names": (lambda files: files.update({"modules/stray.iml.json": {}}), "in no entry"),
    "an id with a reserved word": (
        lambda files: files[INDEX]["components"]["rpc"].update(
            {"delete": files[INDEX]["components"]["rpc"].pop("optionsPayments")}
        ),
        "reserved word",
    ),
    "an unknown connection": (
        put(*COMPONENTS, "module", LIST, "connection", value="other"),
        "names the connection other",
    ),
    "an unknown webhook": (
        put(*COMPONENTS, "module", "watchRefreshComplete", "webhook", value="other"),
        "names the webhook other",
    ),
    "an instant trigger without a webhook": (
        put(*COMPONENTS, "module", "watchRefreshComplete", "webhook", value=None),
        "without a webhook",
    ),
    "a group with an unknown module": (
        put("modules/groups.json", 0, "modules", 0, value="nix"),
        "names the module nix",
    ),
    "a module in no group": (put("modules/groups.json", 0, "modules", value=[]), "0 groups"),
    "a module in two groups": (
        lambda files: files["modules/groups.json"][0]["modules"].append(LIST),
        "2 groups",
    ),
    "a label with a full stop": (put(*COMPONENTS, "module", LIST, "label", value="List payments."), "sentence case"),
    "a label that shouts": (put(*COMPONENTS, "module", LIST, "label", value="List PAYMENTS"), "shouts"),
    "a label without an article": (
        put(*COMPONENTS, "module", "getPayment", "label", value="Get payment"),
        "without an article",
    ),
    "a trigger that does not watch": (
        put(*COMPONENTS, "module", TRIGGER, "label", value="New transaction"),
        "begins with Watch",
    ),
    "an unknown type of module": (put(*COMPONENTS, "module", LIST, "moduleType", value="list"), "unknown type"),
    "an action that does not say what it does": (
        put(*COMPONENTS, "module", "getPayment", "actionCrud", value=...),
        "actionCrud",
    ),
    "a connection of no type": (
        put(*COMPONENTS, "connection", "kontor", "connectionType", value=...),
        "connectionType",
    ),
    "a webhook of no type": (
        put(*COMPONENTS, "webhook", "hookRefreshComplete", "webhookType", value=...),
        "webhookType",
    ),
    "no universal module": (put(*COMPONENTS, "module", "callApi", "moduleType", value="action"), "universal modules"),
    "a universal module to anywhere": (
        put(module("callApi", "communication"), "url", value="https://elsewhere.example"),
        "not relative",
    ),
    "a universal module that takes any path": (
        put(module("callApi", "mappable-params"), 1, "validate", value=...),
        "takes any address",
    ),
    "a field without help": (put(module("getPayment", "mappable-params"), 0, "help", value=...), "has no help"),
    "a key in clear": (put(BASE, "headers", "x-api-key", value="a1b2c3d4e5f6g7h8"), "secret in clear"),
}


def test_the_apps_as_they_are_have_no_fault():
    for export in CLEAN.values():
        assert vendor_findings(export) == ()
        assert export.findings == ()


@pytest.mark.parametrize("fault", FAULTS)
def test_the_lint_sees(fault):
    seed, expected = FAULTS[fault]
    found = lint(with_fault(seed))
    assert any(expected in finding.message for finding in found), found


def test_the_lint_sees_a_file_that_is_no_json():
    broken = replace(CLEAN["service"], files={**CLEAN["service"].files, BASE: b"{"})
    assert "no JSON" in lint(broken)[0].message


def test_the_lint_sees_a_token_in_the_readme_of_a_host_app():
    leaky = replace(CLEAN["host"], files={**CLEAN["host"].files, "README.md": b"Bearer abcdefghijklmnop1234"})
    assert any("secret in clear" in finding.message for finding in lint(leaky))


@pytest.mark.skipif(not present("make"), reason="Make's schemas are not beside this checkout")
@pytest.mark.parametrize(
    "fault",
    ["a write without a body", "a query that is an expression", "a range of statuses", "uid at the top of a webhook"],
)
def test_makes_own_schemas_are_asked_too(fault):
    found = vendor_findings(with_fault(FAULTS[fault][0]))
    assert any("the vendor's schema says" in finding.message for finding in found)
