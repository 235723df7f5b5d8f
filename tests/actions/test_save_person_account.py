"""A person account is refused when its number, fiscal year or bank accounts cannot be right."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from actions.ledger.save_person_account import check, shape
from refusals import Refusal, refusal


def partner(**other: Any) -> dict[str, Any]:
    return {
        "personenkontoNummer": "100100042",
        "kontonummernLaenge": 8,
        "geschaeftsjahrStartDatum": date(2026, 1, 1),
        "firmenname": "Hausverwaltung Petersen GmbH",
        **other,
    }


def refused(**other: Any) -> Refusal:
    return refusal("ledger", "save_person_account", partner(**other))


@pytest.mark.parametrize(("number", "length"), [("10000", 4), ("100100042", 8), ("100100042", 9), ("700100003", 8)])
def test_a_number_as_long_as_the_length_or_one_digit_longer_is_accepted(number: str, length: int) -> None:
    assert check(partner(personenkontoNummer=number, kontonummernLaenge=length)) is None


def test_a_number_that_is_too_short_is_refused_with_the_difference() -> None:
    said = refused(personenkontoNummer="10000", kontonummernLaenge=8)
    assert said.field == "personenkontoNummer"
    assert "10000 has 5 digits, 3 too few" in said.en
    assert "8 oder 9" in said.de


def test_a_number_that_is_too_long_is_refused_with_the_difference() -> None:
    said = refused(personenkontoNummer="100100042", kontonummernLaenge=4)
    assert "9 digits, 4 too many" in said.en
    assert "4 zu viel" in said.de


def test_a_number_never_begins_with_zero() -> None:
    assert refused(personenkontoNummer="010100042").name == "number_first_digit"


def test_a_fiscal_year_starts_on_the_first_of_a_month() -> None:
    assert check(partner(geschaeftsjahrStartDatum=date(2026, 7, 1))) is None
    assert refused(geschaeftsjahrStartDatum=date(2026, 7, 2)).field == "geschaeftsjahrStartDatum"


def test_one_main_bank_account_or_none_is_accepted() -> None:
    assert check(partner(bankkonten=[{"iban": "a"}, {"iban": "b", "istHauptkonto": False}])) is None
    assert (
        check(partner(bankkonten=[{"iban": "a", "istHauptkonto": False}, {"iban": "b", "istHauptkonto": True}])) is None
    )


def test_two_main_bank_accounts_are_refused_by_their_numbers() -> None:
    main = {"iban": "a", "istHauptkonto": True}
    said = refused(bankkonten=[main, {"iban": "b"}, main])
    assert said.field == "bankkonten[2].istHauptkonto"
    assert "Bank accounts 1 and 3" in said.en


def test_the_output_is_the_account_with_the_providers_answer() -> None:
    reply = {"data": {"id": None, "eintraege": []}, "ledgerAntwort": {"status": "SUCCESS"}, "platform": {}}
    assert shape(reply) == {"id": None, "eintraege": [], "ledgerAntwort": {"status": "SUCCESS"}}


def test_an_answer_without_envelope_or_provider_is_read_as_it_is() -> None:
    assert shape({"id": "1", "eintraege": []}) == {"id": "1", "eintraege": []}
    assert shape({"data": {"id": "1"}}) == {"id": "1"}
