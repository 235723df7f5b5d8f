"""How a user tests such a script: with responses, and with the answers that Kontor brings."""

from __future__ import annotations

import pytest
import requests
import responses

from connector.testing import CannedService
from tests.repository.users.requests_script.script import account_names, open_amount


@responses.activate
def test_the_open_amount_is_read_from_a_host(kontor_service: CannedService) -> None:
    kontor_service.register(responses.mock, "https://kontor.example")
    assert open_amount("https://kontor.example", "a token", "0b54a7c2") > 0
    [asked] = kontor_service.asked
    assert asked.body["inputs"] == {"ledger_connection": "0b54a7c2", "side": "debitors"}
    assert asked.headers["Authorization"] == "Bearer a token"


@responses.activate
def test_account_names_are_read_from_the_service() -> None:
    service = CannedService({"list_bank_accounts": {"items": [{"name": "Giro"}, {"name": "Sparen"}]}})
    service.register(responses.mock, "https://service.example")
    assert account_names("https://service.example", "the-key") == ["Giro", "Sparen"]


@responses.activate
def test_an_action_that_there_is_not_is_an_error(kontor_service: CannedService) -> None:
    kontor_service.register(responses.mock, "https://kontor.example")
    assert requests.post("https://kontor.example/v1/actions/pay_all/run", json={}, timeout=5).status_code == 404
    with pytest.raises(requests.HTTPError):
        account_names("https://kontor.example/nowhere", "the-key")
