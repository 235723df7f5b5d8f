"""The host's description: it is valid, names exactly the routes that there are, and real answers fit it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from starlette.routing import Route

from connector import Connector
from connector.export.openapi.host import document
from connector.interfaces.host.app import build
from tests.interfaces.host.running_host import PAYMENT, RunningHost

METHODS = {"get", "post", "put", "delete"}


@pytest.fixture(scope="module")
def described() -> dict[str, Any]:
    return document(Connector())


def validator(described: dict[str, Any], name: str) -> Draft202012Validator:
    return Draft202012Validator({"$ref": f"#/components/schemas/{name}", "components": described["components"]})


def test_it_names_exactly_the_routes_that_there_are(host: RunningHost, described: dict[str, Any]) -> None:
    routes = {
        (method, one.path)
        for one in build(host.state)._app.routes
        if isinstance(one, Route)
        for method in (one.methods or set()) - {"HEAD"}
    }
    told = {(method.upper(), path) for path, item in described["paths"].items() for method in METHODS & set(item)}
    assert told == routes


def test_every_schema_is_one_and_every_reference_leads_somewhere(described: dict[str, Any]) -> None:
    schemas = described["components"]["schemas"]
    for schema in schemas.values():
        Draft202012Validator.check_schema(schema)
    for pointer in _references(described):
        *_, kind, name = pointer.split("/", 3)
        assert name in described["components"][kind], pointer


def _references(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
        return own + [found for inner in value.values() for found in _references(inner)]
    return [found for inner in value for found in _references(inner)] if isinstance(value, list) else []


def test_every_manifest_has_its_schemas_and_its_sample_fits(described: dict[str, Any]) -> None:
    connector = Connector()
    schemas = described["components"]["schemas"]
    for kind, manifests in (("action", connector.actions), ("lookup", connector.lookups)):
        assert {id for id in manifests if f"{kind}.{id}.inputs" not in schemas} == set()
    for id, action in connector.actions.items():
        validator(described, f"action.{id}.output").validate(action.sample)
    for id, trigger in connector.triggers.items():
        for item in trigger.sample:
            validator(described, f"trigger.{id}.item").validate(item)


def test_every_example_fits_the_inputs_it_is_an_example_of(described: dict[str, Any]) -> None:
    run = described["paths"]["/v1/actions/{id}/run"]["post"]["requestBody"]["content"]["application/json"]
    assert set(run["examples"]) == set(Connector().actions)
    for id, example in run["examples"].items():
        validator(described, f"action.{id}.inputs").validate(example["value"]["inputs"])
        validator(described, "RunRequest").validate(example["value"])


def test_answers_of_the_sandbox_fit_the_output_of_their_action(host: RunningHost, described: dict[str, Any]) -> None:
    account = {"account_id": PAYMENT["account_id"]}
    for action, inputs in {
        "list_bank_accounts": {},
        "list_transactions": account,
        "list_payments": {},
        "list_mobility_customers": {},
        "initiate_payment": PAYMENT,
    }.items():
        answer = host.run(action, inputs)
        assert answer.status_code == 200, answer.text
        validator(described, f"action.{action}.output").validate(answer.json()["output"])
        validator(described, "RunAnswer").validate(answer.json())


def test_it_is_served_to_whoever_has_the_token(host: RunningHost) -> None:
    served = host.http.get("/openapi.json").json()
    assert (served["openapi"], served["servers"][0]["url"]) == ("3.1.0", host.url)


def test_it_is_served_in_3_0_and_with_a_path_for_each_manifest_too(host: RunningHost) -> None:
    older = host.http.get("/openapi.json", params={"version": "3.0", "paths": "each"}).json()
    assert older["openapi"].startswith("3.0.")
    assert {f"/v1/actions/{id}/run" for id in Connector().actions} <= set(older["paths"])
    assert '"null"' not in json.dumps(older["components"])
    refused = host.http.get("/openapi.json", params={"version": "2.0"})
    assert (refused.status_code, refused.json()["field"]) == (400, "version")
