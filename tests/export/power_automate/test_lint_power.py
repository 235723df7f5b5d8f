"""The Power Automate lint: a fault in the document or an operation is seeded, and the lint names it."""

from __future__ import annotations

import pytest

from connector.export.power_automate.lint import lint
from tests.export.power_automate.seeded_faults import CLEAN, Fault, Tree, operation, put, top, with_fault
from tests.export.vendor_lint import vendor_findings


def second_body(tree: Tree) -> None:
    parameters = operation(tree, "InitiatePayment")["parameters"]
    parameters.append(dict(parameters[0]))


def same_path(tree: Tree) -> None:
    tree["paths"]["/v2/banking/payments/{other}"] = tree["paths"]["/v2/banking/payments/{id}"]


BODY = ("parameters", 0, "schema")
OK = ("responses", "200")
CASH = "CreateCashBookEntry"
KASSE = ("parameters", 3, "schema", "properties", "kassenname")
BIG = {"type": "string", "title": "x", "x-ms-summary": "x", "description": "y" * 600_000}

FAULTS: dict[str, tuple[Fault, str]] = {
    "another version": (top("swagger", value="3.0"), "not Swagger 2.0"),
    "a long title": (top("info", "title", value="Kontor for everything under the sun"), "30 characters"),
    "a title with API": (top("info", "title", value="Kontor API"), "without API"),
    "a title with Connector": (top("info", "title", value="Kontor Connector"), "without API"),
    "a short description": (top("info", "description", value="Kontor."), "30 to 500"),
    "a long description": (top("info", "description", value="x" * 501), "30 to 500"),
    "no contact": (top("info", "contact", value=...), "has no email"),
    "no metadata": (top("x-ms-connector-metadata", value=[]), "has no Privacy policy"),
    "no host": (top("host", value=""), "no host name"),
    "plain http": (top("schemes", value=["http"]), "https alone"),
    "too large": (put("GetPayment", *OK, "schema", "properties", "x", value=BIG), "fewer than"),
    "no credential": (top("securityDefinitions", value={}), "is empty"),
    "a key in the query": (top("securityDefinitions", "api_key", "in", value="query"), "not travel in a header"),
    "an undeclared key": (
        top("securityDefinitions", value={"key": {"type": "apiKey", "in": "header", "name": "x-api-key"}}),
        "connectionParameters has no key",
    ),
    "no demand for the key": (top("security", value=[]), "no credential is demanded"),
    "no operationId": (put("GetPayment", "operationId", value=...), "has no operationId"),
    "an id twice": (put("GetPayment", "operationId", value="ListPayments"), "stands 2 times"),
    "an id in another case": (put("GetPayment", "operationId", value="get_payment"), "PascalCase"),
    "no summary": (put("GetPayment", "summary", value=...), "has no summary"),
    "a long summary": (put("GetPayment", "summary", value="Get " + "x" * 80), "at most 80"),
    "a summary with a full stop": (put("GetPayment", "summary", value="Get payment."), "sentence case"),
    "a summary in title case": (put("GetPayment", "summary", value="Get Bank Payment"), "sentence case"),
    "no description": (put("GetPayment", "description", value=...), "has no description"),
    "a description that repeats": (put("GetPayment", "description", value="Get payment."), "repeats the summary"),
    "no success": (put("GetPayment", *OK, value=...), "0 successes"),
    "two successes": (
        put("GetPayment", "responses", "202", value={"description": "x", "schema": {"type": "object"}}),
        "2 successes",
    ),
    "a default beside a success": (
        put("GetPayment", "responses", "default", value={"description": "x", "schema": {"type": "object"}}),
        "2 successes",
    ),
    "a success without a schema": (put("GetPayment", *OK, "schema", value=...), "has no schema"),
    "an empty schema": (put("GetPayment", *OK, "schema", value={}), "is empty"),
    "a response without words": (put("GetPayment", "responses", "404", "description", value=...), "has no description"),
    "a body in GET": (
        lambda tree: operation(tree, "GetPayment")["parameters"].append(
            operation(tree, "InitiatePayment")["parameters"][0]
        ),
        "get carries a body",
    ),
    "two bodies": (second_body, "two bodies"),
    "a parameter called connectionId": (
        put("GetTransaction", "parameters", 1, "name", value="connectionId"),
        "connectionId",
    ),
    "a parameter twice": (
        lambda tree: operation(tree, "ListPayments")["parameters"].append(
            operation(tree, "ListPayments")["parameters"][0]
        ),
        "stands 2 times",
    ),
    "a parameter without a summary": (
        put("ListPayments", "parameters", 0, "x-ms-summary", value=...),
        "has no x-ms-summary",
    ),
    "a parameter without a description": (
        put("ListPayments", "parameters", 0, "description", value=...),
        "has no description",
    ),
    "a parameter that repeats itself": (
        put("ListPayments", "parameters", 0, "description", value="Bank connection"),
        "repeats its summary",
    ),
    "an optional path parameter": (put("GetPayment", "parameters", 0, "required", value=False), "is not required"),
    "a path parameter without encoding": (
        put("GetPayment", "parameters", 0, "x-ms-url-encoding", value=...),
        "x-ms-url-encoding",
    ),
    "a path without its parameter": (put("GetPayment", "parameters", value=[]), "is no parameter"),
    "a parameter that is in no path": (put("GetPayment", "parameters", 0, "name", value="nix"), "is not in the path"),
    "the same path twice": (same_path, "the same path"),
    "hidden and required without a default": (
        lambda tree: operation(tree, CASH)["parameters"][-2].pop("default"),
        "hidden and required",
    ),
    "an unknown visibility": (
        put("ListPayments", "parameters", 0, "x-ms-visibility", value="shown"),
        "unknown visibility",
    ),
    "a list without items": (
        put("ListPayments", *OK, "schema", "properties", "data", "items", value=...),
        "without items",
    ),
    "a schema without a type": (put("ListPayments", *OK, "schema", "type", value=...), "has no type"),
    "a property without a title": (
        put("GetPayment", *OK, "schema", "properties", "data", "properties", "amount", "title", value=...),
        "has no title",
    ),
    "a property without a description": (
        put("GetPayment", *OK, "schema", "properties", "data", "properties", "amount", "description", value=...),
        "has no description",
    ),
    "a required property that is not there": (
        put("InitiatePayment", *BODY, "required", value=["nix"]),
        "does not exist",
    ),
    "labels of other values": (
        put("InitiatePayment", *BODY, "properties", "template_identifier", "enum", value=["SEPA"]),
        "do not belong",
    ),
    "a default that is no choice": (
        put("InitiatePayment", *BODY, "properties", "template_identifier", "default", value="X"),
        "none of its values",
    ),
}


def test_the_connectors_as_they_are_have_no_fault():
    for export in CLEAN.values():
        assert vendor_findings(export) == ()
        assert export.findings == ()


@pytest.mark.parametrize("fault", FAULTS)
def test_the_lint_sees(fault):
    seed, expected = FAULTS[fault]
    found = lint(with_fault(seed))
    assert any(expected in finding.message for finding in found), found
