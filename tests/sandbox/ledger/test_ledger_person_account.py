"""Person accounts: created once, then updated, with numbers that fit their length."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sandbox.handler_client import KANZLEI, NORDLICHT, HandlerClient

SAVE = "POST /v2/ledger-rewe/personenkonto"


@pytest.fixture
def sandbox() -> HandlerClient:
    return HandlerClient()


def partner(**more: Any) -> dict[str, Any]:
    return {
        "personenkontoNummer": "100100000",
        "kontaktTyp": "DEBITOR",
        "kontenrahmen": "SKR03",
        "kontonummernLaenge": 8,
        "geschaeftsjahrStartDatum": "2025-01-01",
        "firmenname": "Radhaus Ottensen GmbH",
        "ustId": "DE123456789",
        "emailAdressen": [{"email": "buero@radhaus.example", "typ": "GESCHAEFTLICH"}],
        "bankkonten": [{"iban": "DE02120300000000202051", "bic": "BYLADEM1001", "name": "DKB", "istHauptkonto": True}],
        "adressen": [{"adresszeile": "Bahrenfelder Str. 1", "postleitzahl": "22765", "ort": "Hamburg"}],
        **more,
    }


@pytest.mark.conforms("provider_result.person_account", "person_account.answer", "person_account.endpoint")
def test_the_answer_repeats_the_partner_in_the_described_shape(sandbox: HandlerClient) -> None:
    answer = sandbox.call(SAVE, partner(), verbindung=NORDLICHT)
    assert set(answer) == {"data", "ledgerAntwort"}
    data = answer["data"]
    (entry,) = data.pop("eintraege")
    assert data == {
        "id": None,
        "kontonummernLaenge": 8,
        "kontenrahmen": "SKR03",
        "erstelltAm": "2025-11-15T10:30:00Z",
        "geschaeftsjahrStartDatum": "2025-01-01",
    }
    assert set(entry) == {
        "id",
        "kontaktTyp",
        "personenkontoNummer",
        "nummer",
        "firmenname",
        "ustId",
        "aktualisiertAm",
        "projektId",
        "bankkonten",
        "emailAdressen",
        "telefonnummern",
        "kontaktpersonen",
        "adressen",
    }
    assert entry["personenkontoNummer"] == 100100000
    assert entry["bankkonten"][0]["istHauptkonto"] is True
    assert entry["adressen"][0]["adresszeile2"] is None
    assert set(answer["ledgerAntwort"]) == {"status", "antwortDaten", "meldungen"}


@pytest.mark.conforms("person_account.identity")
def test_saving_again_updates_the_same_record(sandbox: HandlerClient) -> None:
    first = sandbox.call(SAVE, partner(), verbindung=NORDLICHT)["data"]
    second = sandbox.call(SAVE, partner(firmenname="Radhaus Altona GmbH"), verbindung=NORDLICHT)["data"]
    assert first["eintraege"][0]["aktualisiertAm"] is None
    assert second["eintraege"][0]["aktualisiertAm"] is not None
    assert second["erstelltAm"] == first["erstelltAm"]
    (stored,) = sandbox.ledger.person_accounts.values()
    assert (stored.fields.firmenname, stored.saves) == ("Radhaus Altona GmbH", 2)


def test_the_same_number_at_another_client_or_connection_is_another_record(sandbox: HandlerClient) -> None:
    sandbox.call(SAVE, partner(), verbindung=NORDLICHT)
    sandbox.call(SAVE, partner(), verbindung=KANZLEI)
    sandbox.call(SAVE, partner(), verbindung=KANZLEI, mandant="29098-10002")
    assert [stored.saves for stored in sandbox.ledger.person_accounts.values()] == [1, 1, 1]


def test_the_new_name_shows_in_the_trial_balance(sandbox: HandlerClient) -> None:
    sandbox.call(SAVE, partner(), verbindung=NORDLICHT)
    (row,) = sandbox.call(
        "GET /v2/ledger-rewe-read/susa",
        verbindung=NORDLICHT,
        geschaeftsjahrStartDatum="2025-01-01",
        konto="100100000",
    )["data"]
    assert row["kontobeschriftung"] == "Radhaus Ottensen GmbH"


@pytest.mark.parametrize(("number", "length"), [("100100000", 8), ("100100000", 9), ("10001", 4), ("70001", 5)])
def test_a_number_fits_a_length_of_its_own_or_one_less(sandbox: HandlerClient, number: str, length: int) -> None:
    sandbox.call(SAVE, partner(personenkontoNummer=number, kontonummernLaenge=length), verbindung=NORDLICHT)
    assert len(sandbox.ledger.person_accounts) == 1


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"personenkontoNummer": "10010"}, "personenkontoNummer"),
        ({"personenkontoNummer": "10010000x"}, "personenkontoNummer"),
        ({"personenkontoNummer": 100100000}, "personenkontoNummer"),
        ({"kontonummernLaenge": 3}, "kontonummernLaenge"),
        ({"kontonummernLaenge": "8"}, "kontonummernLaenge"),
        ({"geschaeftsjahrStartDatum": "01.01.2025"}, "geschaeftsjahrStartDatum"),
        ({"geschaeftsjahrStartDatum": "2025-04-01"}, "geschaeftsjahrStartDatum"),
        ({"firmenname": "  "}, "firmenname"),
        ({"bankkonten": [{"iban": 1}]}, "bankkonten[0].iban"),
        ({"emailAdressen": {}}, "emailAdressen"),
    ],
)
def test_a_wrong_field_is_named_and_nothing_stored(sandbox: HandlerClient, wrong: dict[str, Any], named: str) -> None:
    refused = sandbox.refusal(SAVE, partner(**wrong), verbindung=NORDLICHT)
    assert refused.status == 400
    assert named in refused.body["error"]
    assert sandbox.ledger.person_accounts == {}


@pytest.mark.conforms("endpoints.required_body_fields")
@pytest.mark.parametrize(
    "field", ["personenkontoNummer", "kontonummernLaenge", "geschaeftsjahrStartDatum", "firmenname"]
)
def test_a_missing_field_is_named(sandbox: HandlerClient, field: str) -> None:
    incomplete = partner()
    del incomplete[field]
    assert field in sandbox.refusal(SAVE, incomplete, verbindung=NORDLICHT).body["error"]
