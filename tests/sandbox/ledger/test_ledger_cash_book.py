"""Cash book entries: sums to the last digit, one stored entry per line, and nothing stored on a refusal."""

from __future__ import annotations

import base64
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connector.sandbox.ledger.cash_book import exact_sum
from tests.sandbox.handler_client import KANZLEI, NORDLICHT, NOW, HandlerClient

CREATE = "POST /v2/ledger-duo/kassenbuch-advanced"


@pytest.fixture
def sandbox() -> HandlerClient:
    return HandlerClient()


def line(betrag: Any, **more: Any) -> dict[str, Any]:
    return {"betrag": betrag, "belegtext": "Schlauch", "gegenkonto": "8400", "belegNummer": "K-1", **more}


def body(betrag: Any, *lines: Any, **more: Any) -> dict[str, Any]:
    return {
        "waehrung": "EUR",
        "kassenname": "Ladenkasse",
        "betrag": betrag,
        "transaktionsdatum": "2025-11-14T17:05:00+01:00",
        "belegzeilen": list(lines),
        **more,
    }


def refused(sandbox: HandlerClient, given: Any) -> str:
    """The message of a refusal with 400, after which nothing is stored."""
    refusal = sandbox.refusal(CREATE, given, verbindung=NORDLICHT)
    assert refusal.status == 400
    assert sandbox.ledger.cash_entries == []
    return str(refusal.body["error"])


@pytest.mark.conforms(
    "provider_result.cash_book", "cash_book_entry.answer", "cash_book_entry.body", "cash_book_entry.spelling"
)
def test_the_answer_is_the_cash_book_entry_of_the_description(sandbox: HandlerClient) -> None:
    tax = {"prozent": 19, "buSchluessel": "3"}
    first = line(Decimal("10.10"), steuersatz=tax, kostenstelle1="Laden", kostenstelle2="Nord")
    answer = sandbox.call(CREATE, body(Decimal("30.30"), first, line(Decimal("20.20"))), verbindung=NORDLICHT)
    lines, result = answer.pop("belegzeilen"), answer.pop("ledgerAntwort")
    assert answer == {
        "erstellungsdatum": "2025-11-15T10:30:00Z",
        "waehrung": "EUR",
        "kassenname": "Ladenkasse",
        "betrag": Decimal("30.30"),
        "transaktionsdatum": "2025-11-14T17:05:00+01:00",
        "belegbilder": [],
    }
    assert lines[0] == {
        "gegenkonto": "8400",
        "erstellungsdatum": "2025-11-15T10:30:00Z",
        "waehrung": "EUR",
        "belegtext": "Schlauch",
        "belegnummer": "K-1",
        "betrag": Decimal("10.10"),
        "steuersatz": {"prozent": Decimal(19), "buSchluessel": "3"},
        "kostenstellen": [{"name": "Laden"}, {"name": "Nord"}],
    }
    assert ("steuersatz" in lines[1], lines[1]["kostenstellen"]) == (False, [])
    assert set(result) == {"status", "meldungen"}
    assert {message["typ"] for message in result["meldungen"]} == {"INFO"}
    assert set(result["meldungen"][0]) == {"dateiname", "nachricht", "zeitstempel", "typ"}


@pytest.mark.conforms("cash_book_entry.endpoint", "cash_book_entry.total", "cash_book_entry.one_per_line")
def test_one_entry_is_stored_per_line(sandbox: HandlerClient) -> None:
    for _ in range(2):
        sandbox.call(
            CREATE,
            body(5, line(12, belegtext="Verkauf"), line(-7, belegtext="Porto")),
            verbindung=NORDLICHT,
            quelle="n8n",
        )
    entries = sandbox.ledger.cash_entries
    assert [(entry.betrag, entry.direction, entry.belegtext) for entry in entries] == [
        (Decimal(12), "income", "Verkauf"),
        (Decimal(-7), "expense", "Porto"),
    ] * 2
    assert len({entry.id for entry in entries}) == 4
    assert {(entry.quelle, entry.ledger_connection_id, entry.client_id) for entry in entries} == {
        ("n8n", NORDLICHT, "29098-10001")
    }
    assert entries[0].transaktionsdatum.utcoffset() == timedelta(hours=1)
    assert entries[0].erstellungsdatum == NOW


@pytest.mark.conforms("endpoints.quelle")
def test_without_a_label_the_source_is_api(sandbox: HandlerClient) -> None:
    sandbox.call(CREATE, body(1, line(1)), verbindung=NORDLICHT)
    assert sandbox.ledger.cash_entries[0].quelle == "API"


@pytest.mark.parametrize(
    ("betrag", "lines"),
    [
        ("0.3", ["0.1", "0.2"]),
        ("100.00", ["33.33", "33.33", "33.34"]),
        ("12345678901234567.89", ["12345678901234567.88", "0.01"]),
        ("99999999999999999999999999999.01", ["99999999999999999999999999999", "0.01"]),
        ("-10.5", ["-5.25", "-5.25"]),
    ],
)
def test_a_sum_that_is_right_to_the_last_digit_is_taken(sandbox: HandlerClient, betrag: str, lines: list[str]) -> None:
    sandbox.call(CREATE, body(Decimal(betrag), *(line(Decimal(amount)) for amount in lines)), verbindung=NORDLICHT)
    assert len(sandbox.ledger.cash_entries) == len(lines)


