"""The Power Automate lint: a fault in a dropdown, a trigger or another file is seeded, and the lint names it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from connector.export import icon
from connector.export.power_automate.lint import lint
from tests.export.power_automate.seeded_faults import CLEAN, PROPERTIES, Fault, Tree, operation, put, top, with_fault
from tests.export.vendor_lint import present, vendor_findings

BODY = ("parameters", 0, "schema")
OK = ("responses", "200")
CASH = "CreateCashBookEntry"
KASSE = ("parameters", 3, "schema", "properties", "kassenname")


def stray_path(tree: Tree) -> None:
    stray = {**operation(tree, "OptionsPayments"), "operationId": "OptionsX"}
    tree["paths"]["/options/x"] = {"get": stray}


FAULTS: dict[str, tuple[Fault, str]] = {
    "a dropdown in one form only": (
        put("GetPayment", "parameters", 0, "x-ms-dynamic-list", value=...),
        "only one of its two forms",
    ),
    "two forms that differ": (
        put("GetPayment", "parameters", 0, "x-ms-dynamic-list", "itemValuePath", value="reference"),
        "differ",
    ),
    "a dropdown to nowhere": (
        put("GetPayment", "parameters", 0, "x-ms-dynamic-values", "operationId", value="Nowhere"),
        "does not exist",
    ),
    "a dropdown to what people see": (put("OptionsPayments", "x-ms-visibility", value=...), "people see too"),
    "a dropdown that finds no list": (
        put("GetPayment", "parameters", 0, "x-ms-dynamic-values", "value-collection", value="rows"),
        "finds no list",
    ),
    "a dropdown that reads no property": (
        put("GetPayment", "parameters", 0, "x-ms-dynamic-values", "value-path", value="nix"),
        "which no entry has",
    ),
    "a dropdown that passes what nobody takes": (
        put("GetPayment", "parameters", 0, "x-ms-dynamic-values", "parameters", value={"nix": "1"}),
        "does not take",
    ),
    "a dropdown that passes too little": (
        put(CASH, *KASSE, "x-ms-dynamic-values", "parameters", value={}),
        "does not pass connection_id",
    ),
    "a dropdown that reads no field": (
        put(CASH, *KASSE, "x-ms-dynamic-list", "parameters", "connection_id", value={"parameterReference": "nix"}),
        "is no field",
    ),
    "a poll without its metadata": (put("TriggerNewPayment", "x-ms-trigger-metadata", value=...), "lacks the metadata"),
    "an unknown kind of trigger": (put("TriggerNewPayment", "x-ms-trigger", value="many"), "unknown trigger kind"),
    "a poll that gives no list": (put("TriggerNewPayment", *OK, "schema", value={"type": "object"}), "0 lists"),
    "an unknown operation in the script": (
        put("OptionsPayments", "operationId", value="OptionsOther"),
        "knows the operation OptionsPayments",
    ),
    "a path that nothing sends anywhere": (stray_path, "sends anywhere"),
    "a key in clear": (
        put("GetPayment", "parameters", 0, "default", value="Bearer abcdefghijklmnop123"),
        "secret in clear",
    ),
}

HOST_FAULTS: dict[str, tuple[Fault, str]] = {
    "a webhook without a callback": (
        put("TriggerPaymentSettled", *BODY, "properties", "target_url", "x-ms-notification-url", value=...),
        "0 callback addresses",
    ),
    "a webhook that does not say what it delivers": (
        lambda tree: tree["paths"]["/trigger/payment_settled"].pop("x-ms-notification-content"),
        "what it delivers",
    ),
    "a webhook that answers 200": (
        lambda tree: operation(tree, "TriggerPaymentSettled")["responses"].update(
            {"200": operation(tree, "TriggerPaymentSettled")["responses"].pop("201")}
        ),
        "answers 201",
    ),
    "a callback outside of a trigger": (put("TriggerPaymentSettled", "x-ms-trigger", value=...), "is no trigger"),
    "content beside a poll": (
        lambda tree: tree["paths"]["/v1/triggers/new_payment/poll"].update({"x-ms-notification-content": {}}),
        "is no webhook",
    ),
    "a subscription without an end": (lambda tree: tree["paths"].pop("/v1/subscriptions/{id}"), "nothing ends"),
}
PROPERTY_FAULTS: dict[str, tuple[Fault, str]] = {
    "a colour that is none": (top("properties", "iconBrandColor", value="blue"), "colour of our own"),
    "the platform's own colour": (top("properties", "iconBrandColor", value="#007ee5"), "colour of our own"),
    "no publisher": (top("properties", "publisher", value=...), "has no publisher"),
    "a token entered in clear": (
        top("properties", "connectionParameters", "host_token", "type", value="string"),
        "in clear",
    ),
    "a policy for an unknown operation": (
        top("properties", "policyTemplateInstances", 2, "parameters", "x-ms-apimTemplate-operationName", value=["Nix"]),
        "names the operation Nix",
    ),
    "a policy that reads what nobody enters": (
        top("properties", "connectionParameters", "host_token", value=...),
        "nobody enters",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_lint_sees(fault):
    seed, expected = FAULTS[fault]
    found = lint(with_fault(seed))
    assert any(expected in finding.message for finding in found), found


@pytest.mark.parametrize("fault", HOST_FAULTS)
def test_the_lint_sees_in_a_connector_for_a_host(fault):
    seed, expected = HOST_FAULTS[fault]
    found = lint(with_fault(seed, "host"))
    assert any(expected in finding.message for finding in found), found


@pytest.mark.parametrize("fault", PROPERTY_FAULTS)
def test_the_lint_sees_in_the_properties(fault):
    seed, expected = PROPERTY_FAULTS[fault]
    found = lint(with_fault(seed, "host", PROPERTIES))
    assert any(expected in finding.message for finding in found), found


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("readme.md", b"", "missing or empty"),
        ("icon.png", b"GIF89a", "no PNG"),
        ("icon.png", icon.png(256), "100 to 230"),
        ("apiProperties.json", b"{", "no JSON"),
        ("script.csx", b'Routes = @"{nonsense"', "its table is no JSON"),
        ("script.csx", b'Routes = @"{}"', "does not keep the platform from repeating it"),
    ],
)
def test_the_lint_sees_a_broken_file(name, content, expected):
    found = lint(replace(CLEAN["service"], files={**CLEAN["service"].files, name: content}))
    assert any(expected in finding.message for finding in found), found


@pytest.mark.skipif(not present("power"), reason="the platform's schemas are not beside this checkout")
def test_the_platforms_own_schemas_are_asked_too():
    found = vendor_findings(with_fault(put("GetPayment", "parameters", 0, "x-ms-visibility", value="shown")))
    assert any("the vendor's schema says" in finding.message for finding in found)


@pytest.mark.parametrize("name", ["openapi_spec_validator", "swagger_spec_validator"])
def test_the_validators_are_asked_too(name):
    pytest.importorskip(name)
    found = vendor_findings(with_fault(put("GetPayment", "operationId", value="ListPayments")))
    assert any(f"{name.replace('_', '-')} says" in finding.message for finding in found), found
