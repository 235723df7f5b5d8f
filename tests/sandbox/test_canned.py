"""The canned service: every action comes to its sample, and what it was asked is remembered."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from connector import Connector, Credential, ServiceDown
from connector.actions import InitiatePayment
from connector.core.callers import Intent
from connector.core.values import json
from connector.runtime.requests.catalog import Catalog
from connector.testing import CannedService

CREDENTIAL = Credential("https://service.example", "the-key")
ACTIONS = Catalog().actions
PLAIN = [id for id, action in ACTIONS.items() if action.picked is None and action.request is not None]


def examples(id: str) -> dict[str, Any]:
    return {field.name: field.example for field in ACTIONS[id].inputs if field.required}


@pytest.fixture
def kontor(tmp_path: Any) -> Connector:
    return Connector(str(tmp_path))


@pytest.mark.parametrize("id", PLAIN)
def test_an_action_comes_to_its_sample(kontor: Connector, kontor_service: CannedService, id: str) -> None:
    with kontor.open(CREDENTIAL, transport=kontor_service) as session:
        inputs = {**examples(id), "account_id": "8101"} if id == "list_transactions" else examples(id)
        output = session.perform(id, inputs, Intent("lauf-1")).output
    sample = ACTIONS[id].sample
    if ACTIONS[id].read_back:
        sample, output = ({**answer, "custom_fields": None} for answer in (sample, output))
    assert json.decode(json.encode(output)) == json.decode(json.encode(sample))
    assert kontor_service.asked[-1].headers["x-api-key"] == "the-key"


@pytest.mark.parametrize("id", [id for id, action in ACTIONS.items() if action.picked is not None])
def test_what_is_picked_is_found_in_the_list_of_the_samples(kontor: Connector, id: str) -> None:
    listed = next(action for action in PLAIN if ACTIONS[action].request.path == ACTIONS[id].request.path)  # type: ignore[union-attr]
    row, picked = ACTIONS[listed].sample["items"][0], ACTIONS[id].picked
    assert picked is not None
    inputs = {**examples(id), picked.name: row[ACTIONS[id].shape["pick"]["by"]]}
    with kontor.open(CREDENTIAL, transport=CannedService()) as session:
        assert session.perform(id, inputs, Intent("lauf-1")).output["bezeichnung"] == row["bezeichnung"]


async def test_it_serves_an_event_loop_too(kontor: Connector, kontor_service: CannedService) -> None:
    async with kontor.open(CREDENTIAL, transport=kontor_service) as session:
        payment = InitiatePayment(
            account_id="8101", creditor_name="Reifen Voss KG", creditor_iban="DE02120300000000202051", amount=12
        )
        assert (await session.run(payment, key="lauf-1")).output.status == "initiated"
    assert [(request.method, request.path) for request in kontor_service.asked][-1] == ("POST", "/v2/banking/payments")
    assert kontor_service.asked[-1].body["custom_fields"]["kontor_key"] == "lauf-1"


def test_other_outputs_and_failures_can_be_given(kontor: Connector) -> None:
    service = CannedService({"list_bank_accounts": {"items": []}, "get_payment": httpx.ConnectError("no way")})
    with kontor.open(CREDENTIAL, transport=service) as session:
        assert session.invoke("list_bank_accounts").output == {"items": []}
        with pytest.raises(ServiceDown):
            session.invoke("get_payment", {"id": "5013"})


def test_what_no_action_has_is_not_found(kontor_service: CannedService) -> None:
    with httpx.Client(transport=kontor_service) as client:
        assert client.get("https://service.example/v2/nothing").status_code == 404