@pytest.mark.conforms("cash_book_entry.total")
@pytest.mark.parametrize(
    ("betrag", "lines", "total"),
    [
        ("0.31", ["0.1", "0.2"], "0.3"),
        ("99.99", ["33.33", "33.33", "33.34"], "100.00"),
        ("12345678901234567.89", ["12345678901234567.88"], "12345678901234567.88"),
        ("10", ["-10"], "-10"),
    ],
)
def test_a_sum_that_is_off_is_refused_with_both_amounts(
    sandbox: HandlerClient, betrag: str, lines: list[str], total: str
) -> None:
    message = refused(sandbox, body(Decimal(betrag), *(line(Decimal(amount)) for amount in lines)))
    assert betrag in message
    assert total in message


@given(st.lists(st.decimals(places=2, min_value=-(10**20), max_value=10**20), min_size=1))
def test_the_sum_is_the_sum_of_the_cents(amounts: list[Decimal]) -> None:
    assert exact_sum(list(amounts)) == Decimal(sum(int(amount.scaleb(2)) for amount in amounts)).scaleb(-2)


def test_a_total_of_zero_is_neither_income_nor_expense(sandbox: HandlerClient) -> None:
    assert "betrag" in refused(sandbox, body(0, line(5), line(-5)))


def test_a_line_of_zero_is_taken(sandbox: HandlerClient) -> None:
    assert len(sandbox.call(CREATE, body(5, line(5), line(0)), verbindung=NORDLICHT)["belegzeilen"]) == 2


@pytest.mark.parametrize("absurd", ["1e999999999", "1e-999999999"])
def test_an_absurd_exponent_is_refused_at_once(sandbox: HandlerClient, absurd: str) -> None:
    assert "betrag" in refused(sandbox, body(Decimal(absurd), line(Decimal(absurd))))


@pytest.mark.conforms("endpoints.required_body_fields")
@pytest.mark.parametrize("field", ["waehrung", "kassenname", "betrag", "transaktionsdatum", "belegzeilen"])
def test_a_missing_field_is_named(sandbox: HandlerClient, field: str) -> None:
    incomplete = body(1, line(1))
    del incomplete[field]
    assert field in refused(sandbox, incomplete)


@pytest.mark.conforms("cash_book_entry.point_in_time")
@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"waehrung": "Euro"}, "waehrung"),
        ({"betrag": "1"}, "betrag"),
        ({"betrag": True}, "betrag"),
        ({"belegzeilen": []}, "belegzeilen"),
        ({"belegzeilen": [{"belegtext": "ohne Betrag"}]}, "belegzeilen[0]"),
        ({"belegzeilen": [line(1, belegNummer=7)]}, "belegzeilen[0].belegNummer"),
        ({"belegzeilen": [line(1, steuersatz={"prozent": "19"})]}, "steuersatz.prozent"),
        ({"transaktionsdatum": "2025-11-14T17:05:00"}, "transaktionsdatum"),
        ({"transaktionsdatum": "2025-11-14"}, "transaktionsdatum"),
        ({"transaktionsdatum": "gestern"}, "transaktionsdatum"),
    ],
)
def test_a_wrong_field_is_named(sandbox: HandlerClient, wrong: dict[str, Any], named: str) -> None:
    assert named in refused(sandbox, body(1, line(1)) | wrong)


@pytest.mark.parametrize("given", [None, [], "text"])
def test_a_body_must_be_an_object(sandbox: HandlerClient, given: Any) -> None:
    assert "body" in refused(sandbox, given)


def test_a_cash_book_must_exist_at_the_client_that_is_meant(sandbox: HandlerClient) -> None:
    at_hafenkante = body(1, line(1), kassenname="Hauptkasse")
    refusal = sandbox.refusal(CREATE, at_hafenkante, verbindung=KANZLEI)
    assert refusal.status == 404
    assert "Hauptkasse" in refusal.body["error"]
    sandbox.call(CREATE, at_hafenkante, verbindung=KANZLEI, mandant="29098-10002")
    assert [entry.client_id for entry in sandbox.ledger.cash_entries] == ["29098-10002"]


@pytest.mark.conforms("cash_book_entry.images_in_the_answer", "cash_book_entry.body")
def test_receipt_images_come_back_as_metadata(sandbox: HandlerClient) -> None:
    picture = {"content": base64.b64encode(b"picture").decode(), "dateiname": "bon.jpg"}
    answer = sandbox.call(CREATE, body(1, line(1), belegbilder=[picture]), verbindung=NORDLICHT)
    (image,) = answer["belegbilder"]
    assert (image["dateiname"], image["groesse"]) == ("bon.jpg", 7)
    assert "content" not in image
    assert "bon.jpg" in [message["dateiname"] for message in answer["ledgerAntwort"]["meldungen"]]
    assert sandbox.ledger.cash_entries[0].belegbilder[0].dateiname == "bon.jpg"


@pytest.mark.parametrize("content", ["no base64!", "abc", "", "data:image/png;base64,cGljdHVyZQ=="])
def test_an_image_that_is_not_base64_is_refused_and_nothing_stored(sandbox: HandlerClient, content: str) -> None:
    message = refused(sandbox, body(1, line(1), belegbilder=[{"content": content, "dateiname": "bon.jpg"}]))
    assert "bon.jpg" in message
