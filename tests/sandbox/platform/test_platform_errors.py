from __future__ import annotations

import pytest

from connector.sandbox.banking.demo import MAIN_ACCOUNT
from tests.support.running_sandbox import RunningSandbox

JSON = {"content-type": "application/json"}


@pytest.mark.conforms("errors.body")
def test_an_unknown_path_is_404_with_an_error(sandbox: RunningSandbox) -> None:
    for path in ("/v2/banking/nothing", "/v2/", "/v1/banking/accounts", "/v2/banking/connections/"):
        answer = sandbox.api.get(path)
        assert answer.status_code == 404, path
        assert set(answer.json()) == {"error"}


def test_a_wrong_method_is_405_and_names_the_right_ones(sandbox: RunningSandbox) -> None:
    answer = sandbox.api.delete("/v2/banking/payments")
    assert answer.status_code == 405
    assert answer.headers["allow"] == "GET, POST"
    assert answer.json()["error"]


@pytest.mark.parametrize("body", [b"{", b"{'a': 1}", b"\xff\xfe", b"[1,]", b"NaN", b'{"a": 1} x'])
def test_a_body_that_is_not_json_is_400(sandbox: RunningSandbox, body: bytes) -> None:
    answer = sandbox.api.post("/v2/banking/payments", content=body, headers=JSON)
    assert answer.status_code == 400
    assert "JSON" in answer.json()["error"]


@pytest.mark.parametrize("body", [b"[]", b'"text"', b"1", b""])
def test_a_body_that_is_no_object_is_400(sandbox: RunningSandbox, body: bytes) -> None:
    answer = sandbox.api.post("/v2/banking/payments", content=body, headers=JSON)
    assert answer.status_code == 400


@pytest.mark.conforms("endpoints.json_bodies")
def test_a_body_must_be_announced_as_json(sandbox: RunningSandbox) -> None:
    answer = sandbox.api.put("/v2/banking/webhook-url", data={"webhook_url": "https://example.com/"})
    assert answer.status_code == 415
    assert "application/json" in answer.json()["error"]


def test_a_charset_with_the_content_type_is_fine(sandbox: RunningSandbox) -> None:
    answer = sandbox.api.put(
        "/v2/banking/webhook-url",
        content=b'{"webhook_url": "https://example.com/"}',
        headers={"content-type": "application/json; charset=utf-8"},
    )
    assert answer.status_code == 200


@pytest.mark.conforms("transactions.needs_account_or_connection", "errors.missing_parameter")
def test_a_missing_parameter_is_named(sandbox: RunningSandbox) -> None:
    answer = sandbox.api.get("/v2/banking/transactions")
    assert answer.status_code == 400
    assert "connection_id" in answer.json()["error"]
    answer = sandbox.api.get("/v2/banking/transactions/1000000000000000000")
    assert answer.status_code == 400
    assert "account_id" in answer.json()["error"]


@pytest.mark.parametrize(
    ("path", "name", "value"),
    [
        ("transactions", "sort", "amount"),
        ("transactions", "from_id", "12a"),
        ("transactions", "from_id", "-1"),
        ("transactions", "from_id", "1.5"),
        ("transactions", "from_id", "١٢"),
        ("transactions", "from_date", "01.11.2026"),
        ("transactions", "from_date", "2026-02-30"),
        ("transactions", "to_date", "20261101"),
        ("payments", "sort", "made_on"),
        ("payments", "limit", "ten"),
        ("payments", "created_from", "yesterday"),
        ("payments", "created_to", "2026-13-01"),
        ("accounts", "api", "salt"),
        ("accounts", "payments_only", "maybe"),
    ],
)
def test_a_wrong_parameter_is_named(sandbox: RunningSandbox, path: str, name: str, value: str) -> None:
    query = {name: value, **({"account_id": MAIN_ACCOUNT} if path == "transactions" else {})}
    answer = sandbox.api.get(f"/v2/banking/{path}", params=query)
    assert answer.status_code == 400
    assert name in answer.json()["error"]


def test_an_empty_parameter_counts_as_left_out(sandbox: RunningSandbox) -> None:
    query = {"account_id": MAIN_ACCOUNT, "from_id": "", "from_date": "", "sort": ""}
    assert sandbox.api.get("/v2/banking/transactions", params=query).status_code == 200
