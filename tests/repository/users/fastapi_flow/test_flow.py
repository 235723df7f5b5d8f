"""How a user tests such a flow: with the fixtures that Kontor brings, and nothing else of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from connector import Connector
from connector.testing import CannedService, Sandbox
from tests.repository.users.fastapi_flow.flow import app, opened

INVOICE = {
    "number": "V-88120",
    "account": "222483902742913301",
    "payee": "Reifen Voss KG",
    "iban": "DE02120300000000202051",
    "amount": "297.50",
}


@pytest.fixture
def kontor(tmp_path: Any) -> Iterator[Connector]:
    kontor = Connector(str(tmp_path))
    yield kontor
    kontor.close()
    app.dependency_overrides.clear()


def test_an_invoice_that_comes_twice_is_paid_once(kontor: Connector, kontor_sandbox: Sandbox) -> None:
    app.dependency_overrides[opened] = lambda: kontor.open(kontor_sandbox.credential())
    with TestClient(app) as client:
        answers = [client.post("/invoices", json=INVOICE) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].json() == answers[1].json()
    assert sum(row["method"] == "POST" and row["acted"] for row in kontor_sandbox.requests()) == 1


def test_a_lost_answer_is_looked_up(kontor: Connector, kontor_sandbox: Sandbox) -> None:
    kontor_sandbox.fail("drop_after", method="POST", path="/v2/banking/payments")
    app.dependency_overrides[opened] = lambda: kontor.open(kontor_sandbox.credential())
    with TestClient(app) as client:
        assert client.post("/invoices", json=INVOICE).json()["status"] == "initiated"
    assert sum(row["method"] == "POST" and row["acted"] for row in kontor_sandbox.requests()) == 1


def test_what_cannot_be_paid_is_told_and_not_sent(kontor: Connector, kontor_service: CannedService) -> None:
    credential = {"base_url": "https://service.example", "api_key": "the-key"}
    app.dependency_overrides[opened] = lambda: kontor.open(credential, transport=kontor_service)
    with TestClient(app) as client:
        refused = client.post("/invoices", json={**INVOICE, "iban": "DE00"})
        assert (refused.status_code, refused.json()["detail"].partition(":")[0]) == (422, "creditor_iban")
        assert kontor_service.asked == []
        assert client.post("/invoices", json=INVOICE).status_code == 200
