"""A payment that shows another amount or IBAN is another one, whatever key it carries, and never the result."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from connector import Connector, Credential
from connector.core.errors import InputError, OutcomeUnknown
from connector.runtime.writes import write

PAYMENT = {
    "account_id": "8101",
    "creditor_name": "Reifen Voss KG",
    "creditor_iban": "DE02120300000000202051",
    "amount": "40.00",
}
OTHERS = [{"amount": 9999}, {"amount": "9999.00"}, {"creditor_iban": "DE89370400440532013000"}]
SAME = [
    {},
    {"amount": 40},
    {"amount": "40.0"},
    {"amount": "40,00 EUR"},
    {"creditor_iban": "DE02 1203 0000 0000 2020 51"},
    {"creditor_iban": "DE02…2051"},
]


@pytest.fixture(autouse=True)
def _found_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write, "FIND_DELAYS", (0.0,))


def pay(folder: Path, listed: list[dict[str, Any]], answered: dict[str, Any]) -> tuple[Callable[[], Any], list[str]]:
    """Return what pays once under a key, of a service with this list and this answer, and the methods that it sends."""
    methods: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        methods.append(request.method)
        return httpx.Response(200, json={"data": answered if request.method == "POST" else listed})

    def call() -> Any:
        credential = Credential("https://service.example", "key")
        connector = Connector(str(folder))
        with connector.open(credential, transport=httpx.MockTransport(answer)) as kontor:
            return kontor.invoke("initiate_payment", PAYMENT, key="lauf-7")

    return call, methods


@pytest.mark.parametrize("other", OTHERS)
def test_what_the_list_shows_under_the_key_is_a_conflict_when_it_is_another_payment(other: Any, tmp_path: Path) -> None:
    call, methods = pay(tmp_path, [{"id": "77", "custom_fields": {"kontor_key": "lauf-7"}, **other}], {"id": "78"})
    with pytest.raises(InputError) as told:
        call()
    assert (told.value.field, told.value.outcome) == ("key", "not_sent")
    assert set(methods) == {"GET"}


@pytest.mark.parametrize("same", SAME)
def test_what_does_not_contradict_is_the_payment(same: Any, tmp_path: Path) -> None:
    call, methods = pay(tmp_path, [{"id": "77", "custom_fields": {"kontor_key": "lauf-7"}, **same}], {"id": "78"})
    assert call().output["id"] == "77"
    assert set(methods) == {"GET"}


@pytest.mark.parametrize("other", OTHERS)
def test_an_answer_about_another_payment_proves_nothing(other: Any, tmp_path: Path) -> None:
    call, methods = pay(tmp_path, [], {"id": "77", **other})
    for _ in range(2):
        with pytest.raises(OutcomeUnknown, match="The service answered with another payment or entry") as told:
            call()
        assert "mit einer anderen Zahlung" in told.value.message.de
    assert methods.count("POST") == 1


@pytest.mark.parametrize("answered", [{"status": "error", "message": "Konto gesperrt"}, {"queued": True}, {"id": None}])
def test_an_answer_that_names_no_payment_proves_nothing(answered: dict[str, Any], tmp_path: Path) -> None:
    call, methods = pay(tmp_path, [], answered)
    with pytest.raises(OutcomeUnknown, match=r"names an error: .+\."):
        call()
    assert methods.count("POST") == 1


def test_whoever_repeats_the_key_of_an_unknown_payment_hears_what_the_service_said(tmp_path: Path) -> None:
    call, methods = pay(tmp_path, [], {"error": "Konto gesperrt"})
    for _ in range(2):
        with pytest.raises(OutcomeUnknown, match=r"parked.*Konto gesperrt") as told:
            call()
        assert "geparkt" in told.value.message.de
        assert "Konto gesperrt" in told.value.message.de
    assert methods.count("POST") == 1
